// The tensors of an operation by name, so that checks, counts and fakes need not know each struct.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "jissoku/device/operation.hpp"

namespace jissoku::device {

struct NamedView {
  const char* name = "";  ///< of the struct's member
  const TensorView* view = nullptr;
  bool written = false;  ///< the operation changes it
};

/// At most four; iterable. Points into the operation, which must outlive it.
class NamedViews {
 public:
  NamedViews() = default;
  NamedViews(std::initializer_list<NamedView> views) {
    for (const NamedView& view : views) {
      views_[size_++] = view;
    }
  }
  const NamedView* begin() const { return views_.data(); }
  const NamedView* end() const { return views_.data() + size_; }

 private:
  std::array<NamedView, 4> views_{};
  std::size_t size_ = 0;
};

/// In the order of the struct's members; none for operations without tensors.
NamedViews views_of(const Operation& operation);

/// Elements from a view's first to just past its last one, all batches, padding between rows
/// included, offset not; nullopt if that is no 64-bit number or a dimension is not positive.
std::optional<std::int64_t> extent_elements(const TensorView& view);

/// Bytes of the view's logical elements and their block scales, each batch once; a batch stride of 0
/// (one matrix used by all) counts once.
double logical_bytes(const TensorView& view);

}  // namespace jissoku::device
