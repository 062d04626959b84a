// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <tessera/common/Mix.hpp>
#include <tessera/parallel/Batches.hpp>
#include <vector>

namespace Tessera::Impl::Test {

TEST(Batches, HaveAnEighthOfTheEntriesOrFillCaches) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  EXPECT_EQ(entries_of_batch<Host>(0, 7), std::size_t(1) << 18);
  EXPECT_EQ(entries_of_batch<Host>(std::size_t(1) << 30, 7), std::size_t(1) << 27);
}

TEST(Batches, EndBeforeTheyHaveTooManyEntries) {
  const std::vector<std::size_t> before = {0, 4, 8, 9, 29, 30};
  EXPECT_EQ(end_of_batch(before, 0, 8), 2u);
  EXPECT_EQ(end_of_batch(before, 0, 9), 3u);
  EXPECT_EQ(end_of_batch(before, 3, 8), 4u) << "a unit that is larger is a batch";
  EXPECT_EQ(end_of_batch(before, 4, 8), 5u);
}

/// Half of the bits are set, on average, whatever is mixed.
TEST(Mix, ProductsHaveAsManyOnesAsZeros) {
  int ones = 0, pairs = 0;
  for (std::uint64_t a = 0; a < 100; ++a)
    for (std::uint64_t b = 0; b < 100; ++b, ++pairs) ones += __builtin_popcountll(mix_product(a, b, a + b));
  EXPECT_NEAR(double(ones) / pairs, 32, 0.5);
}

}  // namespace Tessera::Impl::Test
