#include "jissoku/numerics/verification_passes.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <thread>

namespace jissoku::numerics::detail {
namespace {

constexpr std::size_t kLanes = 8;              // independent sums, so that the loops vectorise
constexpr std::int64_t kLineGrain = 64;        // stored rows or columns per share, at least
constexpr double kIntegerLimit = 0x1p62;       // beyond it no conversion to int64 is attempted
constexpr std::int64_t kWorthThreads = 65536;  // elements; below it starting threads costs more

double larger(double left, double right) {
  return left < right ? right : left;
}

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

template <typename T>
const T* stored_row(const Matrix& matrix, std::int64_t row) {
  return static_cast<const T*>(matrix.stored.data) + row * matrix.stored.leading_dimension;
}

/// An integer as two's complement; clears `integer` (and gives 0) for anything else.
template <typename T>
std::uint64_t to_integer(T element, bool& integer) {
  const double value = static_cast<double>(element);
  const bool in_range = value > -kIntegerLimit && value < kIntegerLimit;  // false for NaN
  const auto whole = static_cast<std::int64_t>(in_range ? value : 0.0);
  integer = integer && in_range && static_cast<double>(whole) == value;
  return static_cast<std::uint64_t>(whole);
}

/// Rows [begin, end) of a matrix stored as it is read: one dot product per row.
template <typename T>
void sum_rows(
    const Matrix& matrix, std::span<const double> x, LineSums& out, std::int64_t begin, std::int64_t end) {
  const std::size_t columns = x.size();
  for (std::int64_t i = begin; i < end; ++i) {
    const T* row = stored_row<T>(matrix, i);
    double sums[kLanes] = {};
    double squares[kLanes] = {};
    double largest[kLanes] = {};
    std::size_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double value = static_cast<double>(row[j + lane]);
        sums[lane] += value * x[j + lane];
        squares[lane] += value * value;
        largest[lane] = larger(largest[lane], std::abs(value));
      }
    }
    for (; j < columns; ++j) {
      const double value = static_cast<double>(row[j]);
      sums[0] += value * x[j];
      squares[0] += value * value;
      largest[0] = larger(largest[0], std::abs(value));
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      out.sum[index(i)] += sums[lane];
      out.squares[index(i)] += squares[lane];
      out.largest[index(i)] = larger(out.largest[index(i)], largest[lane]);
    }
  }
}

/// Columns [begin, end) of the stored matrix, which are the rows that are read: the stored rows are
/// added up, so that memory is still streamed.
template <typename T>
void sum_columns(
    const Matrix& matrix, std::span<const double> x, LineSums& out, std::int64_t begin, std::int64_t end) {
  const std::size_t width = index(end - begin);
  double* sums = out.sum.data() + begin;
  double* squares = out.squares.data() + begin;
  double* largest = out.largest.data() + begin;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T* row = stored_row<T>(matrix, static_cast<std::int64_t>(i)) + begin;
    const double weight = x[i];
    for (std::size_t j = 0; j < width; ++j) {
      const double value = static_cast<double>(row[j]);
      sums[j] += value * weight;
      squares[j] += value * value;
      largest[j] = larger(largest[j], std::abs(value));
    }
  }
}

struct IntegerRange {
  double max_abs = 0;
  bool integers = true;
};

template <typename T>
IntegerRange integer_rows(const Matrix& matrix,
                          std::span<const std::uint64_t> x,
                          IntegerLineSums& out,
                          std::int64_t begin,
                          std::int64_t end) {
  IntegerRange range;
  for (std::int64_t i = begin; i < end; ++i) {
    const T* row = stored_row<T>(matrix, i);
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += to_integer(row[j], range.integers) * x[j];
      range.max_abs = larger(range.max_abs, std::abs(static_cast<double>(row[j])));
    }
    out.sum[index(i)] = sum;
  }
  return range;
}

template <typename T>
IntegerRange integer_columns(const Matrix& matrix,
                             std::span<const std::uint64_t> x,
                             IntegerLineSums& out,
                             std::int64_t begin,
                             std::int64_t end) {
  IntegerRange range;
  std::uint64_t* sums = out.sum.data() + begin;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T* row = stored_row<T>(matrix, static_cast<std::int64_t>(i)) + begin;
    for (std::size_t j = 0; j < index(end - begin); ++j) {
      sums[j] += to_integer(row[j], range.integers) * x[i];
      range.max_abs = larger(range.max_abs, std::abs(static_cast<double>(row[j])));
    }
  }
  return range;
}

/// Runs `pass(begin, end)` over shares of the lines of op(X).
template <typename Pass>
void over_lines(const Matrix& matrix, int threads, const Pass& pass) {
  const bool worth_it = matrix.rows() * matrix.columns() >= kWorthThreads;
  parallel_ranges(matrix.rows(), kLineGrain, worth_it ? threads : 1, pass);
}

}  // namespace

void parallel_ranges(std::int64_t count,
                     std::int64_t grain,
                     int threads,
                     const std::function<void(std::int64_t, std::int64_t)>& work) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t shares = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(grains, 1));
  const auto bound = [&](std::int64_t share) { return std::min(count, share * grains / shares * grain); };
  std::vector<std::thread> running;
  running.reserve(index(shares - 1));
  for (std::int64_t share = 1; share < shares; ++share) {
    try {
      running.emplace_back(work, bound(share), bound(share + 1));
    } catch (const std::exception&) {  // no more threads to be had
      work(bound(share), bound(share + 1));
    }
  }
  work(0, bound(1));
  for (std::thread& thread : running) {
    thread.join();
  }
}

double LineSums::largest_norm() const {
  return squares.empty() ? 0.0 : std::sqrt(*std::max_element(squares.begin(), squares.end()));
}

double LineSums::norm() const {
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

double LineSums::max_abs() const {
  return largest.empty() ? 0.0 : *std::max_element(largest.begin(), largest.end());
}

LineSums line_sums(const Matrix& matrix, std::span<const double> x, int threads) {
  LineSums out;
  out.sum.assign(index(matrix.rows()), 0.0);
  out.squares = out.largest = out.sum;
  const bool single = matrix.stored.type == DataType::f32;
  over_lines(matrix, threads, [&](std::int64_t begin, std::int64_t end) {
    if (matrix.transposed) {
      single ? sum_columns<float>(matrix, x, out, begin, end)
             : sum_columns<double>(matrix, x, out, begin, end);
    } else {
      single ? sum_rows<float>(matrix, x, out, begin, end) : sum_rows<double>(matrix, x, out, begin, end);
    }
  });
  return out;
}

IntegerLineSums integer_line_sums(const Matrix& matrix, std::span<const std::uint64_t> x, int threads) {
  IntegerLineSums out;
  out.sum.assign(index(matrix.rows()), 0);
  std::vector<IntegerRange> ranges(index(matrix.rows() / kLineGrain + 1));  // one per share, by its begin
  const bool single = matrix.stored.type == DataType::f32;
  over_lines(matrix, threads, [&](std::int64_t begin, std::int64_t end) {
    IntegerRange& range = ranges[index(begin / kLineGrain)];
    if (matrix.transposed) {
      range = single ? integer_columns<float>(matrix, x, out, begin, end)
                     : integer_columns<double>(matrix, x, out, begin, end);
    } else {
      range = single ? integer_rows<float>(matrix, x, out, begin, end)
                     : integer_rows<double>(matrix, x, out, begin, end);
    }
  });
  for (const IntegerRange& range : ranges) {
    out.max_abs = larger(out.max_abs, range.max_abs);
    out.integers = out.integers && range.integers;
  }
  return out;
}

}  // namespace jissoku::numerics::detail
