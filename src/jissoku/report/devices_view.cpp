#include "jissoku/report/devices_view.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "jissoku/core/units.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Row;
using document::RowStatus;

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) {
      out += (out.empty() ? "" : ", ") + part;
    }
  }
  return out;
}

/// Powers of two read better in their own units: "32 KiB", not "32.8 kB".
std::string binary_bytes(std::int64_t bytes) {
  constexpr std::int64_t kKi = 1024;
  if (bytes >= kKi * kKi && bytes % (kKi * kKi) == 0) {
    return std::to_string(bytes / (kKi * kKi)) + " MiB";
  }
  return bytes % kKi == 0 ? std::to_string(bytes / kKi) + " KiB"
                          : core::format_bytes(static_cast<double>(bytes));
}

/// "2 threads", or how many of them may be used.
std::string threads(const core::Machine& machine, const core::Catalogue& catalogue) {
  const std::int64_t usable = machine.usable_threads;
  const std::int64_t all = machine.hardware_threads;
  if (usable == all || all == 0) {
    return catalogue.render(message("report.threads", {{"count", usable}}));
  }
  return catalogue.render(message("report.usable_threads", {{"usable", usable}, {"all", all}}));
}

class MachineFacts {
 public:
  MachineFacts(const core::Machine& machine, const core::Catalogue& catalogue)
      : machine_(machine), catalogue_(catalogue) {}

  Facts write() {
    add("report.fact_cpu", cpu());
    add("report.fact_caches", caches());
    if (machine_.memory_bytes > 0) {
      add("report.fact_memory",
          text(message("report.memory",
                       {{"total", static_cast<double>(machine_.memory_bytes)},
                        {"available", static_cast<double>(machine_.memory_available_bytes)}})));
    }
    add("report.fact_system", system());
    for (const core::Message& note : without_repeats(machine_.notes)) {
      facts_.items.push_back({text(message("report.fact_note")), text(note), Tone::plain, false});
    }
    return std::move(facts_);
  }

 private:
  std::string text(const core::Message& what) const { return catalogue_.render(what); }

  void add(const std::string& label_id, std::string what) {
    if (!what.empty()) {
      facts_.items.push_back({text(message(label_id)), std::move(what), Tone::plain, false});
    }
  }

  std::string cpu() const {
    std::vector<std::string> parts = {machine_.cpu_model};
    if (machine_.cores > 0) {
      parts.push_back(text(message("report.cores", {{"count", std::int64_t{machine_.cores}}})));
    }
    parts.push_back(threads(machine_, catalogue_));
    if (!machine_.isa.empty()) {
      parts.push_back(text(message("report.isa", {{"isa", machine_.isa.back()}})));
    }
    return joined(parts);
  }

  std::string caches() const {
    std::vector<std::string> parts;
    for (const core::Cache& cache : machine_.caches) {
      const std::vector<core::Argument> args = {{"level", std::int64_t{cache.level}},
                                                {"size", binary_bytes(cache.size_bytes)},
                                                {"cpus", std::int64_t{cache.shared_by_cpus}}};
      parts.push_back(text(cache.shared_by_cpus > 1 ? core::Message{"report.cache_shared", args}
                                                    : core::Message{"report.cache_own", args}));
    }
    return joined(parts);
  }

  std::string system() const {
    return joined(
        {machine_.os,
         machine_.kernel.empty() ? "" : text(message("report.kernel", {{"kernel", machine_.kernel}})),
         machine_.virtualisation.empty()
             ? ""
             : text(message("report.virtual", {{"kind", machine_.virtualisation}}))});
  }

  const core::Machine& machine_;
  const core::Catalogue& catalogue_;
  Facts facts_;
};

/// "cpu": the device a row's engine runs on.
std::string device_id(const document::Document& document, const Row& row) {
  const document::DeviceRecord* record = device_of(document, row);
  return record != nullptr ? record->id : row.device;
}

class EngineTables {
 public:
  EngineTables(const document::Document& document, const core::Catalogue& catalogue, Detail detail)
      : document_(document), catalogue_(catalogue), detail_(detail) {}

  void write(Page& page) {
    std::vector<std::string> ids;
    for (const Row& row : document_.rows) {
      if (row.experiment == "devices") {
        const std::string id = device_id(document_, row);
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
          ids.push_back(id);
        }
      }
    }
    for (const std::string& id : ids) {
      page.emplace_back(Heading{title(id)});
      if (const std::string words = about(id); !words.empty()) {
        page.emplace_back(Paragraph{words, Tone::plain});
      }
      page.emplace_back(table(id));
    }
  }

 private:
  std::string text(const core::Message& what) const { return catalogue_.render(what); }

  const document::DeviceRecord* record(const std::string& id) const {
    const auto found = std::find_if(document_.header.devices.begin(),
                                    document_.header.devices.end(),
                                    [&](const document::DeviceRecord& one) { return one.id == id; });
    return found == document_.header.devices.end() ? nullptr : &*found;
  }

  std::string title(const std::string& id) const {
    const document::DeviceRecord* device = record(id);
    const std::string name = device == nullptr || device->name.empty() ? id : id + ", " + device->name;
    if (device != nullptr && device->modelled) {
      return text(message("report.engines_modelled", {{"device", name}}));
    }
    return text(message("report.engines", {{"device", name}}));
  }

  bool is_said_by_a_row(const core::Message& note) const {
    return std::any_of(document_.rows.begin(), document_.rows.end(), [&](const Row& row) {
      return row.experiment == "devices" && row.reason == note;
    });
  }

  /// What the title does not say; the host's own CPU is described with the machine.
  std::string about(const std::string& id) const {
    const document::DeviceRecord* device = record(id);
    if (device == nullptr) {
      return {};
    }
    std::vector<std::string> parts;
    if (id != "cpu" && detail_ == Detail::full) {
      parts.push_back(device->driver);
      if (device->memory_bytes > 0) {
        parts.push_back(core::format_bytes(static_cast<double>(device->memory_bytes)));
      }
      if (device->is_host && device->notes.empty()) {  // the notes of one that is no plain CPU say it better
        parts.push_back(text(message("report.on_host")));
      }
    }
    for (const core::Message& note : without_repeats(device->notes)) {
      if (!is_said_by_a_row(note)) {
        parts.push_back(text(note));
      }
    }
    return joined(parts);
  }

  Table table(const std::string& id) const {
    Table out{{{text(message("report.column_engine")), Align::left, 0, false},
               {text(message("report.column_library")), Align::left, 0, false},
               {text(message("report.column_kernel")), Align::left, 1, false},
               {text(message("report.column_threads")), Align::right, 2, false},
               {text(message("report.column_status")), Align::left, 0, false}},
              {}};
    for (const Row& row : document_.rows) {
      if (row.experiment == "devices" && device_id(document_, row) == id) {
        out.rows.push_back(line(row));
      }
    }
    return out;
  }

  TableRow line(const Row& row) const {
    TableRow out;
    out.cells = {label(row, catalogue_)};
    if (row.status != RowStatus::converged) {
      out.remark = text(absence(row));
      out.tone =
          row.status == RowStatus::wrong || row.status == RowStatus::error ? Tone::failure : Tone::plain;
      return out;
    }
    const int threads = row.implementation.threads;
    out.cells.insert(out.cells.end(),
                     {row.implementation.library,
                      row.implementation.kernel,
                      threads > 0 ? std::to_string(threads) : "",
                      text(message("report.works"))});
    if (detail_ == Detail::full) {
      out.below = row.implementation.file;
    }
    return out;
  }

  const document::Document& document_;
  const core::Catalogue& catalogue_;
  Detail detail_;
};

/// Notes of the engines, each with the engines it is about. Beside measurements the rows say them.
Facts engine_notes(const document::Document& document, const core::Catalogue& catalogue) {
  Facts facts;
  for (const Row& row : document.rows) {
    if (row.experiment == "devices") {
      for (const core::Message& note : row.implementation.notes) {
        facts.items.push_back({label(row, catalogue), catalogue.render(note), Tone::plain, false});
      }
    }
  }
  return facts;
}

/// What can be asked "what if", by name only.
void add_models(Page& page, const document::Document& document, const core::Catalogue& catalogue) {
  std::string ids;
  for (const document::DeviceRecord& device : document.header.devices) {
    ids += device.modelled ? (ids.empty() ? "" : ", ") + device.id : "";
  }
  if (!ids.empty()) {
    page.emplace_back(Heading{catalogue.render(message("report.models"))});
    page.emplace_back(
        Paragraph{catalogue.render(message("report.models_words", {{"ids", ids}})), Tone::plain});
  }
}

void add_missing(Page& page, const document::Document& document, const core::Catalogue& catalogue) {
  const std::vector<core::Message> missing = without_repeats(document.header.unavailable);
  if (missing.empty()) {
    return;
  }
  page.emplace_back(Heading{catalogue.render(message("report.missing"))});
  for (const core::Message& reason : missing) {
    page.emplace_back(Paragraph{catalogue.render(reason), Tone::plain});
  }
}

}  // namespace

Page devices_page(const document::Document& document, const core::Catalogue& catalogue, Detail detail) {
  Page page;
  if (detail == Detail::brief && !has_rows_of(document, "devices")) {
    return page;
  }
  if (detail == Detail::full) {
    page.emplace_back(Heading{catalogue.render(message("report.machine"))});
    page.emplace_back(MachineFacts(document.header.machine, catalogue).write());
  }
  EngineTables(document, catalogue, detail).write(page);
  if (detail == Detail::full) {
    if (Facts notes = engine_notes(document, catalogue); !notes.items.empty()) {
      page.emplace_back(std::move(notes));
    }
    add_models(page, document, catalogue);
  }
  add_missing(page, document, catalogue);
  return page;
}

std::string machine_line(const core::Machine& machine, const core::Catalogue& catalogue) {
  std::vector<std::string> parts = {machine.cpu_model, threads(machine, catalogue)};
  if (!machine.isa.empty()) {
    parts.push_back(catalogue.render(message("report.isa", {{"isa", machine.isa.back()}})));
  }
  if (!machine.virtualisation.empty()) {
    parts.push_back(catalogue.render(message("report.virtual", {{"kind", machine.virtualisation}})));
  }
  return joined(parts);
}

}  // namespace jissoku::report
