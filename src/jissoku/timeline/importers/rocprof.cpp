#include "jissoku/timeline/importers/rocprof.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "jissoku/timeline/importers/trace_builder.hpp"
#include "jissoku/timeline/importers/walker.hpp"

namespace jissoku::timeline::importers {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool";

/// One record of any kind; absent numbers are -1.
struct Record {
  std::int64_t kind = -1, operation = -1, thread = -1, correlation = -1, external = -1;
  std::int64_t start_ns = -1, end_ns = -1, bytes = -1;
  std::int64_t agent = -1, queue = -1, stream = -1, kernel = -1, from = -1, to = -1;
  std::int64_t grid = 1, workgroup = 1;
};

/// Calls `member(key)` for each member of the object at the scanner's position; it must read the value.
template <typename Member>
bool read_object(Scanner& scanner, Member member) {
  if (scanner.peek() != '{') {
    return scanner.skip_value();
  }
  if (!scanner.expect('{') || !scanner.blanks()) {
    return false;
  }
  for (;;) {
    std::string_view key;
    bool done = false;
    if (!scanner.key(key, done)) {
      return false;
    }
    if (done) {
      return scanner.blanks();
    }
    if (!member(key)) {
      return false;
    }
  }
}

bool read_number(Scanner& scanner, std::int64_t& value) {
  bool found = false;
  std::int64_t number = 0;
  if (!scanner.integer(number, found)) {
    return false;
  }
  value = found ? number : value;
  return true;
}

/// {"handle": 7}, or 7.
bool read_handle(Scanner& scanner, std::int64_t& value) {
  if (scanner.peek() != '{') {
    return read_number(scanner, value);
  }
  return read_object(scanner, [&](std::string_view) { return read_number(scanner, value); });
}

/// The product of {"x": 1, "y": 2, "z": 3}.
bool read_volume(Scanner& scanner, std::int64_t& value) {
  double product = 1;
  const bool good = read_object(scanner, [&](std::string_view) {
    std::int64_t part = 1;
    const bool read = read_number(scanner, part);
    product *= static_cast<double>(part);
    return read;
  });
  constexpr double kMost = 1e18;
  value = static_cast<std::int64_t>(std::clamp(product, 1.0, kMost));
  return good;
}

bool read_dispatch(Scanner& scanner, Record& record) {
  return read_object(scanner, [&](std::string_view key) {
    if (key == "agent_id") {
      return read_handle(scanner, record.agent);
    }
    if (key == "queue_id") {
      return read_handle(scanner, record.queue);
    }
    if (key == "kernel_id") {
      return read_number(scanner, record.kernel);
    }
    if (key == "grid_size") {
      return read_volume(scanner, record.grid);
    }
    return key == "workgroup_size" ? read_volume(scanner, record.workgroup) : scanner.skip_value();
  });
}

bool read_correlation(Scanner& scanner, Record& record) {
  return read_object(scanner, [&](std::string_view key) {
    if (key == "internal") {
      return read_number(scanner, record.correlation);
    }
    return key == "external" ? read_handle(scanner, record.external) : scanner.skip_value();
  });
}

std::int64_t* number_of(std::string_view key, Record& record) {
  return key == "start_timestamp" ? &record.start_ns
         : key == "end_timestamp" ? &record.end_ns
         : key == "thread_id"     ? &record.thread
         : key == "operation"     ? &record.operation
         : key == "kind"          ? &record.kind
         : key == "bytes"         ? &record.bytes
                                  : nullptr;
}

bool read_record(Scanner& scanner, Record& record) {
  record = Record();
  return read_object(scanner, [&](std::string_view key) {
    if (std::int64_t* number = number_of(key, record)) {
      return read_number(scanner, *number);
    }
    if (key == "dispatch_info") {
      return read_dispatch(scanner, record);
    }
    if (key == "correlation_id") {
      return read_correlation(scanner, record);
    }
    if (key == "stream_id") {
      return read_handle(scanner, record.stream);
    }
    if (key == "src_agent_id") {
      return read_handle(scanner, record.from);
    }
    return key == "dst_agent_id" ? read_handle(scanner, record.to) : scanner.skip_value();
  });
}

class Tool : private Walker {
 public:
  Tool(Window& window, Timeline& timeline)
      : Walker(window, timeline.repairs), timeline_(timeline), builder_(timeline) {}

  bool read() {
    timeline_.format = Format::rocprof;
    bool found = false;
    const bool whole = object([&](const std::string& key) {
      if (key != kRoot) {
        return skip();
      }
      return list([&] {
        found = true;
        return object([&](const std::string& part) { return read_part(part); });
      });
    });
    timeline_.repairs[Repair::truncated] += whole ? 0 : 1;
    name_kernels();
    return found;
  }

 private:
  /// `member(key)` must read the value. False where the data ends or is damaged.
  template <typename Member>
  bool object(Member member) {
    if (!take('{')) {
      return false;
    }
    while (!take('}')) {
      std::string name;
      const auto stop = attempt(Quotes::plain, [&name](Scanner& scanner) {
        std::string_view key;
        bool done = false;
        const bool good = scanner.key(key, done) && !done;
        name = key;
        return good;
      });
      if (stop != Scanner::Stop::none || !member(name)) {
        return false;
      }
    }
    return true;
  }

  template <typename Element>
  bool list(Element element) {
    if (!take('[')) {
      return skip();
    }
    while (!take(']')) {
      take(',');
      if (next_character() == '\0' || !element()) {
        return false;
      }
    }
    return true;
  }

  bool value(std::string* text) {
    next_character();
    return attempt(Quotes::plain, [text](Scanner& scanner) {
             const char* from = scanner.position();
             const bool good = scanner.skip_value();
             if (good && text != nullptr) {
               text->assign(from, scanner.position());
             }
             return good;
           }) == Scanner::Stop::none;
  }
  bool skip() { return value(nullptr); }

  bool read_part(const std::string& part) {
    if (part == "agents") {
      return list([this] { return read_agent(); });
    }
    if (part == "kernel_symbols") {
      return list([this] { return read_symbol(); });
    }
    if (part == "strings") {
      return read_strings();
    }
    if (part == "metadata") {
      return read_metadata();
    }
    if (part == "buffer_records") {
      return object([this](const std::string& kind) {
        return list([this, &kind] { return read_buffer_record(kind); });
      });
    }
    return skip();
  }

  bool read_metadata() {
    std::string text;
    if (!value(&text)) {
      return false;
    }
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_object() && json.contains("pid") && json["pid"].is_number_integer()) {
      process_ = json["pid"].get<std::int64_t>();
    }
    return true;
  }

  bool read_agent() {
    constexpr int kGpu = 2;
    std::string text;
    if (!value(&text)) {
      return false;
    }
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("id")) {
      return true;
    }
    const auto number = [](const nlohmann::json& object, const char* key) {
      const auto found = object.find(key);
      return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
    };
    const std::int64_t handle = json["id"].is_object() ? number(json["id"], "handle") : number(json, "id");
    if (number(json, "type") != kGpu) {
      return true;
    }
    DeviceInfo info;
    info.id = static_cast<std::int64_t>(timeline_.devices.size());
    for (const char* key : {"product_name", "name"}) {
      const auto found = json.find(key);
      if (info.name.empty() && found != json.end() && found->is_string()) {
        info.name = found->get<std::string>();
      }
    }
    info.multiprocessors = static_cast<int>(std::clamp<std::int64_t>(number(json, "cu_count"), 0, 1 << 20));
    info.warp_size = static_cast<int>(std::clamp<std::int64_t>(number(json, "wave_front_size"), 0, 1 << 10));
    devices_[handle] = info.id;
    timeline_.devices.push_back(std::move(info));
    return true;
  }

  bool read_symbol() {
    std::int64_t id = -1;
    Text mangled, formatted;
    return attempt(Quotes::plain, [&](Scanner& scanner) {
             const bool good = read_object(scanner, [&](std::string_view key) {
               if (key == "kernel_id") {
                 return read_number(scanner, id);
               }
               Text* text = key == "kernel_name"             ? &mangled
                            : key == "formatted_kernel_name" ? &formatted
                                                             : nullptr;
               return text != nullptr && scanner.peek() == '"' ? scanner.text(*text) : scanner.skip_value();
             });
             if (good) {
               const Text& name = formatted.bytes.empty() ? mangled : formatted;
               kernels_[id] = timeline_.strings.intern(unescape(name.bytes));
             }
             return good;
           }) == Scanner::Stop::none;
  }

  /// {"buffer_records": [{"kind": "HIP_API", "operations": ["hipInit", ...]}, ...]}, by kind's number.
  bool read_strings() {
    std::string text;
    if (!value(&text)) {
      return false;
    }
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("buffer_records") || !json["buffer_records"].is_array()) {
      return true;
    }
    for (const auto& kind : json["buffer_records"]) {
      auto& names = operations_.emplace_back();
      if (!kind.is_object() || !kind.contains("operations") || !kind["operations"].is_array()) {
        continue;
      }
      for (const auto& name : kind["operations"]) {
        names.push_back(name.is_string() ? timeline_.strings.intern(name.get<std::string>()) : 0);
      }
    }
    return true;
  }

  bool read_buffer_record(const std::string& kind) {
    Record record;
    const auto stop =
        attempt(Quotes::plain, [&record](Scanner& scanner) { return read_record(scanner, record); });
    if (stop == Scanner::Stop::none) {
      ++timeline_.events_in_file;
      add(kind, record);
      return true;
    }
    return false;
  }

  void add(const std::string& kind, const Record& record) {
    if (record.start_ns < 0 || record.end_ns < 0) {
      ++timeline_.repairs[Repair::no_time];
      return;
    }
    const std::int64_t duration = record.end_ns - record.start_ns;
    if (kind == "kernel_dispatch") {
      add_work(Category::kernel, 0, record.agent, record, duration);
      kernel_of_.push_back(record.kernel);
    } else if (kind == "memory_copy") {
      add_copy(record, duration);
    } else if (kind.ends_with("_api")) {
      const std::uint32_t lane = builder_.host_lane({process_, false}, {record.thread, false});
      const bool marker = kind == "marker_api";
      builder_.add(marker ? Category::annotation : Category::runtime,
                   operation(record),
                   lane,
                   record.start_ns,
                   duration);
      if (!marker) {
        builder_.detail(CallDetail{record.correlation, record.external});
        timeline_.has_host_calls = true;
      }
    }
  }

  void add_copy(const Record& record, std::int64_t duration) {
    const bool from_device = devices_.find(record.from) != devices_.end();
    const bool to_device = devices_.find(record.to) != devices_.end();
    const std::string_view name = from_device && to_device ? "Memcpy DtoD"
                                  : to_device              ? "Memcpy HtoD"
                                                           : "Memcpy DtoH";
    add_work(Category::memcpy,
             timeline_.strings.intern(name),
             to_device ? record.to : record.from,
             record,
             duration);
    read_copy_name(name, timeline_.device_details.back());
  }

  void add_work(
      Category category, StringId name, std::int64_t agent, const Record& record, std::int64_t duration) {
    const auto device = devices_.find(agent);
    const std::int64_t queue = record.queue >= 0 ? record.queue : std::max<std::int64_t>(record.stream, 0);
    const std::uint32_t lane =
        builder_.device_lane(device == devices_.end() ? agent : device->second, queue, true);
    builder_.add(category, name, lane, record.start_ns, duration);
    DeviceDetail detail;
    detail.correlation = record.correlation;
    detail.external_id = record.external;
    detail.bytes = record.bytes;
    detail.process = process_;
    const std::int64_t blocks =
        (record.grid + record.workgroup - 1) / record.workgroup;  // the grid is in work-items
    detail.grid_blocks = static_cast<std::int32_t>(std::min<std::int64_t>(blocks, 1 << 30));
    detail.block_threads = static_cast<std::int32_t>(std::min<std::int64_t>(record.workgroup, 1 << 30));
    builder_.detail(detail);
  }

  StringId operation(const Record& record) const {
    const auto kind = static_cast<std::size_t>(record.kind);
    const auto index = static_cast<std::size_t>(record.operation);
    const bool known = record.kind >= 0 && kind < operations_.size() && record.operation >= 0 &&
                       index < operations_[kind].size();
    return known ? operations_[kind][index] : 0;
  }

  /// Symbols may come after the dispatches that use them.
  void name_kernels() {
    std::size_t next = 0;
    for (EventId id = 0; id < timeline_.events.size(); ++id) {
      if (timeline_.events.category[id] == Category::kernel) {
        const auto found = kernels_.find(kernel_of_[next++]);
        timeline_.events.name[id] = found == kernels_.end() ? 0 : found->second;
      }
    }
  }

  Timeline& timeline_;
  TraceBuilder builder_;
  std::int64_t process_ = 0;
  std::map<std::int64_t, std::int64_t> devices_;  ///< agent handle -> device
  std::map<std::int64_t, StringId> kernels_;
  std::vector<std::vector<StringId>> operations_;
  std::vector<std::int64_t> kernel_of_;  ///< per kernel event, in the order of the file
};

}  // namespace

bool is_rocprof(std::string_view head) {
  const std::size_t at = head.find(kRoot);
  return at != std::string_view::npos &&
         head.substr(0, at).find_first_not_of("{\" \t\r\n\xEF\xBB\xBF") == std::string_view::npos;
}

bool read_rocprof(Window& window, Timeline& timeline) {
  return Tool(window, timeline).read();
}

}  // namespace jissoku::timeline::importers
