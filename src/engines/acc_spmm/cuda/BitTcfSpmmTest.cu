// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpmmConformance.hpp"
#include "acc_spmm/cuda/Spmm.hpp"
#include "condensed/SerialCondensed.hpp"

namespace Tessera::Impl::Test {
namespace {

using Cuda::BitTcfBalance;

/// A case in which piece_tiles is the upper bound on the tiles of a thread block.
struct BitTcfCase : ProductCase {
  BitTcfBalance balance = BitTcfBalance::Adaptive;

  std::string text() const { return balance == BitTcfBalance::Always ? ", balanced" : ""; }
};

template <class MatrixScalar, class Scalar>
class BitTcfMatrix {
 public:
  BitTcfMatrix(const HostMatrix& A, const BitTcfCase& c) : BitTcfMatrix(A, c, serial_condensed(A, 1)) {}

  const Scalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::bittcf_workspace_bytes(pattern_, schedule(), x);
  }
  void launch(const BitTcfCase& c, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    auto own = schedule();
    own.pieces = with_policy(own.pieces, c);
    Cuda::bittcf_spmm(nullptr, pattern_, c.precision, own, product, workspace);
  }

 private:
  BitTcfMatrix(const HostMatrix& A, const BitTcfCase& c, const HostCondensed& B)
      : BitTcfMatrix(A, B,
                     Cuda::build_bittcf_schedule(B.window_offsets.data(), static_cast<int>(B.window_offsets.size()) - 1,
                                                 c.piece_tiles, int(sizeof(Scalar)), c.balance)) {}
  BitTcfMatrix(const HostMatrix& A, const HostCondensed& B, const Cuda::HostBitTcfSchedule& schedule)
      : windows_(B.window_offsets),
        tiles_(B.tile_offsets),
        columns_(B.tile_columns),
        masks_(B.tile_masks),
        values_(placed_values<Scalar>(A.values, B.slots)),
        pieces_(schedule.pieces),
        block_items_(schedule.block_items),
        block_count_(schedule.block_count()),
        pattern_{A.rows, A.columns, windows_.data(), tiles_.data(), columns_.data(), masks_.data()} {}

  Cuda::BitTcfSchedule schedule() const { return {pieces_.view, block_count_, block_items_.data()}; }

  OnDevice<Offset> windows_, tiles_;
  OnDevice<int> columns_;
  OnDevice<std::uint64_t> masks_;
  OnDevice<Scalar> values_;
  ScheduleOnDevice<Cuda::CondensedItem> pieces_;
  OnDevice<int> block_items_;
  int block_count_;
  BitTcfPattern pattern_;
};

struct BitTcfKernel : SpmmKernel<BitTcfCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = BitTcfMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {8, 16};
  static constexpr std::array widths = {8, 16};
  static constexpr int emulated_share = 17;

  static std::vector<Case> variants() {
    std::vector<Case> all(2);
    all[0].balance = BitTcfBalance::Never;
    all[1].balance = BitTcfBalance::Always;
    return all;
  }
  static std::vector<Case> long_cases(Case c) {
    std::vector<Case> cases;
    for (const int block_tiles : {1, 2, 3, 4, 5, 32, 1000}) {
      c.piece_tiles = block_tiles;
      cases.push_back(c);
    }
    return cases;
  }
  // Windows of 0 to 4 tiles, and a long window. Thread blocks hold parts of one window, or several windows.
  static std::vector<HostMatrix> long_matrices(const Case&) {
    const HostMatrix A = random_matrix(205, 700, 12, 9);  // the last row has all columns
    HostMatrix B;
    B.columns = A.columns;
    while (B.rows < A.rows) {
      const int end = B.rows / 8 % 3 == 0 ? A.row_offsets[B.rows] : A.row_offsets[B.rows + 1];
      for (int k = A.row_offsets[B.rows]; k < end; ++k) {
        B.column_indices.push_back(A.column_indices[k]);
        B.values.push_back(A.values[k]);
      }
      B.end_row();
    }
    return {B};
  }
};

template <Precision precision, class Scalar>
using BitTcfCell = SpmmCell<BitTcfKernel, precision, Scalar, Scalar>;
using BitTcfCells = ::testing::Types<BitTcfCell<Precision::Native, double>, BitTcfCell<Precision::Tf32x3, float>,
                                     BitTcfCell<Precision::Tf32, float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(BitTcf, Spmm, BitTcfCells, SpmmCellNames);

TEST(BitTcfSpmm, RejectsWhatItCannotDo) {
  const BitTcfPattern A;
  const Cuda::BitTcfSchedule schedule;
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Native, schedule, Product<float, float>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  Cuda::BitTcfSchedule with_slots;
  with_slots.pieces.slot_count = 1;
  Product<double, double> product;
  product.x.columns = 4;
  product.x.column_stride = 1;
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Native, with_slots, product, {}), std::invalid_argument);
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Native, schedule, product_with_x_rows<double>(), {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
