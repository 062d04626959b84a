// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels count in 32 bits, where it nearly does not fit.
#include <gtest/gtest.h>

#include <cuda/CudaPanels.hpp>
#include <launch/Operands.hpp>
#include <limits>
#include <stdexcept>
#include <tessera/cuda/ReadableRows.hpp>
#include <vector>

namespace Tessera::Cuda {
namespace {

constexpr Ordinal most = std::numeric_limits<Ordinal>::max();

TEST(Limits, ColumnsOfALaunch) {
  EXPECT_EQ(slab_count(0, 32), 0u);
  EXPECT_EQ(slab_count(33, 32), 2u);
  EXPECT_EQ(slab_count(most_launch_columns, 32), unsigned(most_launch_columns) / 32);
  EXPECT_THROW(slab_count(most_launch_columns + 1, 32), std::length_error);
  EXPECT_LT(std::size_t(most_launch_columns) * 128, std::size_t(1) << 32);
}

/// The columns of panels, if X has so many.
std::vector<Ordinal> panels(Ordinal columns, Ordinal width) {
  Product<double, double> product{};
  product.x = {nullptr, 1, columns, columns, 1};
  product.y = {nullptr, 1, columns, columns, 1};
  std::vector<Ordinal> counts;
  Impl::for_each_panel(
      product, {}, [&](const auto&) { return width; },
      [&](const auto& panel, const Scratch&) {
        EXPECT_EQ(panel.x.columns, panel.y.columns);
        EXPECT_EQ(
            panel.x.data, product.x.data + [&] {
              std::ptrdiff_t before = 0;
              for (const Ordinal count : counts) before += count;
              return before;
            }());
        counts.push_back(panel.x.columns);
      });
  return counts;
}

TEST(Limits, ColumnsOfAPanel) {
  EXPECT_EQ(panels(0, 64), std::vector<Ordinal>{});
  EXPECT_EQ(panels(130, 64), (std::vector<Ordinal>{64, 64, 2}));
  EXPECT_EQ(panels(130, 130), (std::vector<Ordinal>{130}));
  EXPECT_EQ(panels(most_launch_columns + 1, most_launch_columns + 1), (std::vector<Ordinal>{most_launch_columns, 1}));
  EXPECT_EQ(panels(most, most).size(), std::size_t(1) << 7);
}

TEST(Limits, RowsOfXThatAreRead) {
  const auto readable = [](std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) {
    return rows_are_readable(Multivector<const double>{nullptr, 9, 4, row_stride, column_stride});
  };
  EXPECT_TRUE(readable(4, 1));
  EXPECT_TRUE(readable((std::ptrdiff_t(1) << 29) - 1, 1));
  EXPECT_FALSE(readable(std::ptrdiff_t(1) << 29, 1));
  EXPECT_FALSE(readable(-4, 1));
  EXPECT_FALSE(readable(1, 9));
  EXPECT_FALSE(rows_are_aligned(Multivector<const double>{nullptr, 9, 4, std::ptrdiff_t(1) << 29, 1}));
  EXPECT_TRUE(rows_are_aligned(Multivector<const double>{nullptr, 9, 4, std::ptrdiff_t(1) << 28, 1}));
}

}  // namespace
}  // namespace Tessera::Cuda
