// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "AnyFormat.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "SortedColumnsPatterns.hpp"
#include "SortedColumnsPicture.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class SortedColumnsTest : public ::testing::Test {};
TYPED_TEST_SUITE(SortedColumnsTest, OffsetCases);

/// A matrix that, with width and height 2, has three blocks, a column in two pieces and one in a single piece. The
/// pictures: the matrix, its sorted columns (irregular entries as capitals), its blocks and pieces.
///
///     i . c . .     . c . i     a c, b d
///     j . d a f     a d f j     f i, g j
///     K . . . g     . . g K     e h
///     L . e . .     . e . L     K L
///     M . . b h     b . h M     M
HostPattern<Offset> small_sorted_columns() {
  HostPattern<Offset> A;
  A.columns = 5;
  for (const auto& row : {std::vector{0, 2}, {0, 2, 3, 4}, {0, 4}, {0, 2}, {0, 3, 4}}) {
    A.column_indices.insert(A.column_indices.end(), row.begin(), row.end());
    A.end_row();
  }
  return A;
}

TYPED_TEST(SortedColumnsTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = sorted_columns_of<Exec>(example_matrix<Offset>(), 4, 2);
  const SortedColumnsPicture picture;
  expect_arrays(built.pattern, picture);
  EXPECT_EQ(example_values(to_host(built.values.slots)), picture.values);
}

TYPED_TEST(SortedColumnsTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_sorted_columns()) {
    for (const auto& [width, height] :
         {std::pair{1, 1}, {2, 1}, {3, 2}, {4, 1000}, {8, 4}, {31, 7}, {32, 32}, {1024, 3}}) {
      if (!is_chosen_on<Exec>(7)) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + ", blocks of " + std::to_string(width) +
                   " x " + std::to_string(height));
      const auto built = sorted_columns_of<Exec>(A, width, height);
      expect_serial_build(built, serial_sorted_columns(A, width, height));
      expect_lossless<Exec>(built, A);
    }
  }
}

/// Returns the position of each regular element's column, computed on the device.
template <class Exec>
std::vector<int> positions_of_elements(const SortedColumnsPattern& A, std::size_t regular) {
  const auto found = to_device<Exec>(std::vector<int>(regular));
  Kokkos::parallel_for(
      "position_of", Kokkos::RangePolicy<Exec>(Exec(), 0, regular),
      KOKKOS_LAMBDA(int i) { found(i) = position_of(A, static_cast<Offset>(i)); });
  return to_host(found);
}

/// Device kernels find the block and the column of an element.
TYPED_TEST(SortedColumnsTest, ElementsKnowTheirPosition) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(60, 50, 0.2, 8);
  const auto p = sorted_columns_of<Exec>(A, 4, 3).pattern;
  const auto positions = positions_of_elements<Exec>(p.view(), p.position_indices.extent(0));
  const auto block_positions = to_host(p.block_positions);
  const auto block_offsets = to_host(p.block_offsets);
  ASSERT_GT(positions.size(), 100u);
  for (std::size_t block = 0; block < block_positions.size(); ++block) {
    for (Offset i = block_offsets[block]; i < block_offsets[block + 1]; ++i)
      ASSERT_EQ(positions[i], block_positions[block] + static_cast<int>((i - block_offsets[block]) % 4));
  }
}

TYPED_TEST(SortedColumnsTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  auto A = random_pattern<Offset>(123, 77, 0.1, 9);
  A.columns = 90;  // 13 are empty
  const auto p = sorted_columns_of<Exec>(A, 8, 4).pattern;
  const std::size_t blocks = p.tiles(), pieces = p.pieces(), regular = p.position_indices.extent(0);
  ASSERT_GT(blocks, 9u);
  ASSERT_GT(pieces, 7u);
  ASSERT_LT(regular, A.nonzeros());
  EXPECT_EQ(p.bytes(), (blocks + pieces + 2) * sizeof(Offset) + 4 * (blocks + pieces + 77 + A.nonzeros() + regular));
}

TYPED_TEST(SortedColumnsTest, ParametersAreCheckedAndHaveDefaults) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(9, 9, 0.5, 1);
  const auto message = [&](int width, int height) -> std::string {
    try {
      sorted_columns_of<Exec>(A, width, height);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(message(1025, 1).find("sorted_columns_width is 1025; expected 1 to 1024"), std::string::npos);
  EXPECT_NE(message(-1, 1).find("sorted_columns_width is -1"), std::string::npos);
  EXPECT_NE(message(1, -2).find("sorted_columns_height is -2; expected at least 1"), std::string::npos);
  EXPECT_EQ(message(1024, 1), "");
  EXPECT_EQ(sorted_columns_of<Exec>(A, 0, 0).pattern.width, 32);
  EXPECT_EQ(sorted_columns_of<Exec>(A, 0, 0).pattern.height, 32);
  const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
  FormatParameters parameters;
  parameters.sorted_columns_width = 2;
  parameters.sorted_columns_height = 3;
  using Pattern = SortedColumns<typename Exec::memory_space>;
  const auto any = build_format(Exec(), Format::SortedColumns, rows, parameters, 8).pattern;
  EXPECT_EQ(std::get<Pattern>(any).width, 2);
  EXPECT_EQ(std::get<Pattern>(any).height, 3);
}

/// A damaged copy of a valid format is rejected, and the message names the broken invariant.
TYPED_TEST(SortedColumnsTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostSortedColumns;
  const auto A = small_sorted_columns();
  const DamagedCopies<Exec, SortedColumns<typename Exec::memory_space>, Host> expect_fault(
      serial_sorted_columns(A, 2, 2), [&](auto& p, const Host& h) {
        p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros();
        p.width = h.width, p.height = h.height;
      });
  expect_fault("sorted columns: width is not", [](Host& h) { h.width = 1025; });
  expect_fault("width is not from 1", [](Host& h) { h.width = 0; });
  expect_fault("height is less than 1", [](Host& h) { h.height = 0; });
  expect_fault("column_order has more elements", [](Host& h) { h.column_order.resize(6); });
  expect_fault("block_offsets does not have", [](Host& h) { h.block_offsets.pop_back(); });
  expect_fault("piece_offsets does not have", [](Host& h) { h.piece_offsets.pop_back(); });
  expect_fault("row_indices does not have", [](Host& h) { h.row_indices.pop_back(); });
  expect_fault("segment_lengths does not have", [](Host& h) { h.segment_lengths.pop_back(); });
  expect_fault("regular elements and no blocks", [](Host& h) {
    h.block_offsets = {0};
    h.block_positions.clear();
  });
  expect_fault("irregular elements and no pieces", [](Host& h) {
    h.piece_offsets = {10};
    h.piece_columns.clear();
  });
  expect_fault("position 1: column_order holds a column outside", [](Host& h) { h.column_order[1] = 5; });
  expect_fault("position 2: column_order holds a column outside", [](Host& h) { h.column_order[2] = -1; });
  expect_fault("block 2: block_offsets does not ascend", [](Host& h) { --h.block_offsets.back(); });
  expect_fault("block 0: block_offsets does not ascend", [](Host& h) { h.block_offsets[0] = 2; });
  expect_fault("piece 0: piece_offsets does not ascend from 10", [](Host& h) { --h.piece_offsets[0]; });
  expect_fault("piece 1: piece_offsets does not ascend", [](Host& h) { --h.piece_offsets.back(); });
  expect_fault("block 0: block_offsets does not grow by", [](Host& h) { ++h.block_offsets[1]; });
  expect_fault("block 1: block_positions leaves no room", [](Host& h) { h.block_positions[1] = 3; });
  expect_fault("block 2: block_positions leaves no room", [](Host& h) { h.block_positions[2] = -1; });
  expect_fault("piece 1: piece_columns holds a position", [](Host& h) { h.piece_columns[1] = 0x80000004u; });
  expect_fault("element 12: row_indices holds a row outside", [](Host& h) { h.row_indices[12] = 5; });
  expect_fault("element 0: row_indices holds a row outside", [](Host& h) { h.row_indices[0] = -1; });
  expect_fault("position 0: column_order holds a column twice", [](Host& h) { h.column_order[3] = 3; });
  expect_fault("position 2: column_order does not ascend",
               [](Host& h) { std::swap(h.column_order[1], h.column_order[2]); });  // equal length, but unsorted
  // Entries of the last column move to the previous one, which becomes longer, or equally long with the higher index.
  expect_fault("position 3: column_order does not ascend", [](Host& h) { h.piece_columns[0] = 0x80000001u; });
  expect_fault("position 3: column_order does not ascend", [](Host& h) { h.piece_columns[1] = 0x80000001u; });
  expect_fault("position 2: a column has no entry, or more than", [](Host& h) {
    h.piece_columns = {0x80000001u, 0x80000001u};
  });
  expect_fault("position 4: a column has no entry", [](Host& h) {
    h.column_order.push_back(1);
    for (std::uint32_t& column : h.piece_columns) ++column;
  });
  expect_fault("position 0: a column has no entry", [](Host& h) { h.block_positions[0] = 2; });
  expect_fault("the layers have 5 blocks", [](Host& h) { h.height = 1; });
  expect_fault("the layers leave 2 pieces", [](Host& h) {
    h.piece_offsets = {10, 11, 12, 13};
    h.piece_columns.push_back(h.piece_columns[0]);
  });
  expect_fault("block 0: block_offsets or block_positions is not", [](Host& h) {
    std::swap(h.block_positions[0], h.block_positions[1]);  // both have two entries per column
  });
  expect_fault("piece 0: piece_offsets or piece_columns is not", [](Host& h) { h.piece_columns[0] = 0; });
  expect_fault("piece 1: piece_offsets or piece_columns is not", [](Host& h) { --h.piece_offsets[1]; });
  expect_fault("position 3: row_indices does not ascend", [](Host& h) { h.row_indices[12] = 3; });
  expect_fault("position 1: row_indices does not ascend", [](Host& h) { h.row_indices[8] = 1; });
  expect_fault("element 1: position_indices is not", [](Host& h) { h.position_indices[1] = 1; });
  expect_fault("place 6: segment_lengths is not", [](Host& h) { h.segment_lengths[6] = 0; });
}

/// Without blocks or pieces, the offsets have a single element, which must also be right.
TYPED_TEST(SortedColumnsTest, ValidateSeesTheOnlyOffset) {
  using Exec = typename TypeParam::ExecutionSpace;
  auto p = sorted_columns_of<Exec>(random_pattern<Offset>(6, 8, 1.0, 1), 4, 2).pattern;
  ASSERT_EQ(p.pieces(), 0u);
  p.piece_offsets = to_device<Exec>(std::vector<Offset>{47});
  EXPECT_NE(validate(Exec(), p).find("piece 0: piece_offsets"), std::string::npos) << validate(Exec(), p);
  p = sorted_columns_of<Exec>(random_pattern<Offset>(6, 3, 1.0, 1), 4, 2).pattern;
  ASSERT_EQ(p.tiles(), 0u);
  p.block_offsets = to_device<Exec>(std::vector<Offset>{1});
  EXPECT_NE(validate(Exec(), p).find("block 0: block_offsets"), std::string::npos) << validate(Exec(), p);
}

}  // namespace Tessera::Impl::Test
