// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// csr_spmm() promises the order of summation: every result is compared bit by bit with a serial product in that order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <tessera/common/Complex.hpp>
#include <tuple>
#include <vector>

#include "DeviceMemory.hpp"
#include "csr/ColumnKernel.hpp"
#include "csr/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {
namespace {

using Test::OnDevice;

// --- the serial product
// -----------------------------------------------------------------------------------------------

template <class Real>
Real fused(Real a, Real b, Real c) {
  return std::fma(a, b, c);
}
template <class Real>
Complex<Real> fused(Complex<Real> a, Complex<Real> b, Complex<Real> c) {
  return {fused(-a.im, b.im, fused(a.re, b.re, c.re)), fused(a.im, b.re, fused(a.re, b.im, c.im))};
}
template <class Real>
Real multiplied(Real a, Real b) {
  return a * b;
}
template <class Real>
Complex<Real> multiplied(Complex<Real> a, Complex<Real> b) {
  return {fused(-a.im, b.im, multiplied(a.re, b.re)), fused(a.im, b.re, multiplied(a.re, b.im))};
}

/// Adds the sums of a row's pieces, every lines-th first.
template <class Sum>
Sum sum_of_pieces(const std::vector<Sum>& pieces, std::size_t lines) {
  Sum sum(0);
  for (std::size_t line = 0; line < std::min(lines, pieces.size()); ++line) {
    Sum of_line = pieces[line];
    for (std::size_t p = line + lines; p < pieces.size(); p += lines) of_line = of_line + pieces[p];
    sum = line == 0 ? of_line : sum + of_line;
  }
  return sum;
}

template <class M, class V>
sum_of_t<V> serial_sum(const CsrPattern<Offset>& A, const Product<M, V>& p, const CsrScheduleSize& size, int row,
                       int column) {
  const int piece_length = size.piece_length;
  using Sum = sum_of_t<V>;
  std::vector<Sum> parts;
  const Offset begin = A.row_offsets[row], end = A.row_offsets[row + 1];
  for (Offset piece = begin; piece < end; piece += Offset(piece_length)) {
    Sum part(0);
    for (Offset k = piece; k < std::min(Offset(piece + Offset(piece_length)), end); ++k) {
      const int c = A.column_indices[k];
      const Sum a(p.conjugate_values ? conjugate(p.values[k]) : p.values[k]);
      part = fused(a, Sum(p.x(p.x_rows == nullptr ? c : p.x_rows[c], column)), part);
    }
    parts.push_back(part);
  }
  return sum_of_pieces(parts, size.lines_of_pieces());
}

/// Computes Y in place.
template <class M, class V>
void serial_product(const CsrPattern<Offset>& A, const Product<M, V>& p, int piece_length) {
  const CsrScheduleSize size = count_csr_schedule(A, piece_length);
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < p.y.columns; ++j) {
      V& y = p.y(p.y_rows == nullptr ? i : p.y_rows[i], j);
      using Sum = sum_of_t<V>;
      const Sum scaled = multiplied(p.alpha, serial_sum(A, p, size, i, j));
      y = V(p.beta == Sum(0) ? scaled : fused(p.beta, Sum(y), scaled));
    }
  }
}

// --- random problems
// --------------------------------------------------------------------------------------------------

std::mt19937_64 random_bits(20);

template <class Scalar>
Scalar random_scalar() {
  using Real = real_of_t<Scalar>;
  const auto real = [] { return static_cast<Real>(static_cast<double>(random_bits() >> 11) * 0x1p-52 - 1.0); };
  if constexpr (is_complex_v<Scalar>) {
    const Real re = real();
    return {re, real()};
  } else {
    return real();
  }
}

/// Returns a number that is not finite.
template <class Scalar>
Scalar special(double number) {
  return Scalar(static_cast<real_of_t<Scalar>>(number));
}
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

std::vector<int> random_order(int size) {
  std::vector<int> order(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), random_bits);
  return order;
}

template <class M>
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<Offset> row_offsets{0};
  std::vector<int> column_indices;
  std::vector<M> values;

  /// Makes rows of these lengths, at random columns.
  Matrix(int columns_, const std::vector<int>& lengths) : rows(static_cast<int>(lengths.size())), columns(columns_) {
    for (const int length : lengths) {
      std::vector<int> row = random_order(columns);
      row.resize(static_cast<std::size_t>(length));
      std::sort(row.begin(), row.end());
      column_indices.insert(column_indices.end(), row.begin(), row.end());
      row_offsets.push_back(static_cast<Offset>(column_indices.size()));
    }
    values.resize(column_indices.size());
    for (M& value : values) value = random_scalar<M>();
  }
  CsrPattern<Offset> pattern() const { return {rows, columns, row_offsets.data(), column_indices.data()}; }
};

enum class Layout { Right, PaddedRight, Left, PaddedLeft, Scattered };
constexpr Layout every_layout[] = {Layout::Right, Layout::PaddedRight, Layout::Left, Layout::PaddedLeft,
                                   Layout::Scattered};

/// A multivector with NaN in its gaps and in the `shift` elements before it.
template <class Scalar>
struct Dense {
  Multivector<Scalar> view;  // memory on the host
  std::ptrdiff_t shift;
  std::vector<Scalar> memory;

  Dense(int rows, int columns, Layout layout, int shift_) : shift(shift_) {
    const bool left = layout == Layout::Left || layout == Layout::PaddedLeft;
    const int gap = layout == Layout::Left || layout == Layout::Right ? 0 : 4;
    view = {nullptr, rows, columns, left ? 1 : columns + gap, left ? rows + gap : 1};
    if (layout == Layout::Scattered) view.row_stride = 2, view.column_stride = 2 * rows + 1;
    const auto extent = [](int n, std::ptrdiff_t stride) { return n > 0 ? (n - 1) * stride : 0; };
    const auto size = shift + extent(rows, view.row_stride) + extent(columns, view.column_stride) + 1;
    memory.assign(static_cast<std::size_t>(size), special<Scalar>(nan));
    view.data = memory.data() + shift;
  }
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;

  void randomize() {
    for (int i = 0; i < view.rows; ++i)
      for (int j = 0; j < view.columns; ++j) view(i, j) = random_scalar<Scalar>();
  }
  /// Returns the same view of memory that begins elsewhere.
  template <class Element>
  Multivector<Element> at(Element* data) const {
    return {data + shift, view.rows, view.columns, view.row_stride, view.column_stride};
  }
};

/// Whether two numbers are equal. NaN equals NaN.
template <class Scalar>
bool same(Scalar a, Scalar b) {
  if constexpr (is_complex_v<Scalar>) {
    return same(a.re, b.re) && same(a.im, b.im);
  } else {
    return std::memcmp(&a, &b, sizeof(Scalar)) == 0 || (a != a && b != b);
  }
}

struct Options {
  int columns = 1;
  Layout x_layout = Layout::Right, y_layout = Layout::Right;
  int shift = 0;          // offset of X and Y from an aligned address, in elements
  int entries_shift = 0;  // offset of the entries of A from an aligned address, in elements
  bool conjugate_values = false, scatter = false, permute_x = false;
  bool overwrite = true;  // beta = 0
  const CsrPolicy* policy = nullptr;
  int piece_length = 64;
  bool schedule_of_device = false;
  bool little_scratch = false;      // only as much scratch memory as elements of A's type need
  bool packs_if_small = true;       // packs X although A is small
  bool infinite_rest = false;       // rows of X that no entry uses are infinite
  std::ptrdiff_t x_row_stride = 0;  // row stride of X if it is not 0; X then has one row
  bool keeps_order = true;          // CsrScheduleSize::keeps_order
  bool whole_numbers = false;       // so that sums in all orders are exact, if they are not too large

  std::string text() const {
    return std::to_string(columns) + " columns, layouts " + std::to_string(int(x_layout)) + " and " +
           std::to_string(int(y_layout)) + ", shift " + std::to_string(shift) + ", of A " +
           std::to_string(entries_shift) + ", conjugate " + std::to_string(conjugate_values) + ", scatter " +
           std::to_string(scatter) + ", x_rows " + std::to_string(permute_x) + ", beta = 0 " +
           std::to_string(overwrite) + ", piece " + std::to_string(piece_length) +
           (little_scratch ? ", little scratch" : "") + (packs_if_small ? "" : ", packs nothing small") +
           (infinite_rest ? ", infinite rest" : "") + (keeps_order ? "" : ", any order") +
           (policy == nullptr
                ? ""
                : ", policy of " + std::to_string(policy->lanes) + " lanes, " + std::to_string(policy->vectors) +
                      " vectors, " + std::to_string(policy->rounds) + " rounds, " + std::to_string(policy->threads) +
                      " threads" + (policy->eager ? ", eager" : "") + (policy->tiles ? ", tiles" : "") +
                      (policy->blocks ? ", blocks" : ""));
  }
};

std::vector<int> schedule_memory_of_device(const CsrPattern<Offset>& A, const CsrScheduleSize& size) {
  const OnDevice<unsigned long long> counter{std::vector<unsigned long long>(1)};
  const OnDevice<int> memory(std::vector<int>(size.memory_size(), -1));
  fill_csr_schedule(nullptr, A, size, counter.data(), memory.data());
  return memory.to_host();
}

/// Returns the array after `shift` elements that are never read.
template <class T>
std::vector<T> shifted(std::vector<T> array, int shift, T unread) {
  array.insert(array.begin(), static_cast<std::size_t>(shift), unread);
  return array;
}

/// Returns the memory of Y after the GPU's product, gaps included.
template <class M, class V>
std::vector<V> gpu_product(const Matrix<M>& A, const Product<M, V>& host, const Dense<V>& x, const Dense<V>& y,
                           const Options& options, const std::vector<int>& y_rows, const std::vector<int>& x_rows) {
  const OnDevice<Offset> row_offsets(A.row_offsets);
  const OnDevice<int> device_y_rows(y_rows), device_x_rows(x_rows);
  const int entries_shift = options.entries_shift;
  const OnDevice<int> column_indices(shifted(A.column_indices, entries_shift, std::numeric_limits<int>::min()));
  const OnDevice<M> values(shifted(A.values, entries_shift, special<M>(nan)));
  const OnDevice<V> device_x(x.memory), device_y(y.memory);
  const CsrPattern<Offset> pattern{A.rows, A.columns, row_offsets.data(), column_indices.data() + entries_shift};
  Product<M, V> p = host;
  p.values = values.data() + entries_shift;
  p.x = x.at(static_cast<const V*>(device_x.data()));
  if (options.x_row_stride != 0) p.x.row_stride = options.x_row_stride;
  p.y = y.at(device_y.data());
  if (options.scatter) p.y_rows = device_y_rows.data();
  if (options.permute_x) p.x_rows = device_x_rows.data();
  CsrScheduleSize size = count_csr_schedule(A.pattern(), options.piece_length);
  size.keeps_order = options.keeps_order;
  const OnDevice<int> memory(options.schedule_of_device ? schedule_memory_of_device(pattern, size)
                                                        : fill_csr_schedule(A.pattern(), size));
  if (options.packs_if_small) size.packing_entries = 0;
  const bool adjacent = options.x_layout == Layout::Right || options.x_layout == Layout::PaddedRight;
  const int columns = is_half_v<V> ? (p.y.columns + 7) / 8 * 8 : p.y.columns;
  const OnDevice<std::byte> workspace(std::vector<std::byte>(csr_workspace_bytes(
      size, A.columns, columns, options.little_scratch ? sizeof(M) : sizeof(sum_of_t<V>), adjacent)));
  const Scratch scratch{workspace.data(), workspace.bytes()};
  const CsrSchedule schedule(size, memory.data());
  options.policy == nullptr ? csr_spmm(nullptr, pattern, schedule, p, scratch)
                            : csr_spmm(nullptr, pattern, schedule, p, scratch, *options.policy);
  return device_y.to_host();
}

/// Makes rows of X that no entry of A uses infinite.
template <class M, class V>
void spoil_rest(const Matrix<M>& A, const std::vector<int>& x_rows, Dense<V>& x) {
  std::vector<bool> is_needed(static_cast<std::size_t>(A.columns));
  for (const int c : A.column_indices) {
    is_needed[static_cast<std::size_t>(x_rows.empty() ? c : x_rows[static_cast<std::size_t>(c)])] = true;
  }
  for (int i = 0; i < A.columns; ++i) {
    for (int j = 0; j < x.view.columns && !is_needed[static_cast<std::size_t>(i)]; ++j) {
      x.view(i, j) = special<V>(infinity);
    }
  }
}

/// Returns a bound on the difference of two results for a row of Y, which add the entries in different orders.
template <class M, class V>
double most_difference(const CsrPattern<Offset>& A, const Product<M, V>& p, int row, V result) {
  const auto size = [](auto z) {
    if constexpr (is_complex_v<decltype(z)>) {
      return std::abs(double(z.re)) + std::abs(double(z.im));
    } else {
      return std::abs(static_cast<double>(z));
    }
  };
  using Sum = sum_of_t<V>;
  double magnitude = 0;
  const Offset begin = A.row_offsets[row], end = A.row_offsets[row + 1];
  for (Offset k = begin; k < end; ++k) {
    const int c = A.column_indices[k];
    magnitude += size(Sum(p.values[k])) * size(Sum(p.x(p.x_rows == nullptr ? c : p.x_rows[c], 0)));
  }
  const double sum_error = std::numeric_limits<real_of_t<Sum>>::epsilon();
  const double rounding = is_half_v<V> ? (std::is_same_v<V, Half> ? 0x1p-10 : 0x1p-7) : sum_error;
  // Two sums of n products, each with an error of up to n + 2 roundings, then two roundings of the result.
  return 2 * static_cast<double>(end - begin + 4) * sum_error * size(p.alpha) * magnitude +
         2 * rounding * size(Sum(result)) + (is_half_v<V> ? 0x1p-24 : 0);
}

/// Replaces values by -1, 0 and 1, so that sums of up to 2^24 of them are exact in float.
template <class M, class V>
void use_whole_numbers(std::vector<M>& values, Dense<V>& x, Dense<V>* y) {
  const auto next = [] { return static_cast<float>(random_bits() % 3) - 1; };
  for (M& value : values) value = M(real_of_t<M>(next()));
  for (Dense<V>* dense : {&x, y}) {
    if (dense == nullptr) continue;
    for (int i = 0; i < dense->view.rows; ++i) dense->view(i, 0) = V(static_cast<real_of_t<sum_of_t<V>>>(next()));
  }
}

/// Compares the GPU's product with a serial one: bit by bit if it adds the entries in the same order.
template <class M, class V>
void compare_once(Matrix<M> A, const Options& options) {
  Dense<V> x(A.columns, options.columns, options.x_layout, options.shift);
  Dense<V> y(A.rows, options.columns, options.y_layout, options.shift);
  x.randomize();
  if (!options.overwrite) y.randomize();
  if (options.whole_numbers) use_whole_numbers(A.values, x, options.overwrite ? nullptr : &y);
  const std::vector<int> y_rows = random_order(A.rows), x_rows = random_order(A.columns);
  if (options.infinite_rest) spoil_rest(A, options.permute_x ? x_rows : std::vector<int>(), x);
  Product<M, V> p;
  p.values = A.values.data();
  p.conjugate_values = options.conjugate_values;
  using Sum = sum_of_t<V>;
  p.alpha = random_scalar<Sum>();
  p.beta = options.overwrite ? Sum(0) : random_scalar<Sum>();
  if (options.whole_numbers) p.alpha = Sum(2), p.beta = options.overwrite ? Sum(0) : Sum(-1);
  p.x = x.at(static_cast<const V*>(x.memory.data()));
  p.y = y.view;
  std::vector<V> computed = gpu_product(A, p, x, y, options, y_rows, x_rows);
  if (options.scatter) p.y_rows = y_rows.data();
  if (options.permute_x) p.x_rows = x_rows.data();
  serial_product(A.pattern(), p, options.piece_length);
  if (!options.keeps_order && !options.whole_numbers) {
    for (int i = 0; i < A.rows; ++i) {
      const V expected = y.view(p.y_rows == nullptr ? i : p.y_rows[i], 0);
      V& element = y.at(computed.data())(p.y_rows == nullptr ? i : p.y_rows[i], 0);
      if constexpr (is_complex_v<V>) {
        ASSERT_LE(std::max(std::abs(element.re - expected.re), std::abs(element.im - expected.im)),
                  most_difference(A.pattern(), p, i, expected))
            << "row " << i << "; " << options.text();
      } else {
        ASSERT_LE(std::abs(static_cast<double>(element) - static_cast<double>(expected)),
                  most_difference(A.pattern(), p, i, expected))
            << "row " << i << "; " << options.text();
      }
      element = expected;
    }
  }
  for (std::size_t k = 0; k < computed.size(); ++k) {
    ASSERT_TRUE(same(computed[k], y.memory[k])) << "element " << k << " of the memory of Y, which is " << A.rows
                                                << " x " << options.columns << "; " << options.text();
  }
}

/// Compares products of one column in both orders of summation.
template <class M, class V>
void compare(const Matrix<M>& A, Options options, int some = 41) {
  if (!Test::is_chosen(some)) return;
  options.keeps_order = true;
  compare_once<M, V>(A, options);
  options.keeps_order = false;
  if (options.columns == 1 && !::testing::Test::HasFatalFailure()) compare_once<M, V>(A, options);
}

std::vector<int> varied_lengths(int rows, int most) {
  std::vector<int> lengths;
  for (int i = 0; i < rows; ++i) lengths.push_back(i % 5 == 2 ? 0 : (i * 7) % (most + 1));
  return lengths;
}

// --- the tests
// --------------------------------------------------------------------------------------------------------

template <class M, class V>
struct Types {
  using MatrixScalar = M;
  using VectorScalar = V;
};
#ifdef TESSERA_CUDA_EMULATED  // emulation is slow; the other types share this code
using EveryProduct =
    ::testing::Types<Types<float, double>, Types<Complex<double>, Complex<double>>, Types<float, Half>>;
#else
using EveryProduct = ::testing::Types<Types<float, float>, Types<double, double>, Types<float, double>,
                                      Types<float, Half>, Types<float, BFloat16>, Types<Complex<float>, Complex<float>>,
                                      Types<Complex<double>, Complex<double>>>;
#endif

template <class T>
class CsrSpmm : public ::testing::Test {
 protected:
  using Matrix = Cuda::Matrix<typename T::MatrixScalar>;

  void SetUp() override { TESSERA_SKIP_WITHOUT_GPU(); }
};
TYPED_TEST_SUITE(CsrSpmm, EveryProduct);

TYPED_TEST(CsrSpmm, EveryShapeAndLayout) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  int k = 0;
  for (const int rows : {0, 1, 3, 4, 5, 31, 32, 33, 129}) {
    const typename TestFixture::Matrix A(50, varied_lengths(rows, rows % 2 == 0 ? 4 : 40));
    for (const int columns : {0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 200}) {
      for (const Layout layout : every_layout) {
        ++k;
        Options options{.columns = columns, .x_layout = layout, .y_layout = k % 3 == 0 ? Layout::Left : layout};
        options.shift = k % 4 == 1;
        options.conjugate_values = k % 2;
        options.scatter = k % 5 < 2;
        options.permute_x = k % 7 == 3;
        options.overwrite = k % 3 != 1;
        options.entries_shift = k % 4;
        compare<M, V>(A, options);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(CsrSpmm, LongRowsAtTheEdgesOfPieces) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const int piece = 64;
  const typename TestFixture::Matrix A(
      20000, {3, piece - 1, piece, piece + 1, 0, 2 * piece - 1, 2 * piece, 2 * piece + 1, 20000, 5, 4 * piece,
              7 * piece, 32 * piece, 32 * piece + 1});
  int k = 0;
  for (const int columns : {1, 7, 8, 31, 32, 33, 127, 128, 129, 200}) {
    for (const Layout layout : {Layout::PaddedRight, Layout::Right, Layout::Left}) {
      ++k;
      Options options{.columns = columns, .x_layout = layout, .y_layout = layout};
      options.scatter = k % 2;
      options.overwrite = k % 4 < 2;
      options.schedule_of_device = k % 3 == 0;
      options.entries_shift = k % 5 == 4;
      compare<M, V>(A, options);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// More long rows than a product of many columns has lines of threads for.
TYPED_TEST(CsrSpmm, ManyLongRows) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  std::vector<int> lengths;
  for (int row = 0; row < 4100; ++row) lengths.push_back(3 + row % 20);
  const typename TestFixture::Matrix A(40, lengths);
  for (const int columns : {16, 17, 40}) {
    Options options{.columns = columns, .x_layout = Layout::Right, .y_layout = Layout::Right};
    options.piece_length = 2;
    options.overwrite = columns == 17;
    ASSERT_GT(count_csr_schedule(A.pattern(), options.piece_length).long_rows, 4096);
    compare<M, V>(A, options, 1);
    if (this->HasFatalFailure()) return;
  }
}

/// Rows about as long as a fetch of entries or a piece, anywhere in A. Reading any other row of X would spoil Y.
TYPED_TEST(CsrSpmm, OnlyEntriesOfTheRowCount) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const typename TestFixture::Matrix A(
      700, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 1, 64, 0, 65, 3, 127, 128, 129, 2, 255, 256, 257, 1});
  int k = 0;
  for (const int columns : {1, 4, 5, 16, 33, 64, 128, 150}) {
    for (const Layout layout : every_layout) {
      ++k;
      Options options{.columns = columns, .x_layout = layout, .y_layout = layout, .infinite_rest = true};
      options.entries_shift = k % 4;
      options.permute_x = k % 3 == 0;
      options.overwrite = k % 2;
      options.piece_length = k % 2 ? 64 : 128;
      compare<M, V>(A, options, 3);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// A has so many pieces that the sums of all columns would need too much memory.
TYPED_TEST(CsrSpmm, PanelsOfLongRows) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const typename TestFixture::Matrix A(1700, {5, 1700, 2, 0, 1700, 1, 900});
  for (const int columns : {128, 129, 257}) {
    Options options{.columns = columns, .x_layout = Layout::PaddedRight, .y_layout = Layout::PaddedRight};
    options.piece_length = 2;
    const CsrScheduleSize size = count_csr_schedule(A.pattern(), options.piece_length);
    ASSERT_LT(csr_panel_columns(size, A.columns, 1000), 129);
    compare<M, V>(A, options, 2);
    if (this->HasFatalFailure()) return;
  }
}

/// A large X allows one partial sum per 8 of its elements: 256 columns of these pieces.
TYPED_TEST(CsrSpmm, PanelsOfALargeX) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const typename TestFixture::Matrix A(18000, {3, 4000, 0, 250});
  Options options{.columns = 257, .x_layout = Layout::PaddedRight, .y_layout = Layout::PaddedRight};
  options.piece_length = 2;
  const CsrScheduleSize size = count_csr_schedule(A.pattern(), options.piece_length);
  ASSERT_EQ(csr_panel_columns(size, A.columns, options.columns), 256);
  options.little_scratch = true;  // vectors wider than the matrix then have narrower panels
  compare<M, V>(A, options, 1);
}

/// Vectors wider than the matrix need no more scratch memory than vectors of its own type.
TYPED_TEST(CsrSpmm, ScratchOfTheMatrix) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  std::vector<int> lengths = varied_lengths(16, 60);
  lengths[3] = 65;
  lengths[10] = 130;
  const typename TestFixture::Matrix A(140, lengths);
  for (const int columns : {1, 5, 33, 130}) {
    for (const Layout layout : {Layout::Right, Layout::Left}) {
      compare<M, V>(A, {.columns = columns, .x_layout = layout, .y_layout = layout, .little_scratch = true}, 1);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// The row stride of X exceeds 4 GiB; X has a single row.
TYPED_TEST(CsrSpmm, RowsOfXFarApart) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const typename TestFixture::Matrix A(1, {1, 0, 1, 1});
  for (const int columns : {1, 3, 37}) {
    compare<M, V>(A, {.columns = columns, .x_row_stride = (std::ptrdiff_t(1) << 30) + 4}, 1);
    if (this->HasFatalFailure()) return;
  }
}

#ifdef TESSERA_CUDA_EMULATED
TYPED_TEST(CsrSpmm, ASecondProductOnlyLaunches) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const typename TestFixture::Matrix A(140, {3, 65, 2, 130});
  compare<M, V>(A, {.columns = 33}, 1);
  const int asked = Emulation::Runtime::instance().questions();
  EXPECT_GT(asked, 0);
  compare<M, V>(A, {.columns = 33}, 1);
  EXPECT_EQ(Emulation::Runtime::instance().questions(), asked);
}
#endif

TYPED_TEST(CsrSpmm, ColumnsThatAreNotAdjacent) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  std::vector<int> lengths = varied_lengths(70, 60);
  lengths[3] = 65;
  lengths[40] = 130;
  // X is packed, except for the second matrix (few nonzeros). Rows of the third are computed side by side.
  const typename TestFixture::Matrix many(140, lengths), few(3000, lengths), short_rows(30, varied_lengths(90, 9));
  constexpr std::pair<Layout, Layout> layouts[] = {{Layout::Left, Layout::Left},
                                                   {Layout::PaddedLeft, Layout::Right},
                                                   {Layout::PaddedRight, Layout::PaddedLeft},
                                                   {Layout::Right, Layout::Scattered},
                                                   {Layout::Scattered, Layout::PaddedRight}};
  CsrScheduleSize size = count_csr_schedule(many.pattern(), 64);
  EXPECT_FALSE(csr_packs(size, 140, 5));
  size.packing_entries = 0;
  EXPECT_TRUE(csr_packs(size, 140, 5));
  size = count_csr_schedule(few.pattern(), 64);
  size.packing_entries = 0;
  EXPECT_FALSE(csr_packs(size, 3000, 5));
  int k = 0;
  for (const int columns : {1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
    for (const auto& [x_layout, y_layout] : layouts) {
      ++k;
      Options options{.columns = columns, .x_layout = x_layout, .y_layout = y_layout};
      options.packs_if_small = k / 5 % 4 != 3;
      options.shift = k % 4 == 1;
      options.conjugate_values = k % 2;
      options.scatter = k % 3 == 0;
      options.permute_x = k % 11 == 5;
      options.overwrite = k % 2;
      options.entries_shift = k % 13 % 4 == 3 ? 2 : 0;
      for (const auto* A : {&many, &few, &short_rows}) {
        compare<M, V>(*A, options, 17);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(CsrSpmm, EveryPolicy) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  std::vector<int> lengths = varied_lengths(200, 60);
  lengths[17] = 300;
  lengths[199] = 65;
  const typename TestFixture::Matrix A(400, lengths);
  int policies = 0;
  for (const auto& [lanes, vectors] : {std::pair{4, 1}, std::pair{8, 1}, std::pair{16, 1}, std::pair{32, 1},
                                       std::pair{16, 2}, std::pair{32, 2}, std::pair{32, 4}}) {
    for (const int threads : {32, 96, 256, 512}) {
      const int rounds = std::array{1, 2, lanes}[++policies % 3];
      const CsrPolicy policy{.lanes = lanes,
                             .vectors = vectors,
                             .rounds = rounds,
                             .threads = threads,
                             .eager = vectors == 1 && policies % 2 == 0};
      for (const int columns : {1, 2, 4, 8, 40, 200}) {
        compare<M, V>(A, {.columns = columns, .permute_x = policies % 4 == 1, .policy = &policy}, 29);
        compare<M, V>(A, {.columns = columns, .y_layout = Layout::Left, .policy = &policy}, 29);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(CsrSpmm, SortedRowsAmongLongOnes) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const CsrPolicy sorted{.lanes = 4, .rounds = 4};
  const auto with = [](std::vector<int> lengths, const std::vector<std::array<int, 2>>& replaced) {
    for (const auto& [row, length] : replaced) lengths[static_cast<std::size_t>(row)] = length;
    return lengths;
  };
  const std::vector<std::vector<int>> problems = {
      std::vector<int>(5, 20),                                       // no piece, and few rows
      with(std::vector<int>(130, 7), {{31, 0}, {32, 0}, {63, 64}}),  // empty rows, and one of the greatest uncut length
      with(varied_lengths(129, 40), {{0, 1500}, {1, 300}, {2, 65}}),       // pieces of the first rows
      with(varied_lengths(256, 40), {{40, 700}, {42, 257}, {255, 2000}}),  // more pieces than groups in a block
      with(std::vector<int>(70, 9), {{68, 1024}, {69, 1024}})};            // as many pieces as a block has groups
  int k = 0;
  for (const std::vector<int>& lengths : problems) {
    const typename TestFixture::Matrix A(2000, lengths);
    for (const int columns : {1, 2, 4}) {
      ++k;
      const Layout layout = every_layout[k % 5];
      Options options{.columns = columns, .x_layout = layout, .y_layout = layout, .policy = &sorted};
      options.shift = k % 2;
      options.scatter = k % 4 == 0;
      options.permute_x = k % 3 == 0;
      options.overwrite = k % 2;
      compare<M, V>(A, options, 1);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(CsrSpmm, ColumnsAloneAndTogetherHaveTheSameBits) {
  using V = typename TypeParam::VectorScalar;
  using M = typename TypeParam::MatrixScalar;
  std::vector<int> lengths = varied_lengths(60, 70);
  lengths[5] = 900;
  const typename TestFixture::Matrix A(1000, lengths);
  Dense<V> x(A.columns, 33, Layout::PaddedRight, 0), y(A.rows, 33, Layout::PaddedRight, 0);
  x.randomize();
  Product<M, V> p;
  p.alpha = random_scalar<V>();
  p.beta = V(0);
  const std::vector<V> together = gpu_product(A, p, x, y, {.columns = 33}, {}, {});
  EXPECT_EQ(std::memcmp(together.data(), gpu_product(A, p, x, y, {.columns = 33}, {}, {}).data(),
                        together.size() * sizeof(V)),
            0)
      << "two runs differ";
  for (int j = 0; j < 33; j += 8) {
    Dense<V> one_x(A.columns, 1, Layout::Left, j % 3), one_y(A.rows, 1, Layout::Left, j % 3);
    for (int i = 0; i < A.columns; ++i) one_x.view(i, 0) = x.view(i, j);
    const std::vector<V> alone = gpu_product(A, p, one_x, one_y, {}, {}, {});
    for (int i = 0; i < A.rows; ++i) {
      const V a = alone[static_cast<std::size_t>(one_y.shift + i)];
      const V b = together[static_cast<std::size_t>(i * y.view.row_stride + j)];
      ASSERT_EQ(std::memcmp(&a, &b, sizeof(V)), 0) << "row " << i << ", column " << j;
    }
  }
}

/// Compares products of one column by all kernels that have an order of their own, for rows with these lengths.
template <class M, class V>
void compare_columns(int columns_of_A, const std::vector<int>& lengths) {
  using Kind = CsrColumnKernel::Kind;
  const Matrix<M> A(columns_of_A, lengths);
  int k = 0;
  for (const Kind kind : {Kind::Tiles, Kind::Rows, Kind::Blocks}) {
    for (const Layout layout : {Layout::Right, Layout::PaddedRight, Layout::Left}) {
      ++k;
      const CsrPolicy policy{.lanes = 4 << k % 4, .tiles = kind == Kind::Tiles, .blocks = kind == Kind::Blocks};
      Options options{.x_layout = layout, .y_layout = layout, .policy = &policy, .keeps_order = false};
      options.shift = k % 2;
      options.scatter = k % 3 == 0;
      options.permute_x = k % 4 == 1;
      options.conjugate_values = k % 4 > 1;
      options.overwrite = k % 2;
      options.infinite_rest = true;
      options.schedule_of_device = k % 5 < 2;
      options.entries_shift = k % 3 == 2;
      options.whole_numbers = k % 2;
      compare_once<M, V>(A, options);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class T>
using CsrSpmmColumn = CsrSpmm<T>;
TYPED_TEST_SUITE(CsrSpmmColumn, EveryProduct);

TYPED_TEST(CsrSpmmColumn, RowsAcrossTheEdgesOfTiles) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  constexpr int span = csr_tile_span;
  for (const int first : {span - 129, span - 1, span, span + 1, 2 * span}) {
    compare_columns<M, V>(2 * span, {first, 40, 0, 3, 700, 65, 128, 129, 1500, 1, 2 * span, 17});
    if (this->HasFatalFailure()) return;
  }
  compare_columns<M, V>(2 * span, {200, 2 * span - 3, 0, 0, 64, 2 * span, 256, 257, 300});
}

TYPED_TEST(CsrSpmmColumn, RowsThatAreCut) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  constexpr int most = csr_tile_row, span = csr_tile_span;
  compare_columns<M, V>(3 * most, {most, 5, most + 1, 0, 0, 7});
  compare_columns<M, V>(3 * most, {most + 1});
  compare_columns<M, V>(3 * most, {3, most + 2, most + 3, 3 * most});  // a tile ends one cut row and begins the next
  compare_columns<M, V>(3 * most, {40 * (span / 40), 10 * span, 10 * span, 1});
}

TYPED_TEST(CsrSpmmColumn, OneRowAndRowsOfOneLength) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  constexpr int span = csr_tile_span;
  for (const int entries : {0, 1, 31, 64, 65, span - 1, span, span + 1, 1023, 1024, 1025, 2 * span, 3 * span + 5}) {
    compare_columns<M, V>(3 * span + 5, {entries});
    if (this->HasFatalFailure()) return;
  }
  for (const int length : {1, 2, 3, 7, 16, 64}) {
    compare_columns<M, V>(100, std::vector<int>(static_cast<std::size_t>(3 * span / length), length));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(CsrSpmmColumn, RunsOfEmptyRows) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  compare_columns<M, V>(10, std::vector<int>(5000, 0));
  compare_columns<M, V>(0, {0, 0, 0});
  std::vector<int> lengths(9000, 0);
  lengths[7000] = 400, lengths[7001] = 3, lengths[8999] = 9;
  compare_columns<M, V>(400, lengths);
  lengths = varied_lengths(1500, 30);
  lengths[50] = 2000, lengths[1000] = 5000;
  compare_columns<M, V>(5000, lengths);
}

/// Neither addresses nor layouts nor the run change the bits of a column without others.
TYPED_TEST(CsrSpmmColumn, HasTheSameBitsAtAnyAddress) {
  using V = typename TypeParam::VectorScalar;
  using M = typename TypeParam::MatrixScalar;
  std::vector<int> lengths = varied_lengths(60, 70);
  lengths[5] = 900, lengths[20] = 5000, lengths[40] = csr_tile_row + 500;
  const typename TestFixture::Matrix A(2 * csr_tile_row, lengths);
  for (const int kind : {0, 1, 2}) {
    const CsrPolicy policy{.lanes = 8, .tiles = kind == 1, .blocks = kind == 2};
    std::vector<V> first;
    for (const int shift : {0, 1, 2, 3, 0}) {
      const Layout layout = shift % 2 == 0 ? Layout::Left : Layout::PaddedRight;
      Dense<V> x(A.columns, 1, layout, shift), y(A.rows, 1, layout, shift);
      std::mt19937_64 bits(7);
      std::swap(bits, random_bits);
      x.randomize();
      std::swap(bits, random_bits);
      Product<M, V> p;
      p.alpha = V(1);
      p.beta = V(0);
      const Options options{.x_layout = layout,
                            .y_layout = layout,
                            .shift = shift,
                            .entries_shift = shift,
                            .policy = &policy,
                            .keeps_order = false};
      const std::vector<V> memory = gpu_product(A, p, x, y, options, {}, {});
      std::vector<V> result;
      for (int i = 0; i < A.rows; ++i) result.push_back(y.at(memory.data())(i, 0));
      if (first.empty()) first = result;
      ASSERT_EQ(std::memcmp(first.data(), result.data(), result.size() * sizeof(V)), 0) << shift << ", " << kind;
    }
  }
}

template <class T>
using CsrSpmmGathered = CsrSpmm<T>;
#ifdef TESSERA_CUDA_EMULATED
using GatheredProducts = ::testing::Types<Types<float, float>, Types<float, double>>;
#else
using GatheredProducts = ::testing::Types<Types<float, float>, Types<double, double>, Types<float, double>>;
#endif
TYPED_TEST_SUITE(CsrSpmmGathered, GatheredProducts);

/// Compares products with rows of X of one, two and four vectors, in gathered tiles.
template <class M, class V>
void compare_gathered(const Matrix<M>& A, int piece_length = 2 * csr_tile_span) {
  constexpr CsrPolicy policy{.lanes = 32, .tiles = true};
  constexpr int vector = 16 / sizeof(V);
  int k = 0;
  for (const int columns : {vector, 2 * vector, 4 * vector}) {
    for (const Layout layout : {Layout::Right, Layout::PaddedRight}) {
      ++k;
      Options options{.columns = columns, .x_layout = layout, .y_layout = layout, .policy = &policy};
      options.piece_length = piece_length;
      options.scatter = k % 2 == 0;
      options.permute_x = k % 3 == 0;
      options.overwrite = k % 4 < 2;
      options.schedule_of_device = k % 5 == 0;
      options.entries_shift = k % 3;
      options.infinite_rest = true;
      compare_once<M, V>(A, options);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(CsrSpmmGathered, RowsAcrossTheEdgesOfTiles) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  constexpr int span = csr_tile_span;
  for (const int first : {span - 1, span, span + 1, 2 * span})
    compare_gathered<M, V>(typename TestFixture::Matrix(2 * span, {first, 40, 0, 3, 7, 64, 65, 1, 0, 0, 500, 17}));
  compare_gathered<M, V>(typename TestFixture::Matrix(70, varied_lengths(300, 60)));
  compare_gathered<M, V>(typename TestFixture::Matrix(70, std::vector<int>(3 * span, 0)));
  compare_gathered<M, V>(typename TestFixture::Matrix(70, {1}));
}

/// Rows that are cut are multiplied without tiles.
TYPED_TEST(CsrSpmmGathered, LongRowsAreCut) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  compare_gathered<M, V>(typename TestFixture::Matrix(300, {3, 64, 65, 0, 300, 7}), 64);
}

/// Rows of X and Y that do not begin at multiples of 16 bytes, and other columns, are multiplied without tiles.
TYPED_TEST(CsrSpmmGathered, OnlyAlignedRowsAreGathered) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const typename TestFixture::Matrix A(70, varied_lengths(100, 40));
  constexpr CsrPolicy policy{.lanes = 32, .tiles = true};
  constexpr int vector = 16 / sizeof(V);
  for (const Layout layout : {Layout::Left, Layout::Scattered})
    compare_once<M, V>(A, {.columns = 2 * vector, .x_layout = layout, .y_layout = layout, .policy = &policy});
  compare_once<M, V>(A, {.columns = 2 * vector, .y_layout = Layout::Left, .policy = &policy});
  compare_once<M, V>(A, {.columns = 2 * vector, .shift = 1, .policy = &policy});
  compare_once<M, V>(A, {.columns = 3 * vector, .policy = &policy});
  compare_once<M, V>(A, {.columns = 2 * vector + 1, .policy = &policy});
}

TEST(CsrSpmmArguments, AreChecked) {
  const std::vector<int> row_offsets{0, 100};
  std::vector<int> column_indices(100);
  for (int c = 0; c < 100; ++c) column_indices[static_cast<std::size_t>(c)] = c;
  const CsrPattern<int> A{1, 100, row_offsets.data(), column_indices.data()};
  const CsrScheduleSize size = count_csr_schedule(A, 64);
  const std::vector<int> memory = fill_csr_schedule(A, size);
  const CsrSchedule schedule(size, memory.data());
  double element = 0;
  Product<float, double> p;
  p.x = {&element, 100, 3, 3, 1};
  p.y = {&element, 1, 3, 3, 1};
  EXPECT_EQ(csr_workspace_bytes(size, 100, 3, sizeof(double)), 2 * 32u);
  EXPECT_THROW(csr_spmm(nullptr, A, schedule, p, {}), std::invalid_argument) << "no workspace";
  // Scratch memory that would be enough. Nothing is launched.
  alignas(16) std::byte bytes[64];
  const Scratch scratch{bytes, sizeof bytes};
  p.y.columns = 2;
  EXPECT_THROW(csr_spmm(nullptr, A, schedule, p, scratch), std::invalid_argument) << "columns of Y";
  p.y.columns = 3;
  p.x.rows = 99;
  EXPECT_THROW(csr_spmm(nullptr, A, schedule, p, scratch), std::invalid_argument) << "rows of X";
  p.x.rows = 100;
  EXPECT_THROW(csr_spmm(nullptr, A, {}, p, scratch), std::invalid_argument) << "no schedule";
  // Scratch memory for partial sums, but not for rows of X.
  const std::vector<int> dense_rows{0, 100, 200, 300, 400};
  std::vector<int> dense_columns;
  for (int i = 0; i < 4; ++i) dense_columns.insert(dense_columns.end(), column_indices.begin(), column_indices.end());
  const CsrPattern<int> dense{4, 100, dense_rows.data(), dense_columns.data()};
  CsrScheduleSize dense_size = count_csr_schedule(dense, 128);
  dense_size.packing_entries = 0;
  std::vector<double> elements(600);
  p.x = {elements.data(), 100, 6, 1, 100};
  p.y = {elements.data(), 4, 6, 6, 1};
  EXPECT_EQ(csr_workspace_bytes(dense_size, 100, 6, sizeof(double)), 100 * 48u);
  EXPECT_THROW(csr_spmm(nullptr, dense, CsrSchedule(dense_size, memory.data()), p, scratch), std::invalid_argument)
      << "no room for rows of X";
  p.x = {&element, 100, 3, 3, 1};
  p.y = {&element, 1, 3, 3, 1};
  EXPECT_THROW(csr_spmm(nullptr, A, schedule, p, scratch, {.lanes = 5}), std::invalid_argument) << "policy";
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
