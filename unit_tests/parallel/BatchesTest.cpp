// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
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

}  // namespace Tessera::Impl::Test
