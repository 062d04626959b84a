// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "SpmmConformance.hpp"
#include "voltrix/SerialWords.hpp"
#include "voltrix/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

struct BmatCase : ProductCase {
  Cuda::BmatPartition partition = Cuda::BmatPartition::EqualCost;
  int multiprocessors = 0;  // multiprocessors of the schedule; 0: those of the GPU
};

template <class MatrixScalar, class Scalar>
class BmatMatrix {
 public:
  BmatMatrix(const HostMatrix& A, const BmatCase& c)
      : BmatMatrix(A, c, serial_bmat_words(A), c.multiprocessors > 0 ? c.multiprocessors : multiprocessors()) {}

  const Scalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::bmat_workspace_bytes(pattern_, schedule(), x);
  }
  void launch(const BmatCase& c, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::bmat_spmm(nullptr, pattern_, c.precision, with_policy(schedule(), c), product, workspace);
  }

 protected:
  Cuda::BmatSchedule schedule() const { return {pieces_.view, multiprocessors_, points_.data()}; }

 private:
  BmatMatrix(const HostMatrix& A, const BmatCase& c, const HostBmatWords& B, int multiprocessors)
      : BmatMatrix(A, B, multiprocessors,
                   Cuda::build_bmat_schedule(B.view(), c.piece_tiles, multiprocessors, c.partition)) {}
  BmatMatrix(const HostMatrix& A, const HostBmatWords& B, int multiprocessors, const Cuda::HostBmatSchedule& schedule)
      : multiprocessors_(multiprocessors),
        windows_(B.window_offsets),
        first_values_(B.tile_offsets),
        columns_(B.tile_columns),
        words_(B.tile_words),
        values_(placed_values<Scalar>(A.values, B.slots)),
        pieces_(schedule),
        points_(schedule.points),
        pattern_{A.rows, A.columns, windows_.data(), first_values_.data(), columns_.data(), words_.data()} {}

  static int multiprocessors() {
    int count = 0;
    Test::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
    return count;
  }

  int multiprocessors_;
  OnDevice<Offset> windows_, first_values_;
  OnDevice<int> columns_;
  OnDevice<std::uint32_t> words_;
  OnDevice<Scalar> values_;
  ScheduleOnDevice<Cuda::BmatItem> pieces_;
  OnDevice<Cuda::BmatPoint> points_;

 protected:
  BmatWords pattern_;
};

struct BmatKernel : SpmmKernel<BmatCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = BmatMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {16, 32};
  static constexpr std::array widths = {8, 16};
  static constexpr int emulated_share = 11;
};

template <Precision precision, class Scalar>
using BmatCell = SpmmCell<BmatKernel, precision, Scalar, Scalar>;
using BmatCells = ::testing::Types<BmatCell<Precision::Native, double>, BmatCell<Precision::Tf32x3, float>,
                                   BmatCell<Precision::Tf32, float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Bmat, Spmm, BmatCells, SpmmCellNames);

/// Launches a policy that bmat_spmm() does not choose.
template <Precision precision, class Policy, class Scalar>
struct MatrixWithPolicy : BmatMatrix<Scalar, Scalar> {
  using BmatMatrix<Scalar, Scalar>::BmatMatrix;

  void launch(const BmatCase&, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::BmatArguments<Scalar> arguments = {{.A = this->pattern_, .schedule = this->schedule(), .product = product}};
    arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
    arguments.partials_stride = product.x.columns;
    Cuda::launch_bmat<precision, Policy>(nullptr, arguments);
  }
};

/// Checks that a product with this policy has the same bits as with the one that bmat_spmm() chooses.
template <Precision precision, class Policy, class Scalar>
void check_policy(const char* name, const HostMatrix& A, BmatCase c) {
  SCOPED_TRACE(name);
  c.precision = precision;
  const BmatMatrix<Scalar, Scalar> tuned(A, BmatCase{ProductCase(c)});
  const MatrixWithPolicy<precision, Policy, Scalar> other(A, c);
  for (const int columns : {8, 100}) {
    c.columns = columns;
    const auto x = random_values<Scalar>(extent(c, A.columns), 5), y = random_values<Scalar>(extent(c, A.rows), 6);
    std::vector<Scalar> expected = y, result = y;
    multiply(tuned, A, c, x, expected);
    multiply(other, A, c, x, result);
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), y.size() * sizeof(Scalar)), 0) << columns << " columns";
  }
}

// Checks shapes of blocks and partitions that bmat_spmm() does not use.
template <Precision precision, class Policy, class Scalar>
void check_policy(const char* name, Cuda::BmatPartition partition = Cuda::BmatPartition::EqualCost) {
  BmatCase c;
  c.piece_tiles = 9;
  c.partition = partition;
  check_policy<precision, Policy, Scalar>(name, random_matrix(60, 150, 20, 12), c);
}

TEST(BmatSpmm, PoliciesAgree) {
  TESSERA_SKIP_WITHOUT_GPU();
  using Cuda::BmatCopy;
  using Cuda::BmatPolicy;
  constexpr Precision native = Precision::Native, tf32x3 = Precision::Tf32x3;
  check_policy<native, BmatPolicy<16, 8, 1, 8, 1>, double>("that of the paper");
  check_policy<tf32x3, BmatPolicy<16, 8, 1, 8, 1>, float>("that of the paper");
  check_policy<native, BmatPolicy<8, 4, 4, 1, 2>, double>("one product, one buffer");
  check_policy<tf32x3, BmatPolicy<8, 4, 4, 1, 2>, float>("one product, one buffer");
  check_policy<native, BmatPolicy<32, 1, 2, 3, 8>, double>("bulk copies");
  check_policy<native, BmatPolicy<32, 4, 2, 2, 2, BmatCopy::Sixteens>, double>("rows of 1024 bytes");
  check_policy<tf32x3, BmatPolicy<64, 2, 2, 4, 4>, float>("bulk copies");
  check_policy<tf32x3, BmatPolicy<64, 4, 1, 2, 1, BmatCopy::Sixteens>, float>("rows of 1024 bytes");
  check_policy<tf32x3, BmatPolicy<32, 2, 2, 2, 3>, float>("dealt", Cuda::BmatPartition::Dealt);
  check_policy<native, Cuda::TunedBmatPolicy<double, false>, double>("dealt", Cuda::BmatPartition::Dealt);
}

/// Checks blocks that run several tasks. Each task uses every buffer more than once.
template <Precision precision, class Policy, class Scalar>
void check_barriers(const char* name) {
  BmatCase c;
  c.piece_tiles = 64;
  c.multiprocessors = 1;
  static_assert((2 * Policy::buffers + 1) * Policy::stage_tiles <= 64);
#ifdef TESSERA_CUDA_EMULATED
  const HostMatrix A = random_matrix(66, 900, 250, 10);
#else
  const HostMatrix A = random_matrix(400, 900, 250, 10);
#endif
  const auto windows = serial_bmat_words(A).window_offsets;
  for (std::size_t w = 0; w + 1 < windows.size(); ++w) ASSERT_GE(windows[w + 1] - windows[w], 64);
  check_policy<precision, EveryLaneFrees<Policy>, Scalar>(name, A, c);
}

// racecheck skips the usual kernel, and checks these products instead (scripts/check_gpu).
TEST(BmatSpmm, EveryLaneFrees) {
  TESSERA_SKIP_WITHOUT_GPU();
  using Cuda::TunedBmatPolicy;
  check_barriers<Precision::Native, TunedBmatPolicy<double, false>, double>("narrow");
  check_barriers<Precision::Native, TunedBmatPolicy<double, true>, double>("wide");
  check_barriers<Precision::Tf32x3, TunedBmatPolicy<float, false>, float>("narrow");
  check_barriers<Precision::Tf32x3, TunedBmatPolicy<float, true>, float>("wide");
  check_barriers<Precision::Native, Cuda::BmatPolicy<16, 8, 1, 8, 1>, double>("bulk copies");
}

TEST(BmatSpmm, RejectsWhatItCannotDo) {
  const BmatWords A;
  Cuda::BmatSchedule schedule;
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Native, schedule, Product<float, float>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Native, schedule, product_with_x_rows<double>(), {}),
               std::invalid_argument);
  schedule.slot_count = 1;
  Product<double, double> product;
  product.x.columns = 1;
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Native, schedule, product, {}), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
