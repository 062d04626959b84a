// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "SpmmConformance.hpp"
#include "sorted_columns/SerialSortedColumns.hpp"
#include "sorted_columns/SortedColumnsPicture.hpp"
#include "sorted_columns/cuda/SerialSchedule.hpp"
#include "sorted_columns/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

struct SortedColumnsCase : ProductCase {
  int width = 32, height = 32;
  int group_steps = 8;
  int slab_columns = 0;  // 0: chosen by the product

  std::string text() const {
    return ", width " + std::to_string(width) + ", height " + std::to_string(height) + ", groups of " +
           std::to_string(group_steps) + ", slabs of " + std::to_string(slab_columns);
  }
};

template <class MatrixScalar, class Scalar>
class SortedColumnsMatrix {
 public:
  SortedColumnsMatrix(const HostMatrix& A, const SortedColumnsCase& c)
      : SortedColumnsMatrix(A, c, serial_sorted_columns(A, c.width, c.height)) {}

  const Scalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::sorted_columns_workspace_bytes(pattern_, schedule_, x);
  }
  void launch(const SortedColumnsCase& c, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    constexpr int lanes = 2;  // few lanes, so that there are several chunks of columns
    if (c.slab_columns != 0) {
      launch_policy<Cuda::SortedColumnsPolicy<lanes>>(c, product);
    } else {
      Cuda::sorted_columns_spmm(nullptr, pattern_, c.precision, with_policy(schedule_, c), product, workspace);
    }
  }

 private:
  SortedColumnsMatrix(const HostMatrix& A, const SortedColumnsCase& c, const HostSortedColumns& B)
      : SortedColumnsMatrix(A, B, serial_columns_schedule(B.view(), c.group_steps)) {}
  SortedColumnsMatrix(const HostMatrix& A, const HostSortedColumns& B, const HostColumnsSchedule& schedule)
      : values_(placed_values<Scalar>(A.values, B.slots)),
        block_offsets_(B.block_offsets),
        piece_offsets_(B.piece_offsets),
        group_segments_(schedule.group_segments),
        row_offsets_(schedule.row_offsets),
        row_slots_(schedule.row_slots),
        column_order_(B.column_order),
        block_positions_(B.block_positions),
        row_indices_(B.row_indices),
        step_positions_(schedule.step_positions),
        long_rows_(schedule.long_rows),
        position_indices_(B.position_indices),
        places_(schedule.places),
        segment_ends_(schedule.segment_ends),
        segment_lengths_(B.segment_lengths),
        piece_columns_(B.piece_columns),
        pattern_(B.view()),
        schedule_(schedule.view()) {
    pattern_.column_order = column_order_.data();
    pattern_.block_offsets = block_offsets_.data();
    pattern_.block_positions = block_positions_.data();
    pattern_.row_indices = row_indices_.data();
    pattern_.position_indices = position_indices_.data();
    pattern_.segment_lengths = segment_lengths_.data();
    pattern_.piece_offsets = piece_offsets_.data();
    pattern_.piece_columns = piece_columns_.data();
    schedule_.step_positions = step_positions_.data();
    schedule_.places = places_.data();
    schedule_.group_segments = group_segments_.data();
    schedule_.segment_ends = segment_ends_.data();
    schedule_.row_offsets = row_offsets_.data();
    schedule_.row_slots = row_slots_.data();
    schedule_.long_rows = long_rows_.data();
  }

  /// Runs a product in slabs of the size that the case names. Callers cannot request a size.
  template <class Policy>
  void launch_policy(const SortedColumnsCase& c, const Product<Scalar, Scalar>& product) const {
    const int slab = c.slab_columns == 0 ? c.columns : c.slab_columns;
    const auto padded = static_cast<std::size_t>(Cuda::sorted_columns_padded<Scalar>(slab));
    const OnDevice<Scalar> partials(std::vector<Scalar>(std::size_t(schedule_.slot_count) * padded));
    const OnDevice<Scalar> packed(std::vector<Scalar>(std::size_t(pattern_.columns) * padded));
    Cuda::SortedColumnsArguments<Scalar> arguments = {.A = pattern_, .schedule = schedule_, .product = product};
    arguments.partials = partials.data();
    Cuda::launch_sorted_columns<Policy>(nullptr, arguments, slab, packed.data());
    check(cudaDeviceSynchronize(), "running");
  }

  OnDevice<Scalar> values_;
  OnDevice<Offset> block_offsets_, piece_offsets_, group_segments_, row_offsets_, row_slots_;
  OnDevice<int> column_order_, block_positions_, row_indices_, step_positions_, long_rows_;
  OnDevice<std::uint16_t> position_indices_, places_, segment_ends_;
  OnDevice<std::int16_t> segment_lengths_;
  OnDevice<std::uint32_t> piece_columns_;
  SortedColumnsPattern pattern_;
  Cuda::SortedColumnsSchedule schedule_;
};

struct SortedColumnsKernel : SpmmKernel<SortedColumnsCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = SortedColumnsMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {8, 32};
  static constexpr std::array widths = {32};
  static constexpr bool scatters = false;
  static constexpr int emulated_share = 31, emulated_columns_share = 7;

  /// The slabs that products use, and slabs of few columns.
  static std::vector<Case> variants() {
    std::vector<Case> all(3);
    all[1].slab_columns = 8;
    all[2].slab_columns = 20;
    return all;
  }
  /// Rows with too many slots for a team of lanes, up to one slot for each column.
  static std::vector<Case> long_cases(Case c) {
    c.width = 4;
    c.height = 1;
    c.group_steps = 1;
    std::vector<Case> cases(2, c);
    cases[1].left_layout = true;
    return cases;
  }
  static std::vector<HostMatrix> long_matrices(const Case&) {
    std::vector<HostMatrix> all;
    for (const int columns : {4 * 63, 4 * 64, 4 * 65, 400}) all.push_back(random_matrix(21, columns, 40, 9));
    return all;
  }
  /// Rows with few slots, and rows with so many slots that a thread block sums them.
  static std::vector<Case> column_cases(const Case& c) { return {c, long_cases(c)[0]}; }
  /// Neither the layout nor the slab changes bits.
  static void vary(Case& part, int number) {
    part.slab_columns = number == 2 || number == 4 ? 4 : 0;
    part.left_layout = part.slab_columns != 0;
  }
};

template <class Scalar>
using SortedColumnsCell = SpmmCell<SortedColumnsKernel, Precision::Native, Scalar, Scalar>;
using SortedColumnsCells = ::testing::Types<SortedColumnsCell<double>, SortedColumnsCell<float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(SortedColumns, Spmm, SortedColumnsCells, SpmmCellNames);

template <class Cell>
struct SortedColumnsSpmm : Spmm<Cell> {};
TYPED_TEST_SUITE(SortedColumnsSpmm, SortedColumnsCells, SpmmCellNames);

TYPED_TEST(SortedColumnsSpmm, BlocksAndGroups) {
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(61, 203, 30, 8);
    c.columns = 12;
    for (const int width : {1, 3, 4, 32, 100, 300}) {
      for (const int height : {1, 2, 5, 32}) {
        for (const int steps : {1, 5, 8, 64}) {
          if (steps * width > Cuda::sorted_columns_most_elements) continue;
          c.width = width;
          c.height = height;
          c.group_steps = steps;
          SortedColumnsSpmm<TypeParam>::check(A, c);
        }
      }
    }
  });
}

TEST(SortedColumnsProduct, SlabsFitTheirMemory) {
  Cuda::SortedColumnsSchedule schedule;
  const auto slab = [&](std::size_t slots, int N) {
    schedule.slot_count = slots;
    return Cuda::sorted_columns_slab<double>(schedule, N);
  };
  constexpr std::size_t most = std::size_t(1) << 28;  // doubles in 2 GiB
  EXPECT_EQ(slab(0, 1000), 1000);
  EXPECT_EQ(slab(10, 0), 1);
  EXPECT_EQ(slab(most / 32, 101), 32);
  EXPECT_EQ(slab(most / 100, 100), 100);
  EXPECT_EQ(slab(most / 100, 101), 64);
  EXPECT_EQ(slab(most / 100, 1000), 96);
  EXPECT_EQ(slab(most / 31, 101), 16);
  EXPECT_EQ(slab(most, 101), 2);
}

TEST(SortedColumnsProduct, RejectsWhatItCannotDo) {
  const SortedColumnsPicture picture;
  const auto host_schedule = serial_columns_schedule(picture.view(), 3);
  const SortedColumnsPattern A = picture.view();
  Cuda::SortedColumnsSchedule schedule = host_schedule.view();
  Product<float, float> product;
  product.x.rows = product.y.rows = 16;
  product.x.columns = product.y.columns = 4;
  const auto run = [&](Precision precision) {
    Cuda::sorted_columns_spmm(nullptr, A, precision, schedule, product, {});
  };
  EXPECT_THROW(run(Precision::Tf32), std::invalid_argument);
  EXPECT_THROW(run(Precision::Native), std::invalid_argument) << "no workspace";
  const int order = 0;
  product.y_rows = &order;
  EXPECT_THROW(run(Precision::Native), std::invalid_argument);
  product.y_rows = nullptr;
  product.x_rows = &order;
  EXPECT_THROW(run(Precision::Native), std::invalid_argument);
  product.x_rows = nullptr;
  product.x.rows = 15;
  EXPECT_THROW(run(Precision::Native), std::invalid_argument);
  product.x.rows = 16;
  schedule.places = nullptr;  // groups of 3 steps need them
  EXPECT_THROW(run(Precision::Native), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
