// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>
#include <tessera/common/Bits.hpp>
#include <vector>

#include "../../src/cuda/fragments/Layout.hpp"

// Fragment layouts, tested without a GPU on an emulated warp, with the layout of the PTX ISA for m16n8k8.
namespace {

using Tessera::Impl::Cuda::FragmentLayout;

constexpr int lanes = 32;
using Left = double[16][8];
using Right = double[8][8];

// Computes D += A B like mma.sync.m16n8k8 in FP64 and TF32. Lane l = 4 g + t holds A(g, t), A(g + 8, t), A(g, t + 4),
// A(g + 8, t + 4); B(t, g), B(t + 4, g); D(g, 2 t), D(g, 2 t + 1), D(g + 8, 2 t), D(g + 8, 2 t + 1).
template <class Scalar>
void emulated_mma(Scalar (&d)[lanes][4], const Scalar (&a)[lanes][4], const Scalar (&b)[lanes][2]) {
  Left left;
  Right right;
  for (int l = 0; l < lanes; ++l) {
    const int g = l / 4, t = l % 4;
    left[g][t] = a[l][0], left[g + 8][t] = a[l][1], left[g][t + 4] = a[l][2], left[g + 8][t + 4] = a[l][3];
    right[t][g] = b[l][0], right[t + 4][g] = b[l][1];
  }
  const auto dot = [&](int i, int j) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += left[i][k] * right[k][j];
    return static_cast<Scalar>(sum);
  };
  for (int l = 0; l < lanes; ++l) {
    const int g = l / 4, t = l % 4;
    d[l][0] += dot(g, 2 * t), d[l][1] += dot(g, 2 * t + 1);
    d[l][2] += dot(g + 8, 2 * t), d[l][3] += dot(g + 8, 2 * t + 1);
  }
}

// Multiplies a block (8 x 8, row-major) by rows (8 x columns, row-major) as the kernel does, lane by lane.
template <class Scalar, int columns>
std::vector<Scalar> product_by_lanes(const std::vector<Scalar>& block, const std::vector<Scalar>& rows) {
  using Layout = FragmentLayout<Scalar, columns>;
  std::vector<Scalar> y(8 * columns, Scalar(-1));
  for (int m = 0; m < Layout::products; ++m) {
    Scalar a[lanes][4], b[lanes][2], d[lanes][4] = {};
    for (int l = 0; l < lanes; ++l) {
      Scalar x[2][Layout::lane_columns];
      for (int j = 0; j < 2; ++j) {
        b[l][j] = block[Layout::first_element(l) + j];
        for (int q = 0; q < Layout::lane_columns; ++q) {
          x[j][q] = rows[Layout::tile_column(l, j) * columns + Layout::column(l, q)];
        }
      }
      Layout::left_operand(x, m, a[l]);
    }
    emulated_mma(d, a, b);
    for (int l = 0; l < lanes; ++l) {
      for (int q = 2 * m; q < 2 * m + 2; ++q) {
        for (int p = 0; p < 2; ++p) {
          y[Layout::result_row(l, p) * columns + Layout::column(l, q)] = d[l][Layout::result(q, p)];
        }
      }
    }
  }
  return y;
}

template <class Scalar, int columns>
void expect_product(const std::vector<Scalar>& block, const std::vector<Scalar>& rows, const char* what) {
  const std::vector<Scalar> y = product_by_lanes<Scalar, columns>(block, rows);
  for (int r = 0; r < 8; ++r) {
    for (int j = 0; j < columns; ++j) {
      Scalar expected = 0;
      for (int k = 0; k < 8; ++k) expected += block[8 * r + k] * rows[k * columns + j];
      ASSERT_EQ(y[r * columns + j], expected) << what << ": row " << r << ", column " << j << " of " << columns;
    }
  }
}

template <class Scalar, int columns>
void check_layout() {
  std::vector<Scalar> block(64), rows(8 * columns);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<Scalar>(1 + i * 7 % 31);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Scalar>(1 + i * 11 % 101);
  expect_product<Scalar, columns>(block, rows, "all elements");
  for (std::size_t i = 0; i < block.size(); ++i) {
    std::vector<Scalar> one(block.size(), Scalar(0));
    one[i] = 1;
    expect_product<Scalar, columns>(one, rows, "one element of the block");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Scalar> one(rows.size(), Scalar(0));
    one[i] = 1;
    expect_product<Scalar, columns>(block, one, "one element of X");
  }
}

TEST(FragmentLayout, Double) {
  check_layout<double, 16>();
  check_layout<double, 32>();
  check_layout<double, 64>();
}

TEST(FragmentLayout, Float) {
  check_layout<float, 16>();
  check_layout<float, 32>();
  check_layout<float, 64>();
}

// A warp writes adjacent vectors: eight lanes with the same row of Y cover 8 vectors without gaps.
template <class Scalar, int columns>
void check_vectors() {
  using Layout = FragmentLayout<Scalar, columns>;
  constexpr int eight_lanes = 8 * Layout::vector;
  for (int q = 0; q < Layout::lane_columns; q += Layout::vector) {
    std::set<int> covered;
    for (int l = 0; l < lanes; l += 4) {
      const int first = Layout::column(l, q);
      EXPECT_EQ(first % Layout::vector, 0);
      EXPECT_EQ(first / eight_lanes, q / Layout::vector);
      covered.insert(first);
      for (int i = 0; i < Layout::vector; ++i) EXPECT_EQ(Layout::column(l + 3, q + i), first + i);
    }
    EXPECT_EQ(covered.size(), 8u);
  }
}

// Lanes whose reads are served together (128 bytes) read from different banks, although their rows start in the same
// bank. They order the pieces correctly.
template <class Scalar, int columns>
void check_pieces(std::size_t most_readers) {
  using Layout = FragmentLayout<Scalar, columns>;
  constexpr int bank_bytes = 4, line_bytes = 128, piece_bytes = Layout::piece * static_cast<int>(sizeof(Scalar));
  for (int j = 0; j < Layout::pieces; ++j) {
    for (int first = 0; first < lanes; first += line_bytes / piece_bytes) {
      std::map<int, std::set<int>> readers;
      for (int l = first; l < first + line_bytes / piece_bytes; ++l) {
        const int q = (j ^ Layout::first_piece(l)) * Layout::piece;
        const int byte = Layout::column(l, q) * static_cast<int>(sizeof(Scalar));
        for (int b = 0; b < piece_bytes; b += bank_bytes) readers[(byte + b) % line_bytes].insert(l);
      }
      for (const auto& [bank, ls] : readers) EXPECT_LE(ls.size(), most_readers) << "bank " << bank;
    }
  }
  for (int l = 0; l < lanes; ++l) {
    Scalar read[Layout::lane_columns], x[Layout::lane_columns];
    for (int j = 0; j < Layout::pieces; ++j) {
      for (int i = 0; i < Layout::piece; ++i) {
        const int q = (j ^ Layout::first_piece(l)) * Layout::piece + i;
        read[j * Layout::piece + i] = static_cast<Scalar>(q);
      }
    }
    Layout::order_pieces(l, read, x);
    for (int q = 0; q < Layout::lane_columns; ++q) EXPECT_EQ(x[q], static_cast<Scalar>(q)) << "lane " << l;
  }
}

TEST(FragmentLayout, Pieces) {
  check_pieces<double, 16>(2);
  check_pieces<double, 32>(1);
  check_pieces<double, 64>(1);
  check_pieces<float, 16>(2);
  check_pieces<float, 32>(1);
  check_pieces<float, 64>(1);
}

TEST(FragmentLayout, Vectors) {
  check_vectors<double, 16>();
  check_vectors<double, 64>();
  check_vectors<float, 16>();
  check_vectors<float, 32>();
  check_vectors<float, 64>();
}

// A lane decodes its two elements of a block from the corresponding bits of the mask.
TEST(FragmentLayout, Elements) {
  using Layout = FragmentLayout<double, 32>;
  for (int l = 0; l < lanes; ++l) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_EQ(Layout::first_element(l) + j, 8 * Layout::block_row(l) + Layout::tile_column(l, j));
    }
  }
}

void expect_entries(std::uint64_t mask) {
  unsigned before = 0;
  for (int l = 0; l < lanes; ++l) {
    const Tessera::Impl::Cuda::LaneEntries entries = Tessera::Impl::Cuda::lane_entries(mask, l);
    const unsigned bits = static_cast<unsigned>(mask >> (2 * l)) & 3u;
    EXPECT_EQ(entries.before, before) << "lane " << l << " of mask " << mask;
    EXPECT_EQ(entries.bits & 3u, bits) << "lane " << l << " of mask " << mask;
    before += Tessera::Impl::popcount(bits);
  }
}

TEST(MaskDecode, Entries) {
  expect_entries(0);
  expect_entries(~std::uint64_t(0));
  for (int bit = 0; bit < 64; ++bit) expect_entries(std::uint64_t(1) << bit);
  for (std::uint64_t i = 1; i < 1000; ++i) expect_entries(i * 0x9e3779b97f4a7c15u);
}

}  // namespace
