// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "CheckBatch.hpp"
#include "HostPattern.hpp"

/// Whether X and Y of a batch share memory, compared with the addresses of all elements.
namespace Tessera::Impl::Test {

using Read = MultivectorBatch<const double>;
using Written = MultivectorBatch<double>;

template <class Batch>
std::set<const double*> elements_of(const Batch& batch) {
  std::set<const double*> elements;
  for (int b = 0; b < batch.count; ++b)
    for (int i = 0; i < batch.first.rows; ++i)
      for (int j = 0; j < batch.first.columns; ++j) elements.insert(&batch.first(i, j) + b * batch.stride);
  return elements;
}

Read to_read(const Written& batch) {
  const auto& v = batch.first;
  return {{v.data, v.rows, v.columns, v.row_stride, v.column_stride}, batch.stride, batch.count, batch.is_shared};
}

bool share_elements(const Written& x, const Written& y) {
  const auto of_x = elements_of(x);
  for (const double* element : elements_of(y))
    if (of_x.count(element) > 0) return true;
  return false;
}

/// The test is exact for multivectors with equal strides that lie one after another.
TEST(BatchOverlap, IsExactForPartsOfOneArray) {
  std::vector<double> memory(2000);
  Random random(3);
  int shared = 0, apart_but_interleaved = 0;
  for (int run = 0; run < 20000; ++run) {
    const int row_stride = 1 + random.below(6), rows = 1 + random.below(4), count = 1 + random.below(5);
    const int stride = rows * row_stride * (1 + random.below(3)) + random.below(4);
    const auto part = [&] {
      const int columns = 1 + random.below(row_stride);
      return Written{{memory.data() + random.below(150), rows, columns, row_stride, 1}, stride, count, false};
    };
    const Written x = part(), y = part();
    const bool expected = share_elements(x, y);
    ASSERT_EQ(overlap(to_read(x), y), expected) << y.first.data - x.first.data << " apart, " << count << " of " << rows
                                                << " rows, strides " << stride << " and " << row_stride;
    shared += expected;
    const bool may_be_told_by_bytes =
        *elements_of(x).rbegin() < *elements_of(y).begin() || *elements_of(y).rbegin() < *elements_of(x).begin();
    apart_but_interleaved += !expected && !may_be_told_by_bytes;
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart_but_interleaved, 1000);
}

TEST(BatchOverlap, FindsNeighbours) {
  std::vector<double> memory(100);
  const Written x{{memory.data(), 4, 2, 2, 1}, 20, 3, false};
  Written y{{memory.data() + 20, 4, 2, 2, 1}, 20, 3, false};  // Y of a product is X of the next
  EXPECT_TRUE(overlap(to_read(x), y));
  y.first.data = memory.data() + 10;
  EXPECT_FALSE(overlap(to_read(x), y));
}

/// Other strides, and one X for all products: what the ranges of bytes tell.
TEST(BatchOverlap, IsCautiousForOtherStrides) {
  std::vector<double> memory(100);
  const Written y{{memory.data() + 20, 4, 2, 2, 1}, 10, 3, false};
  const Written shared{{memory.data() + 28, 1, 2, 2, 1}, 0, 1, true}, before{{memory.data(), 4, 2, 2, 1}, 0, 1, true};
  EXPECT_TRUE(overlap(to_read(shared), y));
  EXPECT_FALSE(overlap(to_read(before), y));
  EXPECT_FALSE(overlap(to_read(before), {{memory.data() + 8, 4, 2, 2, 1}, 10, 3, false}));
}

TEST(BatchOverlap, OfAMultivectorWithItself) {
  std::vector<double> memory(100);
  EXPECT_FALSE(overlaps_itself(Written{{memory.data(), 4, 2, 2, 1}, 8, 3, false}));
  EXPECT_TRUE(overlaps_itself(Written{{memory.data(), 4, 2, 2, 1}, 7, 3, false}));
  EXPECT_TRUE(overlaps_itself(Written{{memory.data(), 4, 2, 1, 1}, 8, 3, false}));
  EXPECT_TRUE(overlaps_itself(Written{{memory.data(), 4, 2, 2, 1}, 0, 3, false}));
  EXPECT_FALSE(overlaps_itself(Written{{memory.data(), 4, 2, 2, 1}, 0, 1, false}));
  EXPECT_FALSE(overlaps_itself(Written{{memory.data(), 4, 2, 6, 3}, 1, 3, false}));  // products interleave
}

}  // namespace Tessera::Impl::Test
