#include "jissoku/backends/model/signature.hpp"

#include <type_traits>

#include "jissoku/backends/model/model_memory.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::model {
namespace {

/// Appends values as they lie in memory.
class Text {
 public:
  template <typename... Values>
  void add(const Values&... values) {
    static_assert((std::is_scalar_v<Values> && ...));
    (text_.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// False where repeating cannot be told.
bool add_view(Text& text, const device::NamedView& named) {
  const device::TensorView& view = *named.view;
  const auto* buffer = dynamic_cast<const ModelBuffer*>(view.buffer);
  if (buffer == nullptr || buffer->on_host() || view.scale_block != 0) {
    return false;
  }
  text.add(buffer->serial(),
           named.written ? std::uint64_t{0} : buffer->generation(),
           view.offset_elements,
           view.type,
           view.rows,
           view.columns,
           view.leading_dimension,
           view.batch,
           view.batch_stride);
  return true;
}

bool add_rest(Text& text, const device::Fill& op) {
  text.add(op.data, op.seed, op.magnitude, op.poison);
  return true;
}
bool add_rest(Text& text, const device::Gemm& op) {
  text.add(op.transpose_a, op.transpose_b, op.alpha, op.accumulator);
  return op.variant.empty() && op.beta == 0 && op.c.buffer != op.a.buffer && op.c.buffer != op.b.buffer;
}
bool add_rest(Text&, const device::Cast& op) {
  return op.in.buffer != op.out.buffer;
}
bool add_rest(Text&, const device::MemoryTriad& op) {
  return op.a.buffer != op.b.buffer && op.a.buffer != op.c.buffer;
}
template <typename Other>
bool add_rest(Text&, const Other&) {
  return false;
}

}  // namespace

std::string signature_of(const device::Operation& operation) {
  Text text;
  text.add(operation.index());
  if (!std::visit([&](const auto& op) { return add_rest(text, op); }, operation)) {
    return {};
  }
  for (const device::NamedView& named : device::views_of(operation)) {
    if (!add_view(text, named)) {
      return {};
    }
  }
  return text.take();
}

}  // namespace jissoku::backends::model
