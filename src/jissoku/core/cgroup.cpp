#include "jissoku/core/cgroup.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace jissoku::core {
namespace {

/// One mounted hierarchy that holds a group of this process.
struct Hierarchy {
  bool unified = false;                  ///< version 2
  std::vector<std::string> controllers;  ///< of version 1
  std::string mount_point;
  std::string path;  ///< of the process' group below the mount point: "" or "/a/b"
};

/// mountinfo writes blanks and the like as "\040".
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octal = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// Where `group`, a path in the hierarchy, lies below a mount that shows the hierarchy from `mount_root` on.
/// In a container the group may be written as the host sees it and not be visible: then the mount's top.
std::string below_mount(const std::string& group, const std::string& mount_root) {
  const std::string root = mount_root == "/" ? "" : mount_root;
  const bool outside = group.find("/..") != std::string::npos;
  if (outside || group == "/" || !group.starts_with(root + "/")) {
    return "";
  }
  return group.substr(root.size());
}

/// The process' group in the hierarchy that has `controller` (version 1) or in the unified one ("").
std::string group_of(const std::vector<std::string>& groups, const std::string& controller) {
  for (const std::string& line : groups) {  // "4:cpu,cpuacct:/user.slice"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? names.empty() : has(split(names, ','), controller)) {
      return line.substr(second + 1);
    }
  }
  return "/";
}

std::vector<Hierarchy> read_hierarchies(const SystemFiles& files) {
  const std::vector<std::string> groups = files.lines("/proc/self/cgroup");
  std::vector<Hierarchy> out;
  for (const std::string& line : files.lines("/proc/self/mountinfo")) {
    // id parent major:minor root mount-point options [tags] - type source super-options
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) {
      continue;
    }
    Hierarchy hierarchy;
    hierarchy.unified = dash[1] == "cgroup2";
    hierarchy.mount_point = unescaped(words[4]);
    if (!hierarchy.unified && dash[1] != "cgroup") {
      continue;
    }
    std::string name;
    for (const char* controller : {"cpu", "memory"}) {
      if (!hierarchy.unified && has(split(dash[3], ','), controller)) {
        hierarchy.controllers.emplace_back(controller);
        name = controller;
      }
    }
    if (hierarchy.unified || !name.empty()) {
      hierarchy.path = below_mount(group_of(groups, name), unescaped(words[3]));
      out.push_back(std::move(hierarchy));
    }
  }
  return out;
}

/// CPUs' worth of a quota per period; 0 = no limit.
double cpus_at(const SystemFiles& files, const std::string& folder, bool unified) {
  std::optional<std::int64_t> quota;
  std::optional<std::int64_t> period;
  if (unified) {
    const std::vector<std::string> words = split(files.read(folder + "/cpu.max").value_or(""), ' ');
    if (words.size() == 2) {  // "max 100000" or "200000 100000"
      quota = leading_integer(words[0]);
      period = leading_integer(words[1]);
    }
  } else {
    quota = files.integer(folder + "/cpu.cfs_quota_us");  // -1: none
    period = files.integer(folder + "/cpu.cfs_period_us");
  }
  const bool limited = quota && period && *quota > 0 && *period > 0;
  return limited ? static_cast<double>(*quota) / static_cast<double>(*period) : 0;
}

void apply_memory(const SystemFiles& files,
                  const std::string& folder,
                  const std::string& limit_file,
                  bool unified,
                  CgroupLimits& limits) {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;  // version 1 writes 2^63 less a page for "none"
  const auto limit = files.integer(folder + limit_file);    // version 2 writes "max"
  if (!limit || *limit >= kNoLimit) {
    return;
  }
  const auto used = files.integer(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
  const auto cache = files.field(folder + "/memory.stat", unified ? "inactive_file" : "total_inactive_file");
  const std::int64_t held = used.value_or(0) - leading_integer(cache.value_or("")).value_or(0);
  const std::int64_t room = std::clamp<std::int64_t>(*limit - std::max<std::int64_t>(held, 0), 0, *limit);
  limits.memory_limit_bytes = std::min(limits.memory_limit_bytes.value_or(*limit), *limit);
  limits.memory_room_bytes = std::min(limits.memory_room_bytes.value_or(room), room);
}

void apply_group(const SystemFiles& files,
                 const Hierarchy& hierarchy,
                 const std::string& folder,
                 CgroupLimits& limits) {
  if (hierarchy.unified || has(hierarchy.controllers, "cpu")) {
    const double cpus = cpus_at(files, folder, hierarchy.unified);
    if (cpus > 0) {
      limits.cpus = limits.cpus > 0 ? std::min(limits.cpus, cpus) : cpus;
    }
  }
  if (hierarchy.unified) {
    apply_memory(files, folder, "/memory.max", true, limits);
    apply_memory(files, folder, "/memory.high", true, limits);  // beyond it the kernel slows us down
  } else if (has(hierarchy.controllers, "memory")) {
    apply_memory(files, folder, "/memory.limit_in_bytes", false, limits);
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const SystemFiles& files) {
  CgroupLimits limits;
  for (const Hierarchy& hierarchy : read_hierarchies(files)) {
    std::string path = hierarchy.path;
    while (!path.empty()) {
      apply_group(files, hierarchy, hierarchy.mount_point + path, limits);
      path.erase(path.find_last_of('/'));
    }
    apply_group(files, hierarchy, hierarchy.mount_point, limits);
  }
  return limits;
}

}  // namespace jissoku::core
