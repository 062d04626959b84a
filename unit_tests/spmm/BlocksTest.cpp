// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BlocksTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlocksTest, UserOffsetCases);

/// A matrix of dense blocks as users pass it (members of KokkosSparse::BsrMatrix), and the same matrix in elements.
template <class Exec, class Offset>
struct BlockMatrix {
  struct Graph {
    Kokkos::View<Offset*, typename Exec::memory_space> row_map;
    Kokkos::View<int*, typename Exec::memory_space> entries;
  } graph;
  UserValues<Exec, double> values;
  int rows, columns, size;
  UserMatrix<Exec, double, Offset> elements;

  int numRows() const { return rows; }
  int numCols() const { return columns; }
  int blockDim() const { return size; }

  BlockMatrix(const HostPattern<Offset>& blocks, int block_size, std::uint64_t seed)
      : BlockMatrix(blocks, block_size,
                    random_values<double>(blocks.nonzeros() * std::size_t(block_size * block_size), seed)) {}
  BlockMatrix(const HostPattern<Offset>& blocks, int block_size, const std::vector<double>& host_values)
      : graph{to_device<Exec>(blocks.row_offsets), to_device<Exec>(blocks.column_indices)},
        values(user_values<Exec>(host_values)),
        rows(blocks.rows),
        columns(blocks.columns),
        size(block_size),
        elements(element_pattern(blocks, block_size), element_values(blocks, block_size, host_values)) {}

  static HostPattern<Offset> element_pattern(const HostPattern<Offset>& blocks, int size) {
    HostPattern<Offset> result;
    result.columns = blocks.columns * size;
    for (int i = 0; i < blocks.rows * size; ++i) {
      for (Offset b = blocks.row_offsets[i / size]; b < blocks.row_offsets[i / size + 1]; ++b) {
        for (int j = 0; j < size; ++j) result.column_indices.push_back(blocks.column_indices[b] * size + j);
      }
      result.end_row();
    }
    return result;
  }
  static std::vector<double> element_values(const HostPattern<Offset>& blocks, int size,
                                            const std::vector<double>& values) {
    std::vector<double> result;
    for (int i = 0; i < blocks.rows * size; ++i) {
      for (Offset b = blocks.row_offsets[i / size]; b < blocks.row_offsets[i / size + 1]; ++b) {
        for (int j = 0; j < size; ++j) {
          result.push_back(values[std::size_t(b) * std::size_t(size * size) + std::size_t(i % size * size + j)]);
        }
      }
    }
    return result;
  }
};

/// Sorted blocks, and unsorted blocks with duplicates, each followed by new values.
TYPED_TEST(BlocksTest, MultiplyAsTheirElementsDo) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  for (const auto& blocks : {random_pattern<Offset>(9, 13, 0.3, 1, 4), unsorted_pattern<Offset>(9, 7, 6, 2)}) {
    for (const int size : {1, 2, 3, 8}) {
      const BlockMatrix<Exec, Offset> A(blocks, size, 3), B(blocks, size, 4);
      for (const Format format : every_format) {
        auto plan = make_plan(Exec(), A, with_format(format));
        EXPECT_EQ(plan.rows(), 9 * size);
        EXPECT_EQ(plan.nonzeros(), A.elements.stored.nonzeros());
        expect_product<View>(A.elements, plan, 5, Mode::NoTranspose, 1, 0, "blocks");
        expect_product<View>(A.elements, plan, 5, Mode::Transpose, -2, 1, "blocks");
        plan.update_values(Exec(), B.values);
        expect_product<View>(B.elements, plan, 5, Mode::NoTranspose, 1, 0, "new blocks");
        expect_product<View>(B.elements, plan, 5, Mode::Transpose, 1, 0, "new blocks");
      }
    }
  }
}

TYPED_TEST(BlocksTest, MayBeNone) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  for (const int rows : {0, 4}) {
    HostPattern<Offset> blocks;
    blocks.columns = 5;
    while (blocks.rows < rows) blocks.end_row();
    const BlockMatrix<Exec, Offset> A(blocks, 3, 1);
    auto plan = make_plan(Exec(), A);
    EXPECT_EQ(plan.rows(), 3 * rows);
    EXPECT_EQ(plan.columns(), 15);
    expect_product<View>(A.elements, plan, 2, Mode::NoTranspose, 1, 0, "no blocks");
  }
}

/// Returns the error message of make_plan for a wrong matrix.
template <class Matrix>
std::string rejection(const Matrix& A) {
  try {
    make_plan(typename decltype(A.values)::execution_space(), A);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TYPED_TEST(BlocksTest, AreCheckedBeforeTheyAreRead) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const BlockMatrix<Exec, Offset> A(random_pattern<Offset>(9, 13, 0.3, 1), 3, 3);
  const auto expect = [](const BlockMatrix<Exec, Offset>& wrong, const std::string& text) {
    EXPECT_NE(rejection(wrong).find(text), std::string::npos) << text << " is not in " << rejection(wrong);
  };
  auto wrong = A;
  wrong.size = 0;
  expect(wrong, "blocks have 0 rows; expected at least 1");
  wrong.size = 2;
  expect(wrong, "expected 4 values a column index");
  wrong = A;
  wrong.columns = 2;
  expect(wrong, "expected columns from 0 to 1");
  wrong = A;
  wrong.columns = 1 << 30;
  expect(wrong, "1073741824 columns of blocks of 3 are more than 2^31 - 1 columns");
  wrong = A;
  std::vector<Offset> offsets(10, Offset(0));
  offsets.back() = Offset(1 << 20);
  wrong.graph.row_map = to_device<Exec>(offsets);
  expect(wrong, "row offsets are wrong at row 8");
}

}  // namespace Tessera::Impl::Test
