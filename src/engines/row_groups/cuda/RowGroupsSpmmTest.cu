// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>

#include "SpmmConformance.hpp"
#include "row_groups/SerialRowGroups.hpp"
#include "row_groups/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

struct RowGroupsCase : ProductCase {
  int group_rows = 4;  // upper bound on the rows of a group

  std::string text() const { return ", groups of up to " + std::to_string(group_rows); }
};

template <class MatrixScalar, class Scalar>
class RowGroupsMatrix {
 public:
  RowGroupsMatrix(const HostMatrix& A, const RowGroupsCase& c)
      : RowGroupsMatrix(A, c, serial_row_groups(A, c.group_rows)) {}

  const MatrixScalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::row_groups_workspace_bytes(schedule_, x);
  }
  void launch(const RowGroupsCase& c, const Product<MatrixScalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::row_groups_spmm(nullptr, pattern_, with_policy(schedule_, c), product, workspace);
  }

 private:
  RowGroupsMatrix(const HostMatrix& A, const RowGroupsCase& c, const HostRowGroups& B)
      : RowGroupsMatrix(A, B, Cuda::build_row_groups_schedule(B.view(), 4 * c.piece_tiles)) {}
  RowGroupsMatrix(const HostMatrix& A, const HostRowGroups& B, const Cuda::HostRowGroupsSchedule& schedule)
      : group_columns_(B.group_columns),
        column_masks_(B.column_masks),
        values_(placed_values<MatrixScalar>(A.values, B.slots)),
        items_(schedule.items),
        sums_(schedule.sums),
        schedule_{static_cast<int>(schedule.items.size()), static_cast<int>(schedule.sums.size()), schedule.slots,
                  items_.data(), sums_.data()} {
    pattern_.rows = A.rows;
    pattern_.columns = A.columns;
    pattern_.group_columns = group_columns_.data();
    pattern_.column_masks = column_masks_.data();
  }

  OnDevice<int> group_columns_;
  OnDevice<std::uint8_t> column_masks_;
  OnDevice<MatrixScalar> values_;
  OnDevice<Cuda::RowGroupItem> items_;
  OnDevice<Cuda::RowGroupSum> sums_;
  Cuda::RowGroupsSchedule schedule_;
  RowGroupsPattern pattern_;
};

struct RowGroupsKernel : SpmmKernel<RowGroupsCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = RowGroupsMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {4, 256};
  static constexpr std::array widths = {4};
  static constexpr int emulated_share = 11, emulated_columns_share = 3;

  static std::vector<Case> variants() {
    std::vector<Case> all;
    for (const int rows : {1, 2, 4}) {
      all.emplace_back();
      all.back().group_rows = rows;
    }
    return all;
  }
};

template <Precision precision, class Scalar>
using RowGroupsCell = SpmmCell<RowGroupsKernel, precision, Scalar, sum_of_t<Scalar>>;
using RowGroupsCells =
    ::testing::Types<RowGroupsCell<Precision::Native, float>, RowGroupsCell<Precision::Native, double>,
                     RowGroupsCell<Precision::Native, Half>, RowGroupsCell<Precision::Native, BFloat16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(RowGroups, Spmm, RowGroupsCells, SpmmCellNames);

/// Makes runs of similar rows, hence groups of every height with places that have no entry.
HostMatrix matrix_in_runs(int rows) {
  HostMatrix A;
  static_cast<HostPattern<int>&>(A) = rows_in_runs(rows, 3);
  A.values = random_values<double>(A.nonzeros(), 4);
  return A;
}

TEST(RowGroupsSpmm, GroupsOfEveryHeight) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = matrix_in_runs(300);
  RowGroupsCase c;
  for (const int columns : {1, 4, 8, 32, 36, 64, 128, 130, 260}) {
    for (const int pieces : {1, 3, 64}) {
      c.columns = columns;
      c.piece_tiles = pieces;
      if (is_chosen(5)) check_product<RowGroupsCell<Precision::Native, float>>(A, c);
    }
  }
}

/// The policy for 64 columns of doubles multiplies 32 columns at a time, with two vectors per lane.
TEST(RowGroupsSpmm, RejectsSlabsThatAreNotFull) {
  TESSERA_SKIP_WITHOUT_GPU();
  RowGroupsCase c;
  c.width = 64;
  c.columns = 65;
  EXPECT_THROW((check_product<RowGroupsCell<Precision::Native, double>>(matrix_in_runs(10), c)), std::invalid_argument);
}

/// Infinities reach exactly those rows of a group that have an entry in the column.
TEST(RowGroupsSpmm, NonFiniteInSharedColumns) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = matrix_in_runs(100);
  RowGroupsCase c;
  for (const int column : {0, 50, 199}) {
    for (const double bad : {infinity, quiet_nan}) {
      c.columns = 12;
      auto x = random_values<double>(extent(c, A.columns), 5);
      for (const int j : {0, 5, 11}) x[place(c, A.columns, column, j)] = bad;
      check_product<RowGroupsCell<Precision::Native, double>>(A, c, x);
    }
  }
}

template <class Real>
Complex<Real> product_of(Complex<Real> a, Complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// Checks conjugate values and complex alpha, in one slab and in several.
template <class Real>
void check_complex(bool conjugates, int columns) {
  using Scalar = Complex<Real>;
  HostMatrix A = matrix_in_runs(70);
  const auto B = serial_row_groups(A);
  Random random(7);
  std::vector<Scalar> entries(A.nonzeros()), values(B.slots.size()), x(std::size_t(A.columns) * columns),
      y(std::size_t(A.rows) * columns);
  for (auto* array : {&entries, &x, &y})
    for (Scalar& number : *array) number = random.scalar<Scalar>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (B.slots[i] >= 0) values[i] = entries[std::size_t(B.slots[i])];
  const auto host = Cuda::build_row_groups_schedule(B.view(), 8);
  const OnDevice<int> group_columns(B.group_columns);
  const OnDevice<std::uint8_t> masks(B.column_masks);
  const OnDevice<Scalar> device_values(values), device_x(x), device_y(y);
  const OnDevice<Cuda::RowGroupItem> items(host.items);
  const OnDevice<Cuda::RowGroupSum> sums(host.sums);
  RowGroupsPattern pattern;
  pattern.rows = A.rows, pattern.columns = A.columns;
  pattern.group_columns = group_columns.data(), pattern.column_masks = masks.data();
  const Cuda::RowGroupsSchedule schedule{static_cast<int>(host.items.size()), static_cast<int>(host.sums.size()),
                                         host.slots, items.data(), sums.data()};
  Product<Scalar, Scalar> product;
  product.values = device_values.data();
  product.conjugate_values = conjugates;
  product.alpha = Scalar(Real(.5), Real(2));
  product.beta = Scalar(Real(1), Real(-1));
  product.x = {device_x.data(), A.columns, columns, columns, 1};
  product.y = {device_y.data(), A.rows, columns, columns, 1};
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(Cuda::row_groups_workspace_bytes(schedule, product.x), std::byte(0xff)));
  Cuda::row_groups_spmm(nullptr, pattern, schedule, product, Scratch{workspace.data(), workspace.bytes()});
  const std::vector<Scalar> result = device_y.to_host();
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      Scalar sum(0);
      for (int k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
        const Scalar a = entries[std::size_t(k)];
        sum += product_of(conjugates ? conjugate(a) : a, x[std::size_t(A.column_indices[k]) * columns + j]);
      }
      const std::size_t at = std::size_t(i) * columns + j;
      const Scalar expected = product_of(product.alpha, sum) + product_of(product.beta, y[at]);
      const double bound = 100 * std::numeric_limits<Real>::epsilon();
      ASSERT_NEAR(result[at].re, expected.re, bound) << i << ", " << j;
      ASSERT_NEAR(result[at].im, expected.im, bound) << i << ", " << j;
    }
  }
}

TEST(RowGroupsSpmm, ComplexNumbers) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const bool conjugates : {false, true}) {
    for (const int columns : {1, 6, 40}) {
      check_complex<float>(conjugates, columns);
      check_complex<double>(conjugates, columns);
    }
  }
}

TEST(RowGroupsSpmm, RejectsWhatItCannotDo) {
  RowGroupsPattern A;
  const Cuda::RowGroupsSchedule schedule;
  EXPECT_THROW(Cuda::row_groups_spmm(nullptr, A, schedule, product_with_x_rows<float>(), {}), std::invalid_argument);
  A.rows = 1;
  EXPECT_THROW(Cuda::row_groups_spmm(nullptr, A, schedule, Product<float, float>{}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
