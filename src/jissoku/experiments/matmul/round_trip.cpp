#include "jissoku/experiments/matmul/round_trip.hpp"

#include <cstring>

#include "jissoku/device/host_fill.hpp"

namespace jissoku::experiments::matmul {
namespace {

device::CopyRange whole(device::Buffer& dst, device::Buffer& src) {
  return {&dst, 0, &src, 0, src.size_bytes()};
}

}  // namespace

core::Result<RoundTrip> RoundTrip::allocate(Session& session, const device::Gemm& gemm) {
  RoundTrip trip(session);
  trip.gemm_ = gemm;
  device::MemoryKind kind = device::MemoryKind::pinned;
  trip.memory_ = "pinned";
  if (!session.device->allocate(1, kind)) {
    kind = device::MemoryKind::pageable;
    trip.memory_ = "pageable";
  }
  struct Slot {
    const device::Buffer* like;
    std::unique_ptr<device::Buffer>* buffer;
  };
  for (const Slot& slot :
       {Slot{gemm.a.buffer, &trip.a_}, Slot{gemm.b.buffer, &trip.b_}, Slot{gemm.c.buffer, &trip.c_}}) {
    auto buffer = session.device->allocate(slot.like->size_bytes(), kind);
    if (!buffer) {
      return buffer.error();
    }
    // Pages that were never written would all be one page of zeros, which is copied out of a cache.
    std::memset((*buffer)->host_data(), 1, (*buffer)->size_bytes());
    *slot.buffer = std::move(*buffer);
  }
  return trip;
}

core::Status RoundTrip::take_operands() {
  for (const auto& [host, remote] :
       {std::pair{a_.get(), gemm_.a.buffer}, std::pair{b_.get(), gemm_.b.buffer}}) {
    if (auto copied = copy_and_wait(*session_, *host, *remote, host->size_bytes()); !copied) {
      return copied;
    }
  }
  if (gemm_.beta != 0) {
    return copy_and_wait(*session_, *c_, *gemm_.c.buffer, c_->size_bytes());
  }
  poison_c();
  return {};
}

void RoundTrip::poison_c() const {
  device::Fill fill;
  fill.out = gemm_.c;
  fill.out.buffer = c_.get();
  fill.poison = true;
  device::fill_host(fill, 1);
}

std::vector<Step> RoundTrip::steps(const device::Gemm& gemm) const {
  std::vector<Step> steps = {whole(*gemm.a.buffer, *a_), whole(*gemm.b.buffer, *b_)};
  if (gemm.beta != 0) {
    steps.emplace_back(whole(*gemm.c.buffer, *c_));
  }
  steps.emplace_back(device::Operation(gemm));
  steps.emplace_back(whole(*c_, *gemm.c.buffer));
  return steps;
}

}  // namespace jissoku::experiments::matmul
