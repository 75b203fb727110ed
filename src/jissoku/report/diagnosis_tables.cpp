#include "jissoku/report/diagnosis_tables.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "jissoku/core/text.hpp"
#include "jissoku/core/units.hpp"
#include "jissoku/timeline/analysis/name_table.hpp"
#include "jissoku/timeline/analysis/operator_table.hpp"

namespace jissoku::report {
namespace {

using core::message;
namespace analysis = timeline::analysis;
using timeline::diagnosis::DeviceDiagnosis;

/// As torch.profiler writes times: s, ms or us, three decimals.
std::string time_text(std::int64_t time_ns) {
  const auto time = static_cast<double>(time_ns);
  if (time_ns >= 1'000'000'000) {
    return fmt::format("{:.3f} s", time / 1e9);
  }
  return time_ns >= 1'000'000 ? fmt::format("{:.3f} ms", time / 1e6) : fmt::format("{:.3f} us", time / 1e3);
}

std::string part_text(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.2f} %",
                     whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// torch.profiler's width for names, cut for printing only.
std::string name_text(std::string_view name) {
  constexpr int kWidth = 55;
  return core::truncate(name, kWidth);
}

class Tables {
 public:
  Tables(const Diagnosed& diagnosed, const TableOptions& options, const core::Catalogue& catalogue)
      : timeline_(*diagnosed.timeline),
        diagnosis_(*diagnosed.diagnosis),
        options_(options),
        catalogue_(catalogue),
        threads_(timeline_),
        launches_(timeline_) {}

  core::Result<Page> make() {
    if (options_.name == "kernels") {
      return per_device([this](const DeviceDiagnosis& device) { return kernels(device); });
    }
    if (options_.name == "copies") {
      return per_device([this](const DeviceDiagnosis& device) { return copies(device); });
    }
    if (options_.name == "launches") {
      return per_device([this](const DeviceDiagnosis& device) { return launches(device); });
    }
    if (options_.name == "syncs") {
      return Page{syncs()};
    }
    if (options_.name == "steps") {
      return Page{steps()};
    }
    return operators();
  }

 private:
  std::string text(std::string id, std::vector<core::Argument> args = {}) const {
    return catalogue_.render(message(std::move(id), std::move(args)));
  }
  /// Columns by id: the first is text, the others are numbers.
  std::vector<Column> columns(std::initializer_list<std::string_view> ids) const {
    std::vector<Column> out;
    for (const std::string_view id : ids) {
      const int rank = out.empty() ? 0 : static_cast<int>(out.size());
      out.push_back(
          {text("diagnose.column." + std::string(id)), out.empty() ? Align::left : Align::right, rank});
    }
    return out;
  }
  std::size_t shown(std::size_t count) const {
    return options_.limit < 0 ? count : std::min(count, static_cast<std::size_t>(options_.limit));
  }

  template <typename Make>
  Page per_device(Make make) const {
    Page page;
    for (const DeviceDiagnosis& device : diagnosis_.devices) {
      if (diagnosis_.devices.size() > 1) {
        page.push_back(Heading{text("diagnose.gpu", {{"gpu", device.activity.device}})});
      }
      page.push_back(make(device));
    }
    return page;
  }

  core::Result<Page> operators() {
    if (options_.by_shape && !timeline_.has_shapes) {
      return core::make_error(core::ExitCode::usage, "diagnose.no_shapes", {{"path", timeline_.path}});
    }
    std::vector<analysis::DeviceActivity> devices;
    for (const DeviceDiagnosis& device : diagnosis_.devices) {
      devices.push_back(device.activity);
    }
    const analysis::Grouping grouping = options_.name == "modules"       ? analysis::Grouping::modules
                                        : options_.name == "annotations" ? analysis::Grouping::annotations
                                                                         : analysis::Grouping::operators;
    auto made = analysis::operator_table(threads_, launches_, devices, grouping, options_.by_shape);
    const std::string key = !options_.sort.empty() ? options_.sort
                            : devices.empty()      ? "self_cpu_time_total"
                                                   : "self_device_time_total";
    if (auto sorted = sort_rows(made.rows, key); !sorted) {
      return sorted.error();
    }
    Table table;
    table.columns = columns({"name",
                             "self_cpu_share",
                             "self_cpu",
                             "cpu_share",
                             "cpu_total",
                             "cpu_average",
                             "self_device",
                             "self_device_share",
                             "device_total",
                             "device_average",
                             "calls"});
    // What may go first on a narrow terminal: shares, then averages.
    constexpr std::array kRanks = {0, 9, 3, 10, 4, 8, 0, 5, 2, 7, 1};
    for (std::size_t index = 0; index < table.columns.size(); ++index) {
      table.columns[index].drop_rank = kRanks[index];
    }
    if (options_.by_shape) {
      table.columns.push_back({text("diagnose.column.shapes"), Align::left, 6});
    }
    for (std::size_t index = 0; index < shown(made.rows.size()); ++index) {
      table.rows.push_back(operator_row(made, made.rows[index]));
    }
    Page page{std::move(table)};
    Facts totals;
    totals.items.push_back({text("diagnose.total_cpu"), time_text(made.self_cpu_ns)});
    totals.items.push_back({text("diagnose.total_device"), time_text(made.self_device_ns)});
    page.push_back(std::move(totals));
    return page;
  }

  TableRow operator_row(const analysis::OperatorTable& made, const analysis::OperatorRow& row) const {
    constexpr int kShapes = 80;
    const std::int64_t calls = std::max<std::int64_t>(row.count, 1);
    TableRow out;
    out.cells = {row.name.empty() ? text("diagnose.no_operator") : name_text(row.name),
                 part_text(row.self_cpu_ns, made.self_cpu_ns),
                 time_text(row.self_cpu_ns),
                 part_text(row.cpu_total_ns, made.self_cpu_ns),
                 time_text(row.cpu_total_ns),
                 time_text(row.cpu_total_ns / calls),
                 time_text(row.self_device_ns),
                 part_text(row.self_device_ns, made.self_device_ns),
                 time_text(row.device_total_ns),
                 time_text(row.device_total_ns / calls),
                 core::format_integer(row.count)};
    if (options_.by_shape) {
      out.cells.push_back(core::truncate(row.shapes, kShapes));
    }
    return out;
  }

  Table names(const std::vector<analysis::NameRow>& rows, std::int64_t whole, bool callers) const {
    Table table;
    table.columns = columns({"name", "time", "share", "calls", "mean", "least", "most"});
    if (callers) {
      table.columns.push_back({text("diagnose.column.caller"), Align::left, 1});
    }
    for (std::size_t index = 0; index < shown(rows.size()); ++index) {
      const analysis::NameRow& row = rows[index];
      TableRow& out = table.rows.emplace_back();
      out.cells = {name_text(row.name),
                   time_text(row.time_ns),
                   part_text(row.time_ns, whole),
                   core::format_integer(row.count),
                   time_text(row.time_ns / std::max<std::int64_t>(row.count, 1)),
                   time_text(row.least_ns),
                   time_text(row.most_ns)};
      if (callers) {
        out.cells.push_back(name_text(row.caller));
      }
    }
    return table;
  }

  Table kernels(const DeviceDiagnosis& device) const {
    return names(kernel_table(timeline_, device.activity), device.activity.window_ns(), false);
  }

  Table syncs() const {
    const std::int64_t window =
        diagnosis_.devices.empty() ? 0 : diagnosis_.devices.front().activity.window_ns();
    return names(sync_table(threads_, launches_), window, true);
  }

  Table copies(const DeviceDiagnosis& device) const {
    constexpr std::array<std::string_view, 6> kKinds = {"unknown", "htod", "dtoh", "dtod", "ptop", "htoh"};
    constexpr std::array<std::string_view, 5> kMemory = {"", "pageable", "pinned", "device", "managed"};
    Table table;
    table.columns = columns({"copy", "time", "share", "calls", "bytes", "bandwidth"});
    for (std::size_t index = 0; index < shown(device.copies.size()); ++index) {
      const analysis::CopyGroup& group = device.copies[index];
      std::string name =
          group.category == timeline::Category::memset
              ? text("diagnose.copy.memset")
              : text("diagnose.copy." + std::string(kKinds[static_cast<std::size_t>(group.kind)]));
      for (const timeline::Memory end : {group.from, group.to}) {
        if (end == timeline::Memory::pageable || end == timeline::Memory::pinned ||
            end == timeline::Memory::managed) {
          name += ", " + text("diagnose.memory." + std::string(kMemory[static_cast<std::size_t>(end)]));
        }
      }
      const double seconds = static_cast<double>(group.timed_bytes_ns) / 1e9;
      const bool said = group.bytes > 0 && seconds > 0;
      table.rows.emplace_back().cells = {
          name,
          time_text(group.time_ns),
          part_text(group.time_ns, device.activity.window_ns()),
          core::format_integer(group.count),
          said ? core::format_bytes(static_cast<double>(group.bytes)) : "",
          said ? core::format_bandwidth(static_cast<double>(group.bytes) / seconds) : ""};
    }
    return table;
  }

  Table launches(const DeviceDiagnosis& device) const {
    const analysis::LaunchStatistics& launches = device.launches;
    Table table;
    table.columns = columns({"figure", "value"});
    const auto add = [&](std::string_view id, std::string value) {
      table.rows.emplace_back().cells = {text("diagnose.launch." + std::string(id)), std::move(value)};
    };
    const auto steps = static_cast<std::int64_t>(diagnosis_.steps.size());
    add("work", core::format_integer(launches.work));
    add("linked", core::format_integer(launches.linked));
    add("calls", core::format_integer(launches.calls));
    if (steps > 0) {
      add("per_step", core::format_integer(launches.calls / steps));
    }
    add("delay", time_text(launches.median_delay_ns));
    add("call", time_text(launches.median_call_ns));
    add("kernel", time_text(launches.median_kernel_ns));
    add("short", part_text(launches.short_kernels, launches.kernels));
    add("queue", core::format_integer(launches.deepest_queue));
    add("skewed", core::format_integer(launches.before_launch));
    return table;
  }

  Table steps() const {
    Table table;
    table.columns = columns({"step",
                             "time",
                             "kernel",
                             "memcpy",
                             "memset",
                             "communication",
                             "runtime",
                             "data_loader",
                             "cpu",
                             "other"});
    for (std::size_t index = 0; index < shown(diagnosis_.steps.size()); ++index) {
      const analysis::Step& step = diagnosis_.steps[index];
      TableRow& row = table.rows.emplace_back();
      row.cells = {step.name, time_text(step.range.length_ns())};
      for (const std::int64_t part : step.parts_ns) {
        row.cells.push_back(time_text(part));
      }
    }
    return table;
  }

  const timeline::Timeline& timeline_;
  const timeline::diagnosis::Diagnosis& diagnosis_;
  const TableOptions& options_;
  const core::Catalogue& catalogue_;
  analysis::HostThreads threads_;
  analysis::Launches launches_;
};

}  // namespace

core::Result<Page> diagnosis_table(const Diagnosed& diagnosed,
                                   const TableOptions& options,
                                   const core::Catalogue& catalogue) {
  auto page = Tables(diagnosed, options, catalogue).make();
  if (!page || options.limit == 0) {
    return page;
  }
  const bool empty = std::all_of(page->begin(), page->end(), [](const Element& element) {
    const auto* table = std::get_if<Table>(&element);
    return table == nullptr || table->rows.empty();
  });
  if (empty) {  // a blank screen would leave open why
    return Page{
        Paragraph{catalogue.render(message("diagnose.empty_table", {{"path", diagnosed.timeline->path}}))}};
  }
  return page;
}

}  // namespace jissoku::report
