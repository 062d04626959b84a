// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "SpmmConformance.hpp"
#include "staged/SerialStaged.hpp"
#include "staged/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

/// A case in which piece_tiles counts chunks.
using StagedCase = ProductCase;

StagedShape shape_of(const StagedCase& c) { return {64, 64, c.piece_tiles, 1024}; }

template <class MatrixScalar, class Scalar>
class StagedMatrix {
 public:
  StagedMatrix(const HostMatrix& A, const StagedCase& c)
      : StagedMatrix(A, shape_of(c), SerialStaged(A, shape_of(c), sizeof(MatrixScalar)).result()) {}

  const MatrixScalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::staged_workspace_bytes(pattern_, schedule_.view, x);
  }
  void launch(const StagedCase& c, const Product<MatrixScalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::staged_spmm(nullptr, pattern_, c.precision, schedule_.view, product, workspace);
  }

 private:
  StagedMatrix(const HostMatrix& A, const StagedShape& shape, const HostStaged& B)
      : window_offsets_(B.window_offsets),
        chunk_columns_(B.chunk_columns),
        chunks_(B.chunks),
        tiles_(B.tile_data),
        values_(placed_values<MatrixScalar>(A.values, B.slots)),
        schedule_(Cuda::build_condensed_schedule(window_offsets_.data(), static_cast<int>(window_offsets_.size()) - 1,
                                                 shape.piece_chunks, Cuda::PieceCut::Full)) {
    pattern_.rows = A.rows, pattern_.columns = A.columns;
    pattern_.window_rows = shape.window_rows;
    pattern_.chunk_slots = shape.chunk_slots, pattern_.piece_chunks = shape.piece_chunks;
    pattern_.most_tile_bytes = static_cast<int>(B.most_tile_bytes);
    pattern_.most_value_bytes = static_cast<int>(B.most_value_bytes);
    pattern_.window_offsets = window_offsets_.data(), pattern_.chunk_columns = chunk_columns_.data();
    pattern_.chunks = chunks_.data(), pattern_.tiles = tiles_.data();
  }

  std::vector<int> window_offsets_;
  OnDevice<int> chunk_columns_;
  OnDevice<StagedChunk> chunks_;
  OnDevice<std::byte> tiles_;
  OnDevice<MatrixScalar> values_;

 protected:
  ScheduleOnDevice<Cuda::CondensedItem> schedule_;
  StagedPattern pattern_;
};

struct StagedKernel : SpmmKernel<StagedCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = StagedMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {64, 128};
  static constexpr std::array widths = {8, 64};
  static constexpr int emulated_share = 5;

  static std::vector<Case> long_cases(Case c) {
    std::vector<Case> cases;
    for (const int chunks : {1, 2, 3, 50}) {
      c.piece_tiles = chunks;
      cases.push_back(c);
    }
    return cases;
  }
  static std::vector<HostMatrix> long_matrices(const Case&) { return {random_matrix(130, 700, 60, 10)}; }
  static std::vector<Case> column_cases(Case c) {
    c.piece_tiles = 2;
    return {c};
  }
};

using StagedCell = SpmmCell<StagedKernel, Precision::Native, double>;
using StagedCells = ::testing::Types<StagedCell>;
INSTANTIATE_TYPED_TEST_SUITE_P(Staged, Spmm, StagedCells, SpmmCellNames);

void check_doubles(const HostMatrix& A) {
  StagedCase c;
  c.columns = 33;
  check_product<StagedCell>(A, c);
}

// Alternates chunks of few and of many values, which need different sizes of shared memory.
TEST(StagedSpmm, ChunksThatDifferInTurns) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix few = random_matrix(64, 10, 1, 13), many = random_matrix(64, 200, 100, 14);
  for (const HostMatrix* A : {&few, &many, &few, &many}) check_doubles(*A);
}

struct MatrixWhoseLanesFree : StagedMatrix<double, double> {
  using StagedMatrix<double, double>::StagedMatrix;

  void launch(const StagedCase&, const Product<double, double>& product, const Scratch& workspace) const {
    Cuda::StagedArguments<double> arguments = {.A = pattern_, .schedule = schedule_.view, .product = product};
    arguments.partials = reinterpret_cast<double*>(workspace.data);
    arguments.partials_stride = product.x.columns;
    Cuda::launch_staged<Precision::Native, EveryLaneFrees<Cuda::DefaultStagedPolicy<double>>>(nullptr, arguments);
  }
};

// racecheck skips the usual kernel, and checks these products instead (scripts/check_gpu). Windows have more chunks
// than a block has buffers. On a GPU, blocks have several tasks.
TEST(StagedSpmm, EveryLaneFrees) {
  TESSERA_SKIP_WITHOUT_GPU();
#ifdef TESSERA_CUDA_EMULATED
  const HostMatrix A = random_matrix(130, 900, 100, 16);
#else
  const HostMatrix A = random_matrix(2000, 900, 100, 16);
#endif
  for (const int chunks : {2, 50}) {
    for (const int columns : {32, 100}) {
      StagedCase c;
      c.columns = columns, c.piece_tiles = chunks;
      const auto x = random_values<double>(extent(c, A.columns), 1), y = random_values<double>(extent(c, A.rows), 2);
      std::vector<double> expected = y, result = y;
      multiply(StagedMatrix<double, double>(A, c), A, c, x, expected);
      multiply(MatrixWhoseLanesFree(A, c), A, c, x, result);
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), y.size() * sizeof(double)), 0) << describe(A, c);
    }
  }
}

#ifdef TESSERA_CUDA_EMULATED
// Producers fill a buffer as soon as consumers release it. A chunk must be kept until the next one is multiplied,
// because the first tile of each strip refers to it. Windows have more chunks than a block has buffers.
TEST(StagedSpmm, ProducersRunAhead) {
  auto& block = Emulation::Block::running();
  block.prefer_last_threads(true);
  check_doubles(random_matrix(130, 900, 100, 16));
  block.prefer_last_threads(false);
}

TEST(StagedSpmm, ASecondProductOnlyLaunches) {
  const HostMatrix A = random_matrix(70, 200, 20, 15);
  check_doubles(A);
  const int asked = Emulation::Runtime::instance().questions();
  EXPECT_GT(asked, 0);
  check_doubles(A);
  EXPECT_EQ(Emulation::Runtime::instance().questions(), asked);
}
#endif

TEST(StagedSpmm, RejectsWhatItCannotDo) {
  StagedPattern A;
  const Cuda::CondensedSchedule schedule;
  EXPECT_THROW(Cuda::staged_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::staged_spmm(nullptr, A, Precision::Native, schedule, product_with_x_rows<double>(), {}),
               std::invalid_argument);
  A.window_rows = 64, A.chunk_slots = 3;
  EXPECT_THROW(Cuda::staged_spmm(nullptr, A, Precision::Native, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
