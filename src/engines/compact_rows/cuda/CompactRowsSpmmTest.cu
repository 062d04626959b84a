// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpmmConformance.hpp"
#include "compact_rows/SerialCompactRows.hpp"
#include "compact_rows/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

struct CompactRowsCase : ProductCase {
  bool keeps_order = true;                  // CsrScheduleSize::keeps_order
  const Cuda::CsrPolicy* policy = nullptr;  // nullptr: chosen
  bool is_compact = true;                   // false: csr_spmm() multiplies the same rows, for comparison

  std::string text() const {
    return std::string(keeps_order ? "" : ", any order") + (policy == nullptr ? "" : ", with a policy");
  }
};

/// A matrix in compact rows and in compressed rows.
template <class MatrixScalar, class Scalar>
class CompactRowsMatrix {
 public:
  CompactRowsMatrix(const HostMatrix& A, const CompactRowsCase& c)
      : CompactRowsMatrix(A, serial_compact_rows(A), sizes(A, c)) {}

  const MatrixScalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::csr_workspace_bytes(size_, x.rows, x.columns, sizeof(Scalar));
  }
  void launch(const CompactRowsCase& c, const Product<MatrixScalar, Scalar>& product, const Scratch& scratch) const {
    const Cuda::CsrSchedule schedule(size_, schedule_.data());
    if (c.is_compact) {
      Cuda::compact_rows_spmm(nullptr, pattern_, schedule, product, scratch, c.policy);
    } else if (c.policy != nullptr) {
      Cuda::csr_spmm(nullptr, rows_, schedule, product, scratch, *c.policy);
    } else {
      Cuda::csr_spmm(nullptr, rows_, schedule, product, scratch);
    }
  }

 private:
  static CsrPattern<Offset> rows_of(const HostMatrix& A) {
    return {A.rows, A.columns, A.row_offsets.data(), A.column_indices.data()};
  }
  static Cuda::CsrScheduleSize sizes(const HostMatrix& A, const CompactRowsCase& c) {
    auto size = Cuda::count_csr_schedule(rows_of(A), std::max(4 * c.piece_tiles, 32));
    size.keeps_order = c.keeps_order;
    return size;
  }
  CompactRowsMatrix(const HostMatrix& A, const HostCompactRows& B, const Cuda::CsrScheduleSize& size)
      : row_offsets_(B.row_offsets),
        block_columns_(B.block_columns),
        column_indices_(A.column_indices),
        low_columns_(B.low_columns),
        high_columns_(B.high_columns),
        values_(std::vector<MatrixScalar>(A.values.begin(), A.values.end())),
        schedule_(Cuda::fill_csr_schedule(rows_of(A), size)),
        size_(size),
        pattern_{
            A.rows, A.columns, row_offsets_.data(), block_columns_.data(), low_columns_.data(), high_columns_.data()},
        rows_{A.rows, A.columns, row_offsets_.data(), column_indices_.data()} {}

  OnDevice<Offset> row_offsets_;
  OnDevice<int> block_columns_, column_indices_;
  OnDevice<std::uint16_t> low_columns_, high_columns_;
  OnDevice<MatrixScalar> values_;
  OnDevice<int> schedule_;
  Cuda::CsrScheduleSize size_;
  CompactRowsPattern pattern_;
  CsrPattern<Offset> rows_;
};

struct CompactRowsKernel : SpmmKernel<CompactRowsCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = CompactRowsMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {8, 32};
  static constexpr std::array widths = {4};
  static constexpr int emulated_share = 11, emulated_columns_share = 3;
};

template <class Scalar, class MatrixScalar = Scalar>
using CompactRowsCell = SpmmCell<CompactRowsKernel, Precision::Native, Scalar, MatrixScalar>;
#ifdef TESSERA_CUDA_EMULATED  // emulation has no kernels for double matrices
using CompactRowsCells = ::testing::Types<CompactRowsCell<float>, CompactRowsCell<double, float>>;
#else
using CompactRowsCells =
    ::testing::Types<CompactRowsCell<float>, CompactRowsCell<double>, CompactRowsCell<double, float>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(CompactRows, Spmm, CompactRowsCells, SpmmCellNames);

/// Returns a matrix whose blocks are partly wide. The number of its entries is not a multiple of 4.
HostMatrix matrix_near_and_far(int rows, int columns) {
  HostMatrix A;
  static_cast<HostPattern<int>&>(A) = rows_near_and_far(rows, columns, 5);
  if (A.nonzeros() % 4 == 0) {
    A.column_indices.push_back(columns - 1);
    A.end_row();
  }
  A.values = random_values<double>(A.nonzeros(), 6);
  return A;
}

/// Returns Y of a product with random X and Y.
template <class Cell>
std::vector<typename Cell::Scalar> product_of(const HostMatrix& A, const CompactRowsCase& c) {
  using Scalar = typename Cell::Scalar;
  const auto random = [&](int rows, std::uint64_t seed) {
    const auto values = random_values<double>(extent(c, rows), seed);
    return std::vector<Scalar>(values.begin(), values.end());
  };
  auto y = random(A.rows, 2);
  multiply(typename Cell::Matrix(A, c), A, c, random(A.columns, 1), y);
  return y;
}

/// Returns a matrix of wide blocks only, the last one incomplete.
HostMatrix far_matrix() {
  HostMatrix A;
  A.columns = 140001;
  for (int row = 0; row < 67; ++row) {
    for (const int column : {0, row + 1, 70000 + row, 140000}) A.column_indices.push_back(column);
    A.end_row();
  }
  A.column_indices.push_back(3), A.column_indices.push_back(140000);
  A.end_row();
  A.values = random_values<double>(A.nonzeros(), 7);
  return A;
}

/// Returns matrices without, with some and with only wide blocks.
std::vector<HostMatrix> matrices_of_blocks() {
  std::vector<HostMatrix> all{matrix_near_and_far(70, 900), matrix_near_and_far(70, 140000), far_matrix()};
  const auto wide = [](const HostMatrix& A) { return serial_compact_rows(A).high_columns.size(); };
  EXPECT_EQ(wide(all[0]), 0u);
  EXPECT_GT(wide(all[1]), 0u);
  EXPECT_LT(wide(all[1]), all[1].nonzeros() / 2);
  EXPECT_GE(wide(all[2]), all[2].nonzeros());
  return all;
}

/// Expects the bits of csr_spmm().
template <class Cell>
void expect_bits_of_csr(const std::vector<HostMatrix>& matrices, CompactRowsCase c) {
  for (const HostMatrix& A : matrices) {
    c.is_compact = true;
    const auto compact = product_of<Cell>(A, c);
    c.is_compact = false;
    EXPECT_EQ(compact, product_of<Cell>(A, c)) << describe(A, c);
  }
}

constexpr Cuda::CsrPolicy every_policy[] = {{.lanes = 4},
                                            {.lanes = 16, .vectors = 2},
                                            {.vectors = 2},
                                            {.vectors = 4},
                                            {.lanes = 8, .rounds = 8},
                                            {.lanes = 8, .eager = true},
                                            {.lanes = 32, .tiles = true},
                                            {.lanes = 8, .blocks = true}};

template <class Cell>
void expect_bits_of_csr_in_every_kernel() {
  const auto matrices = matrices_of_blocks();
  CompactRowsCase c;
  int variant = 0;
  for (const int columns : {1, 2, 3, 4, 5, 8, 9, 32, 130}) {
    for (const bool keeps_order : {true, false}) {
      for (int p = -1; p < int(std::size(every_policy)); ++p) {
        if (!is_chosen(9)) continue;
        set_layout(c, variant++ * 7 % 64);
        c.columns = columns;
        c.keeps_order = keeps_order;
        c.gather = variant % 3 == 0;
        c.piece_tiles = variant % 2 == 0 ? 4 : 64;
        c.policy = p < 0 ? nullptr : &every_policy[p];
        expect_bits_of_csr<Cell>(matrices, c);
      }
    }
  }
}

TEST(CompactRowsSpmm, BitsAreThoseOfCompressedRows) {
  TESSERA_SKIP_WITHOUT_GPU();
#ifndef TESSERA_CUDA_EMULATED
  expect_bits_of_csr_in_every_kernel<CompactRowsCell<double>>();
#endif
  expect_bits_of_csr_in_every_kernel<CompactRowsCell<float>>();
  expect_bits_of_csr_in_every_kernel<CompactRowsCell<double, float>>();
}

}  // namespace
}  // namespace Tessera::Impl::Test
