// One product of our own engine, several times on one thread: what `./dev bench instructions` counts.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

#include "jissoku/backends/cpu/own_engine.hpp"

namespace {

using namespace jissoku;
using namespace jissoku::backends::cpu;

int run(const std::vector<std::int64_t>& numbers) {
  auto team = ThreadTeam::create(1, {});
  if (!team) {
    return 3;
  }
  const auto engine = make_own_engine(**team, *usable_kernels().front(), {});
  const std::int64_t m = numbers[0], n = numbers[1], k = numbers[2];
  std::vector<float> a(static_cast<std::size_t>(m * k), 0.5F), b(static_cast<std::size_t>(k * n), 2.0F);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  Product product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.a = a.data();
  product.lda = k;
  product.b = b.data();
  product.ldb = product.ldc = n;
  product.c = c.data();
  for (std::int64_t i = 0; i < numbers[3]; ++i) {
    if (!engine->multiply(product)) {
      return 3;
    }
  }
  const auto right = [k](float element) { return element == static_cast<float>(k); };
  if (!std::all_of(c.begin(), c.end(), right)) {
    std::fprintf(stderr, "wrong result\n");
    return 1;
  }
  std::printf("%s\n", engine->variant().kernel.c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::int64_t> numbers;
  for (int i = 1; i < count; ++i) {
    const std::string_view text = arguments[i];
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc() && end == text.data() + text.size() && number > 0) {
      numbers.push_back(number);
    }
  }
  if (count != 5 || numbers.size() != 4) {
    std::fprintf(stderr, "usage: bench_instructions M N K TIMES\n");
    return 2;
  }
  return run(numbers);
}
