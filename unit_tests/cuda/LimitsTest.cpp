// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels' 32-bit counts, close to overflow.
#include <gtest/gtest.h>

#include <gpu/CudaPanels.hpp>
#include <launch/Operands.hpp>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tessera/cuda/ReadableRows.hpp>
#include <vector>

namespace Tessera::Impl::Cuda {
namespace {

constexpr Ordinal most = std::numeric_limits<Ordinal>::max();

TEST(Limits, ColumnsOfALaunch) {
  EXPECT_EQ(slab_count(0, 32), 0u);
  EXPECT_EQ(slab_count(33, 32), 2u);
  EXPECT_EQ(slab_count(most_launch_columns, 32), unsigned(most_launch_columns) / 32);
  EXPECT_THROW(slab_count(most_launch_columns + 1, 32), std::length_error);
  EXPECT_LT(std::size_t(most_launch_columns) * 128, std::size_t(1) << 32);
}

/// Returns the widths of the panels into which an X with this number of columns is split.
std::vector<Ordinal> panels(Ordinal columns, bool are_adjacent) {
  Product<double, double> product{};
  product.x = {nullptr, 1, columns, 0, are_adjacent ? 1 : 3};
  product.y = {nullptr, 1, columns, 0, 1};
  std::vector<Ordinal> counts;
  Impl::for_each_panel(product, {}, XAccess::Rows, [&](const auto& panel, const Scratch&) {
    EXPECT_EQ(panel.x.columns, panel.y.columns);
    EXPECT_EQ(panel.x.data, product.x.data + std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t(0)) *
                                                 product.x.column_stride);
    counts.push_back(panel.x.columns);
  });
  return counts;
}

TEST(Limits, ColumnsOfAPanel) {
  EXPECT_EQ(panels(0, false), std::vector<Ordinal>{});
  EXPECT_EQ(panels(130, false), (std::vector<Ordinal>{64, 64, 2}));
  EXPECT_EQ(panels(130, true), (std::vector<Ordinal>{130}));
  EXPECT_EQ(panels(most_launch_columns + 1, true), (std::vector<Ordinal>{most_launch_columns, 1}));
  EXPECT_EQ(panels(most, true).size(), std::size_t(1) << 7);
}

/// Scratch memory suffices for any X of up to `prepared` columns, in kernels that copy rows of X 16 bytes at a time.
TEST(Limits, ScratchMemoryOfPanelsThatArePacked) {
  constexpr Ordinal rows = 1000;
  const auto bytes_for = [](const Multivector<const double>& x) {
    const auto stride = static_cast<std::size_t>(x.columns + 3) / 4 * 4;
    return 8 * stride * (rows_are_whole(x) ? 50 : 50 + rows);
  };
  for (const Ordinal prepared : {1, 2, 31, 32, 33, 63, 64, 65, 66, 127, 128, 200}) {
    const std::size_t bytes = Impl::panel_scratch_bytes<double>(XAccess::WholeVectors, rows, prepared, bytes_for);
    // At most one panel of X is packed.
    EXPECT_LE(bytes, Impl::cuda_scratch_page + 8u * (std::size_t(rows) * 64 + 50u * (prepared + 3u)));
    for (Ordinal columns = 1; columns <= prepared; ++columns) {
      for (const auto& [row, column] : {std::pair<std::ptrdiff_t, std::ptrdiff_t>(200, 1), {201, 1}, {1, rows}}) {
        Product<double, double> product{};
        product.x = {nullptr, rows, columns, row, column};
        product.y = {nullptr, rows, columns, 200, 1};
        Impl::for_each_panel(product, {nullptr, bytes}, XAccess::WholeVectors,
                             [&](const auto& panel, const Scratch& aligned) {
                               EXPECT_LE(bytes_for(panel.x), aligned.bytes)
                                   << columns << " of " << prepared << " columns, stride " << row;
                             });
      }
    }
  }
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
}  // namespace Tessera::Impl::Cuda
