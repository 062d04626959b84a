// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpmmConformance.hpp"
#include "brp/SerialBrp.hpp"
#include "brp/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

/// A product, and the f and g of its matrix.
struct BrpCase : ProductCase {
  int f = 1, g = 1;

  std::string text() const { return ", f " + std::to_string(f) + ", g " + std::to_string(g); }
};

template <class MatrixScalar, class Scalar>
class BrpMatrix {
 public:
  BrpMatrix(const HostMatrix& A, const BrpCase& c) : BrpMatrix(A, c, serial_brp(A, c.f, c.g)) {}

  const Scalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::brp_workspace_bytes(pattern_, schedule_.view, x);
  }
  void launch(const BrpCase& c, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::brp_spmm(nullptr, pattern_, c.precision, with_policy(schedule_.view, c), product, workspace);
  }

 private:
  BrpMatrix(const HostMatrix& A, const BrpCase& c, const HostBrp& B)
      : window_groups_(B.window_groups),
        residual_offsets_(B.residual_offsets),
        window_residuals_(B.window_residuals),
        group_columns_(B.group_columns),
        residual_rows_(B.residual_rows),
        residual_columns_(B.residual_columns),
        local_ids_(B.local_ids),
        values_(placed_values<Scalar>(A.values, B.slots)),
        schedule_(Cuda::build_brp_schedule(B.view(), c.piece_tiles)),
        pattern_{A.rows,
                 A.columns,
                 c.f,
                 c.g,
                 static_cast<Offset>(B.group_windows.size()),
                 nullptr,
                 window_groups_.data(),
                 local_ids_.data(),
                 group_columns_.data(),
                 residual_rows_.data(),
                 residual_offsets_.data(),
                 residual_columns_.data(),
                 window_residuals_.data()} {}

  OnDevice<Offset> window_groups_, residual_offsets_, window_residuals_;
  OnDevice<int> group_columns_, residual_rows_, residual_columns_;
  OnDevice<std::uint8_t> local_ids_;
  OnDevice<Scalar> values_;
  ScheduleOnDevice<Cuda::BrpItem> schedule_;
  BrpPattern pattern_;
};

/// Windows have local_columns columns of f entries. Each row has `residuals` more entries, alone in their columns.
HostMatrix partitioned_matrix(int windows, int f, int local_columns, int residuals) {
  HostMatrix A;
  A.columns = local_columns + 16 * residuals;
  while (A.rows < 16 * windows) {
    for (int c = 0; c < local_columns; ++c) {
      if ((A.rows + 16 - c % 16) % 16 < f) A.column_indices.push_back(c);
    }
    for (int i = 0; i < residuals; ++i) A.column_indices.push_back(local_columns + 16 * i + A.rows % 16);
    A.end_row();
  }
  for (std::size_t k = 0; k < A.nonzeros(); ++k) A.values.push_back(1.0 / static_cast<double>(1 + k % 31));
  return A;
}

struct BrpKernel : SpmmKernel<BrpCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = BrpMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {8, 16, 32};
  static constexpr std::array widths = {8, 32};
  static constexpr int emulated_share = 37, emulated_columns_share = 5;

  static std::vector<Case> variants() {
    std::vector<Case> all;
    for (const int f : {1, 2, 4}) {
      for (const int g : {1, 2, 4}) {
        all.emplace_back();
        all.back().f = f;
        all.back().g = g;
      }
    }
    return all;
  }
  static std::vector<Case> long_cases(Case c) {
    c.piece_tiles = 16;
    return {c};
  }
  // Long windows; then windows with whole groups, or one local column fewer or more, with and without residual rows.
  static std::vector<HostMatrix> long_matrices(const Case& c) {
    std::vector<HostMatrix> all;
    for (const int columns : {8 * 15, 8 * 16, 8 * 16 + 1, 8 * 32, 8 * 33, 5000}) {
      all.push_back(random_matrix(37, columns, 100, 9));
    }
    for (const int local_columns : {8 * c.g - 1, 8 * c.g, 8 * c.g + 1, 24 * c.g}) {
      for (const int residuals : {0, 1, 9}) all.push_back(partitioned_matrix(3, c.f, local_columns, residuals));
    }
    return all;
  }
};

template <Precision precision, class Scalar>
using BrpCell = SpmmCell<BrpKernel, precision, Scalar, Scalar>;
using BrpCells = ::testing::Types<BrpCell<Precision::Native, double>, BrpCell<Precision::Tf32x3, float>,
                                  BrpCell<Precision::Tf32, float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Brp, Spmm, BrpCells, SpmmCellNames);

TEST(BrpSpmm, RejectsWhatItCannotDo) {
  BrpPattern A;
  const Cuda::BrpSchedule schedule;
  Product<float, float> product;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Native, schedule, product, {}), std::invalid_argument);
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  A.f = 3;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, product, {}), std::invalid_argument);
  A.f = 1;
  alignas(8) static const Ordinal columns[2] = {};
  A.group_columns = columns + 1;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, product, {}), std::invalid_argument);
  A.group_columns = columns;
  Cuda::BrpSchedule with_slots;
  with_slots.slot_count = 1;
  product.x.columns = 4;
  product.x.column_stride = 1;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, with_slots, product, {}), std::invalid_argument);
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, product_with_x_rows<float>(), {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
