// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "DeviceMemory.hpp"
#include "HostMatrix.hpp"
#include "voltrix/SerialWords.hpp"
#include "voltrix/cuda/Words.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using namespace Tessera::Impl::Test;

template <class Scalar>
void check_words(const HostMatrix& A) {
  const auto B = serial_condensed(A, 2);
  const auto expected = serial_bmat_words(A);
  const std::size_t tiles = B.tiles();
  const OnDevice<Offset> tile_offsets(B.tile_offsets);
  const OnDevice<std::uint64_t> masks(B.tile_masks);
  const BmatPattern pattern{A.rows, A.columns, nullptr, tile_offsets.data(), nullptr, masks.data()};
  const OnDevice<std::uint32_t> words(std::vector<std::uint32_t>(4 * tiles, ~std::uint32_t(0)));
  Cuda::make_bmat_words(nullptr, pattern, tiles, words.data());
  EXPECT_EQ(words.to_host(), expected.tile_words);

  const std::vector<Scalar> other(B.slots.size(), Scalar(-7));
  const OnDevice<Scalar> values(placed_values<Scalar>(A.values, B.slots)), ordered(other);
  const OnDevice<std::uint32_t> wanted(std::vector<std::uint32_t>{0, 1});
  Cuda::order_by_bmat_words<Scalar>(nullptr, pattern, tiles, values.data(), ordered.data(), wanted.data());
  EXPECT_EQ(ordered.to_host(), other);
  Cuda::order_by_bmat_words<Scalar>(nullptr, pattern, tiles, values.data(), ordered.data(), wanted.data() + 1);
  EXPECT_EQ(ordered.to_host(), placed_values<Scalar>(A.values, expected.slots));
}

TEST(BmatWords, AreThoseOfTheSerialBuild) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {1, 15, 16, 17, 100}) {
    for (const int columns : {1, 8, 9, 300}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      check_words<double>(random_matrix(rows, columns, 20, 7));
      check_words<float>(random_matrix(rows, columns, 20, 8));
    }
  }
  check_words<float>(random_matrix(0, 5, 3, 9));
}

}  // namespace
