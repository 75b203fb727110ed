// From raw Chrome events to the event model.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/timeline/importers/chrome_categories.hpp"
#include "jissoku/timeline/importers/chrome_event.hpp"
#include "jissoku/timeline/importers/trace_builder.hpp"

namespace jissoku::timeline::importers {

class ChromeEvents : public ArgsChooser {
 public:
  explicit ChromeEvents(Timeline& timeline) : timeline_(timeline), builder_(timeline) {}

  ArgsWanted wanted(const RawEvent& event) override;
  void add(const RawEvent& event);
  /// After the last event: names of lanes, open ranges, devices known by their process name only.
  void finish();

 private:
  struct Open {
    StringId name;
    std::int64_t start_ns;
    CategoryRule rule;
  };

  StringId intern(const Text& text);
  Tag tag_of(const RawTag& raw);
  const CategoryRule& rule_of_event(const RawEvent& event);
  void add_complete(const RawEvent& event, const CategoryRule& rule);
  void add_device(const RawEvent& event, const CategoryRule& rule, StringId name);
  void add_instant(const RawEvent& event);
  void add_metadata(const RawEvent& event);
  void add_begin_or_end(const RawEvent& event);
  void name_lanes();
  void find_devices_by_name();

  Timeline& timeline_;
  TraceBuilder builder_;
  std::string last_category_;
  CategoryRule last_rule_;
  std::map<std::uint32_t, std::vector<Open>> open_;  ///< B without E yet, by lane
  std::map<std::pair<std::int64_t, std::int64_t>, StringId> thread_names_;
  std::map<std::int64_t, StringId> process_names_, process_labels_;
};

}  // namespace jissoku::timeline::importers
