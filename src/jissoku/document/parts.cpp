#include "jissoku/document/parts.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace jissoku::document {
namespace {

/// Replaces the first item that is the same thing as `item`, else appends.
template <typename Item, typename IsSame>
void put(std::vector<Item>& items, Item item, IsSame&& is_same) {
  const auto earlier = std::find_if(items.begin(), items.end(), is_same);
  if (earlier == items.end()) {
    items.push_back(std::move(item));
  } else {
    *earlier = std::move(item);
  }
}

/// Whether `later` says again what `earlier` said, perhaps resting on more rows.
bool covers(const Finding& later, const Finding& earlier) {
  if (later.id != earlier.id) {
    return false;
  }
  if (earlier.rows.empty()) {
    return later.rows.empty() && later.message == earlier.message;
  }
  return std::all_of(earlier.rows.begin(), earlier.rows.end(), [&](const std::string& row) {
    return std::find(later.rows.begin(), later.rows.end(), row) != later.rows.end();
  });
}

template <typename Item>
void put_by_id(std::vector<Item>& items, Item item) {
  const std::string id = item.id;
  put(items, std::move(item), [&](const Item& other) { return other.id == id; });
}

template <typename Item>
void put_by_id_and_device(std::vector<Item>& items, Item item) {
  const std::string id = item.id, device = item.device;
  put(items, std::move(item), [&](const Item& other) { return other.id == id && other.device == device; });
}

struct AddPart {
  Document& document;

  void operator()(Header part) const { document.header = std::move(part); }
  void operator()(NoiseFloor part) const { document.noise_floor = part.relative; }
  void operator()(Plan part) const {
    for (PlannedCase& planned : part) {
      put_by_id(document.plan, std::move(planned));
    }
  }
  void operator()(Row part) const { put_by_id(document.rows, std::move(part)); }
  void operator()(Fit part) const { put_by_id_and_device(document.fits, std::move(part)); }
  void operator()(Series part) const { put_by_id_and_device(document.series, std::move(part)); }
  void operator()(Attachment part) const { put_by_id(document.attachments, std::move(part)); }
  void operator()(Finding part) const {
    const Finding later = part;
    put(document.findings, std::move(part), [&](const Finding& earlier) { return covers(later, earlier); });
  }
};

}  // namespace

void add_part(Document& document, Part part) {
  std::visit(AddPart{document}, std::move(part));
}

std::vector<Part> parts_of(const Document& document) {
  std::vector<Part> parts = {document.header};
  if (!document.plan.empty()) {
    parts.emplace_back(document.plan);
  }
  if (document.noise_floor != 0) {
    parts.emplace_back(NoiseFloor{document.noise_floor});
  }
  const auto add = [&](const auto& items) { parts.insert(parts.end(), items.begin(), items.end()); };
  add(document.rows);
  add(document.fits);
  add(document.series);
  add(document.attachments);
  add(document.findings);
  return parts;
}

}  // namespace jissoku::document
