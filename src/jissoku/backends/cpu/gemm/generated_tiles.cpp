#include "jissoku/backends/cpu/gemm/generated_tiles.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <mutex>
#include <sys/mman.h>
#include <type_traits>

#define XBYAK_NO_EXCEPTION
#include <xbyak/xbyak.h>
#include <xbyak/xbyak_util.h>

namespace jissoku::backends::cpu::gemm {
namespace {

using Xbyak::Address;
using Xbyak::Label;
using Xbyak::Reg64;
using Xbyak::Xmm;
using Xbyak::Ymm;
using Xbyak::Zmm;

constexpr int kMaxRows = 12;        // what three registers and the addressing modes reach; see a_element()
constexpr int kMaxCopyingRows = 9;  // rows 9 and 11 need the registers of far_ and copy_
constexpr int kUnroll = 4;          // steps of the depth in one turn of the loop: more brought nothing
constexpr int kLine = 64;
/// Steps ahead that a copying kernel fetches b, which comes from far. Packed b is left to the hardware:
/// to fetch it as well cost 1 to 3 %.
constexpr int kStepsAhead = 32;
constexpr std::size_t kCodeBytes = 16384;  // the largest kernel has 7000

/// For AVX2's masks: `lanes` lanes are on from element 8 - lanes (FP32) or 4 - lanes (FP64) of these.
alignas(kLine) constexpr std::array<std::int32_t, 16> kMask32 = {-1, -1, -1, -1, -1, -1, -1, -1};
alignas(kLine) constexpr std::array<std::int64_t, 8> kMask64 = {-1, -1, -1, -1};

/// Memory for code, which is written first and executed then: never both at a time.
class CodeMemory {
 public:
  CodeMemory() {
    void* const memory =
        mmap(nullptr, kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = memory == MAP_FAILED ? nullptr : memory;
  }
  ~CodeMemory() {
    if (memory_ != nullptr) {
      munmap(memory_, kCodeBytes);
    }
  }
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  void* get() const { return memory_; }  ///< null if there is no memory
  /// False if the system does not let memory be executed.
  bool make_executable() { return mprotect(memory_, kCodeBytes, PROT_READ | PROT_EXEC) == 0; }

 private:
  void* memory_ = nullptr;
};

/// Writes the kernel of one form into `memory`, of kCodeBytes.
template <typename T>
class TileWriter final : public Xbyak::CodeGenerator {
 public:
  TileWriter(const TileTarget& target, const TileForm& form, void* memory)
      : CodeGenerator(kCodeBytes, memory), target_(target), wide_(target.isa == Isa::avx512), form_(form) {
    write();
    ready();
  }

 private:
  static constexpr bool kDouble = std::is_same_v<T, double>;
  static constexpr bool kInteger = std::is_same_v<T, std::int32_t>;
  static constexpr int kBytes = sizeof(T);
  using Call = TileCall<T>;

  // rdi points to the call. Of the registers for the strides of a, only those are set that the rows need.
  const Reg64 a_ = rax, b_ = rdx, steps_ = rcx, turns_ = r8, c_row_ = r9, c_line_ = rsi, a_step_ = r15,
              b_step_ = rbp;
  const Reg64 row1_ = r10, row3_ = r11, row5_ = rbx, row7_ = r12, row9_ = r13, row11_ = r14;
  const Reg64 far_ = r13, copy_ = r14;

  int vector_bytes() const { return wide_ ? 64 : 32; }
  int registers() const { return wide_ ? 32 : 16; }
  Xmm vector(int index) const { return wide_ ? Xmm(Zmm(index)) : Xmm(Ymm(index)); }
  // Sums from the top, then b from the bottom, the AVX2 mask, and what is left for elements of a.
  Xmm sum(int row, int v) const { return vector(registers() - 1 - (row * form_.vectors + v)); }
  Xmm b_vector(int v) const { return vector(v); }
  Xmm mask() const { return vector(form_.vectors); }
  bool has_mask_register() const { return form_.partial && !wide_; }
  Xmm a_broadcast(int row) const {
    const int first = form_.vectors + (has_mask_register() ? 1 : 0) + (adds_apart() ? 1 : 0);
    const int room = registers() - form_.rows * form_.vectors - first;
    return vector(first + row % std::min(room, 4));
  }
  /// For the products of pairs, which are added apart.
  Xmm product() const { return vector(form_.vectors + (has_mask_register() ? 1 : 0)); }
  /// Of the registers that hold neither sums nor the mask, the one of that number; there are at least two.
  Xmm free_vector(int number) const {
    return vector(number + (has_mask_register() && number >= form_.vectors ? 1 : 0));
  }
  bool adds_apart() const { return kInteger && target_.dot == Dot::pairs; }
  bool is_partial(int v) const { return form_.partial && v == form_.vectors - 1; }

  Address field(std::size_t offset) { return ptr[rdi + offset]; }
  Address at(const Xbyak::RegExp& place, int bytes) { return ptr[place + static_cast<std::size_t>(bytes)]; }

  /// Row i of a: the base plus i strides, with one, three, five ... of them in registers.
  Address a_element(int row) {
    switch (row) {
      case 0:
        return ptr[a_];
      case 1:
        return ptr[a_ + row1_];
      case 2:
        return ptr[a_ + row1_ * 2];
      case 3:
        return ptr[a_ + row3_];
      case 4:
        return ptr[a_ + row1_ * 4];
      case 5:
        return ptr[a_ + row5_];
      case 6:
        return ptr[a_ + row3_ * 2];
      case 7:
        return ptr[a_ + row7_];
      case 8:
        return ptr[a_ + row1_ * 8];
      case 9:
        return ptr[a_ + row9_];
      case 10:
        return ptr[a_ + row5_ * 2];
      default:
        return ptr[a_ + row11_];
    }
  }

  void load_arguments() {
    mov(steps_, field(offsetof(Call, depth)));
    mov(a_, field(offsetof(Call, a)));
    mov(b_, field(offsetof(Call, b)));
    mov(c_line_, field(offsetof(Call, c)));
    mov(c_row_, field(offsetof(Call, c_row)));
    mov(a_step_, field(offsetof(Call, a_step)));
    mov(b_step_, field(offsetof(Call, b_step)));
    mov(row1_, field(offsetof(Call, a_row)));
    const int rows = form_.rows;
    if (rows > 3) {
      lea(row3_, ptr[row1_ + row1_ * 2]);
    }
    if (rows > 5) {
      lea(row5_, ptr[row1_ + row1_ * 4]);
    }
    if (rows > 7) {
      lea(row7_, ptr[row3_ + row1_ * 4]);
    }
    if (rows > 9) {
      lea(row9_, ptr[row1_ + row1_ * 8]);
    }
    if (rows > 11) {
      lea(row11_, ptr[row3_ + row1_ * 8]);
    }
    if (form_.copies) {
      imul(far_, b_step_, kStepsAhead);
      mov(copy_, field(offsetof(Call, b_copy)));
    }
    if (form_.partial) {
      load_mask();
    }
  }

  void load_mask() {
    if (wide_) {
      mov(r8, field(offsetof(Call, last_lanes)));
      mov(rcx, r8);
      mov(r8d, 1);
      shl(r8, cl);
      dec(r8);
      kmovw(k1, r8d);
      mov(steps_, field(offsetof(Call, depth)));
      return;
    }
    const auto table = kDouble ? reinterpret_cast<std::uintptr_t>(&kMask64[4])
                               : reinterpret_cast<std::uintptr_t>(&kMask32[8]);
    mov(r8, field(offsetof(Call, last_lanes)));
    neg(r8);
    mov(rbp, static_cast<std::uint64_t>(table));
    vmovups(mask(), ptr[rbp + r8 * kBytes]);
    mov(b_step_, field(offsetof(Call, b_step)));
  }

  /// Integers start from the row behind the last step of b.
  void load_sums() {
    mov(r8, steps_);
    imul(r8, b_step_);
    for (int v = 0; v < form_.vectors; ++v) {
      for (int row = 0; row < form_.rows; ++row) {
        vmovups(sum(row, v), at(b_ + r8, v * vector_bytes()));
      }
    }
  }

  void clear_sums() {
    for (int row = 0; row < form_.rows; ++row) {
      for (int v = 0; v < form_.vectors; ++v) {
        const Ymm half(sum(row, v).getIdx());  // clears the upper half as well
        if (wide_) {
          vpxord(Zmm(half.getIdx()), Zmm(half.getIdx()), Zmm(half.getIdx()));
        } else {
          vxorps(half, half, half);
        }
      }
    }
  }

  /// A vector of memory; zeros in the lanes that do not exist.
  void load(const Xmm& to, const Address& from, bool partial) {
    if (!partial) {
      vmovups(to, from);
    } else if (wide_) {
      kDouble ? vmovupd(Zmm(to.getIdx()) | k1 | T_z, from) : vmovups(Zmm(to.getIdx()) | k1 | T_z, from);
    } else {
      kDouble ? vmaskmovpd(to, mask(), from) : vmaskmovps(to, mask(), from);
    }
  }

  void store(const Address& to, const Xmm& from, bool partial) {
    if (!partial) {
      vmovups(to, from);
    } else if (wide_) {
      kDouble ? vmovupd(to | k1, Zmm(from.getIdx())) : vmovups(to | k1, Zmm(from.getIdx()));
    } else {
      kDouble ? vmaskmovpd(to, mask(), from) : vmaskmovps(to, mask(), from);
    }
  }

  void broadcast(const Xmm& to, const Address& from) {
    if (kDouble) {
      wide_ ? vbroadcastsd(Zmm(to.getIdx()), from) : vbroadcastsd(Ymm(to.getIdx()), from);
    } else {
      vbroadcastss(to, from);
    }
  }

  void add_product(const Xmm& to, const Xmm& a, const Xmm& b) {
    if (adds_apart()) {
      vpmaddwd(product(), a, b);
      vpaddd(to, to, product());
    } else if (kInteger) {
      vpdpbusd(to, a, b, target_.vex_dot ? Xbyak::VexEncoding : Xbyak::EvexEncoding);
    } else {
      kDouble ? vfmadd231pd(to, a, b) : vfmadd231ps(to, a, b);
    }
  }

  /// One step of the depth.
  void step() {
    for (int v = 0; v < form_.vectors; ++v) {
      load(b_vector(v), at(b_, v * vector_bytes()), is_partial(v));
    }
    for (int line = 0; form_.copies && line < form_.vectors * vector_bytes(); line += kLine) {
      prefetcht0(at(b_ + far_, line));
    }
    for (int row = 0; row < form_.rows; ++row) {
      const Xmm factor = a_broadcast(row);
      broadcast(factor, a_element(row));
      for (int v = 0; v < form_.vectors; ++v) {
        add_product(sum(row, v), factor, b_vector(v));
      }
    }
    if (form_.copies) {
      for (int v = 0; v < form_.vectors; ++v) {
        vmovups(at(copy_, v * vector_bytes()), b_vector(v));
      }
      add(copy_, static_cast<unsigned>(form_.vectors * vector_bytes()));
    }
    add(a_, a_step_);
    add(b_, b_step_);
  }

  void prefetch_c_row() {
    for (int line = 0; line < form_.vectors * vector_bytes(); line += kLine) {
      prefetcht0(at(c_line_, line));
    }
    add(c_line_, c_row_);
  }

  /// The first turns fetch c as well, two rows each, so that it is there at the end and the fetches do not
  /// crowd out those of b.
  void multiply() {
    Label turns_with_c, plain, turns, rest, single, done;
    mov(turns_, steps_);
    shr(turns_, 2);
    static_assert(kUnroll == 4);
    and_(steps_, kUnroll - 1);
    const auto c_turns = static_cast<unsigned>((form_.rows + 1) / 2);
    cmp(turns_, c_turns);
    jl(plain, T_NEAR);
    sub(turns_, c_turns);
    push(rdi);
    mov(edi, c_turns);
    align(32);
    L(turns_with_c);
    for (int i = 0; i < kUnroll; ++i) {
      step();
      if (i % 2 == 1) {
        prefetch_c_row();
      }
    }
    dec(edi);
    jnz(turns_with_c, T_NEAR);
    pop(rdi);
    L(plain);
    test(turns_, turns_);
    jz(rest, T_NEAR);
    align(32);
    L(turns);
    for (int i = 0; i < kUnroll; ++i) {
      step();
    }
    dec(turns_);
    jnz(turns, T_NEAR);
    L(rest);
    test(steps_, steps_);
    jz(done, T_NEAR);
    L(single);
    step();
    dec(steps_);
    jnz(single, T_NEAR);
    L(done);
  }

  /// Integers: alpha is 1, and beta 0 or 1.
  void update_integers() {
    Label unread, done;
    mov(c_line_, field(offsetof(Call, c)));
    cmp(dword[rdi + offsetof(Call, beta)], 0);
    je(unread, T_NEAR);
    const Xmm one = free_vector(0);
    write_c(&one);
    jmp(done, T_NEAR);
    L(unread);
    write_c(nullptr);
    L(done);
  }

  void update_c() {
    Label scaled, unread, done;
    const Xmm factor = free_vector(0);
    mov(c_line_, field(offsetof(Call, c)));
    if (kDouble) {
      mov(rax, field(offsetof(Call, alpha)));
      mov(rdx, std::bit_cast<std::uint64_t>(1.0));
      cmp(rax, rdx);
    } else {
      cmp(dword[rdi + offsetof(Call, alpha)], std::bit_cast<std::uint32_t>(1.0F));
    }
    je(scaled, T_NEAR);
    broadcast(factor, field(offsetof(Call, alpha)));
    for (int row = 0; row < form_.rows; ++row) {
      for (int v = 0; v < form_.vectors; ++v) {
        scale(sum(row, v), factor);
      }
    }
    L(scaled);
    const Xbyak::Reg bits = kDouble ? Xbyak::Reg(rax) : Xbyak::Reg(eax);
    mov(bits, field(offsetof(Call, beta)));
    add(bits, bits);  // shifts the sign out
    jz(unread, T_NEAR);
    broadcast(factor, field(offsetof(Call, beta)));
    write_c(&factor);
    jmp(done, T_NEAR);
    L(unread);
    write_c(nullptr);
    L(done);
  }

  /// Stores the sums; with beta, adds the old c.
  void write_c(const Xmm* beta) {
    for (int row = 0; row < form_.rows; ++row) {
      for (int v = 0; v < form_.vectors; ++v) {
        if (beta != nullptr) {
          add_c(row, v, *beta);
        }
        store(at(c_line_, v * vector_bytes()), sum(row, v), is_partial(v));
      }
      add(c_line_, c_row_);
    }
  }

  void scale(const Xmm& value, const Xmm& alpha) {
    kDouble ? vmulpd(value, value, alpha) : vmulps(value, value, alpha);
  }

  /// sum += beta * c, the product not rounded by itself.
  void add_c(int row, int v, const Xmm& beta) {
    const Address place = at(c_line_, v * vector_bytes());
    if (kInteger) {
      const Xmm old = free_vector(1);
      load(old, place, is_partial(v));
      vpaddd(sum(row, v), sum(row, v), old);
      return;
    }
    if (!is_partial(v)) {
      kDouble ? vfmadd231pd(sum(row, v), beta, place) : vfmadd231ps(sum(row, v), beta, place);
      return;
    }
    const Xmm old = free_vector(1);
    load(old, place, true);
    kDouble ? vfmadd231pd(sum(row, v), beta, old) : vfmadd231ps(sum(row, v), beta, old);
  }

  void write() {
    const std::array<Reg64, 6> saved = {rbx, rbp, r12, r13, r14, r15};
    for (const Reg64& reg : saved) {
      push(reg);
    }
    load_arguments();
    kInteger ? load_sums() : clear_sums();
    multiply();
    kInteger ? update_integers() : update_c();
    vzeroupper();
    for (auto reg = saved.rbegin(); reg != saved.rend(); ++reg) {
      pop(*reg);
    }
    ret();
  }

  const TileTarget target_;
  const bool wide_;
  const TileForm form_;
};

template <typename T>
class GeneratedTiles final : public TileSource<T> {
 public:
  explicit GeneratedTiles(const TileTarget& target) : target_(target), isa_(target.isa) {}

  int lanes() const override { return (isa_ == Isa::avx512 ? 64 : 32) / static_cast<int>(sizeof(T)); }
  int max_vectors() const override { return isa_ == Isa::avx512 ? 4 : 2; }
  /// 24 sums of 32 registers with AVX-512, 12 of 16 with AVX2: what b and a need is left over, and there is
  /// more in flight than latency times throughput of the multiply-add (4 cycles, 2 units).
  int max_rows(int vectors) const override {
    const bool adds_apart = std::is_same_v<T, std::int32_t> && target_.dot == Dot::pairs;
    const int narrow_sums = adds_apart ? 10 : 12;  // one register for the products
    return std::min(kMaxRows, (isa_ == Isa::avx512 ? 24 : narrow_sums) / vectors);
  }
  int max_copying_rows() const override { return kMaxCopyingRows; }

  Tile<T> tile(const TileForm& form) override {
    Slot& slot = slots_[index(form)];
    if (Tile<T> entry = slot.entry.load(std::memory_order_acquire)) {
      return entry;
    }
    const std::lock_guard lock(building_);
    if (!slot.memory) {
      auto memory = std::make_unique<CodeMemory>();
      if (memory->get() == nullptr) {
        return nullptr;
      }
      const TileWriter<T> written(target_, form, memory->get());
      if (!memory->make_executable()) {
        return nullptr;
      }
      slot.memory = std::move(memory);
      slot.entry.store(reinterpret_cast<Tile<T>>(slot.memory->get()), std::memory_order_release);
    }
    return slot.entry.load(std::memory_order_relaxed);
  }

 private:
  static constexpr int kMaxVectors = 4;

  struct Slot {
    std::atomic<Tile<T>> entry{nullptr};
    std::unique_ptr<CodeMemory> memory;
  };

  static std::size_t index(const TileForm& form) {
    const int number = ((form.rows - 1) * kMaxVectors + form.vectors - 1) * 4;
    return static_cast<std::size_t>(number + (form.partial ? 2 : 0) + (form.copies ? 1 : 0));
  }

  const TileTarget target_;
  const Isa isa_;
  std::mutex building_;
  std::array<Slot, std::size_t{kMaxRows} * kMaxVectors * 4> slots_;
};

}  // namespace

TileTarget integer_target(Isa isa) {
  using Xbyak::util::Cpu;
  const Cpu cpu;
  if (isa == Isa::avx512 && cpu.has(Cpu::tAVX512BW)) {
    return {isa, cpu.has(Cpu::tAVX512_VNNI) ? Dot::quads : Dot::pairs, false};
  }
  const bool vnni = cpu.has(Cpu::tAVX_VNNI);
  return {std::min(isa, Isa::avx2), vnni ? Dot::quads : Dot::pairs, vnni};
}

template <typename T>
std::unique_ptr<TileSource<T>> make_generated_tiles(const TileTarget& target) {
  if (target.isa == Isa::baseline) {
    return nullptr;
  }
  auto tiles = std::make_unique<GeneratedTiles<T>>(target);
  return tiles->tile({}) != nullptr ? std::move(tiles) : nullptr;
}

#else

namespace jissoku::backends::cpu::gemm {

TileTarget integer_target(Isa isa) {
  return {isa, Dot::pairs, false};
}

template <typename T>
std::unique_ptr<TileSource<T>> make_generated_tiles(const TileTarget&) {
  return nullptr;
}

#endif

template std::unique_ptr<TileSource<float>> make_generated_tiles<float>(const TileTarget&);
template std::unique_ptr<TileSource<double>> make_generated_tiles<double>(const TileTarget&);
template std::unique_ptr<TileSource<std::int32_t>> make_generated_tiles<std::int32_t>(const TileTarget&);

}  // namespace jissoku::backends::cpu::gemm
