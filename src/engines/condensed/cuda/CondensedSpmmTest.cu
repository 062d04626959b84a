// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpmmConformance.hpp"
#include "condensed/SerialCondensed.hpp"
#include "condensed/cuda/DenseTiles.hpp"
#include "condensed/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

using Cuda::TileValues;

struct CondensedCase : ProductCase {
  int strips = 1;  // strips of a window
  TileValues values = TileValues::Dense;

  std::string text() const {
    return ", strips " + std::to_string(strips) +
           (values == TileValues::Dense     ? ", dense"
            : values == TileValues::Rounded ? ", rounded"
                                            : ", compact");
  }
  /// Whether a kernel exists. Whole blocks of one strip are Rounded in 16-bit precisions, and Dense in others.
  bool accepts(Precision precision) const {
    if (values == TileValues::Compact || strips == 2) return values != TileValues::Rounded;
    return (values == TileValues::Rounded) == Cuda::is_half(precision);
  }
};

template <class MatrixScalar, class Scalar>
class CondensedMatrix {
 public:
  CondensedMatrix(const HostMatrix& A, const CondensedCase& c) : CondensedMatrix(A, c, serial_condensed(A, c.strips)) {}

  const MatrixScalar* values() const { return kind_ == TileValues::Dense ? dense_.data() : compact_.data(); }
  std::size_t workspace_bytes(Precision precision, const Multivector<const Scalar>& x) const {
    return Cuda::condensed_workspace_bytes(pattern_, precision, schedule_.view, x);
  }
  void launch(const CondensedCase& c, const Product<MatrixScalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::condensed_spmm(nullptr, pattern_, kind_, c.precision, with_policy(schedule_.view, c), product, workspace,
                         rounded_.data());
  }

 private:
  CondensedMatrix(const HostMatrix& A, const CondensedCase& c, const HostCondensed& B)
      : kind_(c.values),
        windows_(B.window_offsets),
        tiles_(B.tile_offsets),
        columns_(B.tile_columns),
        masks_(B.tile_masks),
        compact_(placed_values<MatrixScalar>(A.values, B.slots)),
        dense_(std::vector<MatrixScalar>(B.tiles() * c.strips * 64)),
        rounded_(std::vector<std::uint16_t>(B.tiles() * c.strips * 64)),
        schedule_(Cuda::build_condensed_schedule(B.window_offsets.data(), static_cast<int>(B.window_offsets.size()) - 1,
                                                 c.piece_tiles)),
        pattern_{A.rows, A.columns, c.strips, windows_.data(), tiles_.data(), columns_.data(), masks_.data()} {
    Cuda::expand_tiles<MatrixScalar>(nullptr, pattern_, B.tiles(), compact_.data(), dense_.data());
    if (kind_ == TileValues::Rounded) {
      Cuda::expand_rounded_tiles<MatrixScalar>(nullptr, c.precision, pattern_, B.tiles(), compact_.data(),
                                               rounded_.data());
    }
  }

  TileValues kind_;
  OnDevice<Offset> windows_, tiles_;
  OnDevice<int> columns_;
  OnDevice<std::uint64_t> masks_;
  OnDevice<MatrixScalar> compact_, dense_;
  OnDevice<std::uint16_t> rounded_;
  ScheduleOnDevice<Cuda::CondensedItem> schedule_;
  Cuda::CondensedPattern pattern_;
};

struct CondensedKernel : SpmmKernel<CondensedCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = CondensedMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {8, 16};
  static constexpr std::array widths = {8};
  static constexpr int emulated_share = 37, emulated_columns_share = 7;

  static std::vector<Case> variants() {
    std::vector<Case> all;
    for (const int strips : {1, 2}) {
      for (const auto values : {TileValues::Dense, TileValues::Compact, TileValues::Rounded}) {
        all.emplace_back();
        all.back().strips = strips;
        all.back().values = values;
      }
    }
    return all;
  }
  static bool accepts(const Case& c) { return c.accepts(c.precision); }
  static std::vector<Case> long_cases(Case c) {
    c.piece_tiles = 16;
    return {c};
  }
  static std::vector<HostMatrix> long_matrices(const Case&) {
    std::vector<HostMatrix> all;
    for (const int columns : {8 * 15, 8 * 16, 8 * 16 + 1, 8 * 32, 8 * 33, 20000}) {
      all.push_back(random_matrix(21, columns, 40, 9));
    }
    return all;
  }
};

template <Precision precision, class Scalar, class MatrixScalar = Scalar>
using CondensedCell = SpmmCell<CondensedKernel, precision, Scalar, MatrixScalar>;
using CondensedCells =
    ::testing::Types<CondensedCell<Precision::Native, double>, CondensedCell<Precision::Tf32x3, float>,
                     CondensedCell<Precision::Tf32, float>, CondensedCell<Precision::Bf16, float>,
                     CondensedCell<Precision::Bf16, double>, CondensedCell<Precision::Fp16, float>,
                     CondensedCell<Precision::Fp16, double>, CondensedCell<Precision::Fp16, double, float>,
                     CondensedCell<Precision::Fp16, Half, float>, CondensedCell<Precision::Bf16, BFloat16, float>,
                     CondensedCell<Precision::Bf16, Half, float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Condensed, Spmm, CondensedCells, SpmmCellNames);

// Elements of X that are too large for FP16, but not for FP32, are multiplied correctly.
TEST(CondensedSpmm, Fp16Overflow) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (CondensedCase c : CondensedKernel::variants()) {
    c.precision = Precision::Fp16;
    if (!c.accepts(c.precision)) continue;
    c.columns = 20;
    const HostMatrix A = random_matrix(61, 203, 6, 12);
    auto x = random_values<float>(extent(c, A.columns), 7);
    for (int i = 0; i < A.columns; i += 3) x[place(c, A.columns, i, 11)] = 1e6f;
    check_product<CondensedCell<Precision::Fp16, float>>(A, c, x);
  }
}

// A 16-bit X is read in place if its rows are whole vectors. Rows may be part of a wider array, and memory may end
// right after it.
TEST(CondensedSpmm, RowsOfHalvesInPlace) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (CondensedCase c : CondensedKernel::variants()) {
    c.precision = Precision::Fp16;
    if (!c.accepts(c.precision)) continue;
    const HostMatrix A = random_matrix(61, 203, 12, 12);
    for (const int columns : {8, 24, 32, 64, 136}) {
      c.columns = columns;
      c.padding = columns == 24 ? 8 : 0;
      c.beta = columns == 64 ? 0 : 0.5;
      check_product<CondensedCell<Precision::Fp16, Half, float>>(A, c);
    }
  }
}

TEST(CondensedSpmm, RejectsWhatItCannotDo) {
  EXPECT_THROW(Cuda::build_condensed_schedule(nullptr, 0, 0), std::invalid_argument);
  const Cuda::CondensedPattern A;
  const Cuda::CondensedSchedule schedule;
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Native, schedule, Product<float, float>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Tf32, schedule, Product<double, double>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Native, schedule, Product<float, double>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Tf32, schedule, product_with_x_rows<float>(), {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Rounded, Precision::Tf32, schedule, Product<float, float>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Fp16, schedule, Product<float, float>{}, {}),
      std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
