// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of formats whose windows hold tiles or blocks: BitTCF, BMat, BCSR, staged windows.
#pragma once

#include <cstdint>

#include "Finish.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

/// Multiplies up to 8 adjacent rows of a format. row_sums() is overloaded for the rows of each.
template <class T, class Rows>
[[gnu::noinline]] void multiply_rows(const Rows& rows, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    row_sums<T, Lanes, Vectors>(rows, d, lane, sums);
    finish_rows<T>(d, first_row, rows.rows, lane, skip, Lanes * Vectors, sums);
  });
}

/// The tiles of one window, without the type of the offsets.
struct BitTcfWindow {
  const std::uint64_t* masks;
  const Ordinal* columns;
  std::ptrdiff_t tiles;
  std::ptrdiff_t first_entry;
  int rows;
};

/// Multiplies tile after tile, so that the rows of X of a tile are read from cache for each of its rows.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void row_sums(const BitTcfWindow& window, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  const typename T::MatrixReal* value = d.values + window.first_entry * T::parts;
  for (std::ptrdiff_t tile = 0; tile < window.tiles; ++tile) {
    const std::uint64_t mask = window.masks[tile];
    const Ordinal* columns = window.columns + tile * 8;
    for (int r = 0; r < rows_at_once; ++r) {
      unsigned bits = static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
      if (bits == 0) continue;
      Sums<T, Lanes, Vectors> sum = sums[r];
      for (; bits != 0; bits &= bits - 1, value += T::parts)
        sum.add(value, d.x + columns[__builtin_ctz(bits)] * d.x_row_stride + lane);
      sums[r] = sum;
    }
  }
  for (int r = 0; r < rows_at_once; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class MatrixScalar, class VectorScalar, class Offset>
void bittcf_windows(const BitTcfPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                    Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  for (Ordinal window = first; window < last; ++window) {
    const Ordinal row = window * rows_at_once;
    const Offset tile = A.window_offsets[window];
    const int rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
    const BitTcfWindow tiles{A.tile_masks + tile, A.tile_columns + static_cast<std::ptrdiff_t>(tile) * 8,
                             static_cast<std::ptrdiff_t>(A.window_offsets[window + 1] - tile),
                             static_cast<std::ptrdiff_t>(A.tile_offsets[tile]), rows};
    multiply_rows(tiles, row, d);
  }
}

/// The upper or the lower 8 rows of a window in BMat, without the type of the offsets.
struct BmatHalf {
  const std::uint32_t* words;  // of the window's tiles
  const Ordinal* columns;
  std::ptrdiff_t tiles;
  std::ptrdiff_t first_value;
  int half;  // 0: the upper
  int rows;
};

/// Half a tile is two words, one for its left columns and one for its right columns. Their values lie apart, each in
/// the order of the rows.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void row_sums(const BmatHalf& window, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  const typename T::MatrixReal* value = d.values + window.first_value * T::parts;  // of the next word
  for (std::ptrdiff_t tile = 0; tile < window.tiles; ++tile) {
    const Ordinal* columns = window.columns + tile * 8;
    const typename T::MatrixReal* values[2] = {};
    std::uint32_t words[2] = {};
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t word = window.words[tile * 4 + w];
      if (w % 2 == window.half) {
        words[w / 2] = word;
        values[w / 2] = value;
      }
      value += __builtin_popcount(word) * T::parts;
    }
    for (int r = 0; r < rows_at_once; ++r) {
      if (((words[0] | words[1]) >> (4 * r) & 0xfu) == 0) continue;
      Sums<T, Lanes, Vectors> sum = sums[r];
      for (int side = 0; side < 2; ++side) {
        for (unsigned bits = words[side] >> (4 * r) & 0xfu; bits != 0; bits &= bits - 1, values[side] += T::parts)
          sum.add(values[side], d.x + columns[4 * side + __builtin_ctz(bits)] * d.x_row_stride + lane);
      }
      sums[r] = sum;
    }
  }
  for (int r = 0; r < rows_at_once; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class MatrixScalar, class VectorScalar, class Offset>
void bmat_windows(const BmatPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                  Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  for (Ordinal window = first; window < last; ++window) {
    const auto tile = static_cast<std::ptrdiff_t>(A.window_offsets[window]);
    BmatHalf half{A.tile_words + tile * 4,
                  A.tile_columns + tile * 8,
                  static_cast<std::ptrdiff_t>(A.window_offsets[window + 1]) - tile,
                  static_cast<std::ptrdiff_t>(A.value_offsets[window]),
                  0,
                  0};
    for (; half.half < 2 && window * 16 < A.rows - half.half * 8; ++half.half) {
      const Ordinal row = window * 16 + half.half * 8;
      half.rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
      multiply_rows(half, row, d);
    }
  }
}

/// Up to 8 adjacent rows of a window of blocks, without the type of the offsets.
struct BlockRows {
  const std::uint64_t* masks;
  const Ordinal* columns;
  std::ptrdiff_t blocks;
  std::ptrdiff_t first_value;  // of the window
  int block_width;
  int block_size;
  int mask_words;  // of a block
  int first;       // row of the window
  int rows;
};

/// Bits [first, first + count) of a mask, 0 < count <= 64.
TESSERA_INLINE std::uint64_t mask_bits(const std::uint64_t* words, int first, int count) {
  const std::uint64_t* word = words + first / 64;
  const int shift = first % 64;
  const std::uint64_t bits = shift + count > 64 ? word[0] >> shift | word[1] << (64 - shift) : word[0] >> shift;
  return bits & ~std::uint64_t(0) >> (64 - count);
}

/// Multiplies block after block, so that the rows of X of a block are read from cache for each of its rows. Full rows
/// of a block, which this format is for, are a plain loop.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void row_sums(const BlockRows& group, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  const std::uint64_t full_row = ~std::uint64_t(0) >> (64 - group.block_width);
  for (std::ptrdiff_t block = 0; block < group.blocks; ++block) {
    const std::uint64_t* mask = group.masks + block * group.mask_words;
    const auto* values = d.values + (group.first_value + block * group.block_size) * T::parts;
    const std::ptrdiff_t column = std::ptrdiff_t(group.columns[block]) * group.block_width;
    const auto* x = d.x + column * d.x_row_stride + lane;
    for (int r = 0; r < group.rows; ++r) {
      const int first_bit = (group.first + r) * group.block_width;
      std::uint64_t bits = mask_bits(mask, first_bit, group.block_width);
      if (bits == 0) continue;
      Sums<T, Lanes, Vectors> sum = sums[r];
      const auto* row = values + first_bit * T::parts;
      if (d.x_rows != nullptr) {
        for (; bits != 0; bits &= bits - 1) {
          const int c = __builtin_ctzll(bits);
          sum.add(row + c * T::parts, d.x + d.x_rows[column + c] * d.x_row_stride + lane);
        }
      } else if (bits == full_row) {
        for (int c = 0; c < group.block_width; ++c) sum.add(row + c * T::parts, x + c * d.x_row_stride);
      } else {
        for (; bits != 0; bits &= bits - 1) {
          const int c = __builtin_ctzll(bits);
          sum.add(row + c * T::parts, x + c * d.x_row_stride);
        }
      }
      sums[r] = sum;
    }
  }
  for (int r = 0; r < group.rows; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class MatrixScalar, class VectorScalar, class Offset>
void bcsr_windows(const BcsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                  Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  const int height = A.block.height;
  BlockRows group;
  group.block_width = A.block.width;
  group.block_size = height * A.block.width;
  group.mask_words = (group.block_size + 63) / 64;
  for (Ordinal window = first; window < last; ++window) {
    const auto block = static_cast<std::ptrdiff_t>(A.block_offsets[window]);
    group.masks = A.block_masks + block * group.mask_words;
    group.columns = A.block_columns + block;
    group.blocks = static_cast<std::ptrdiff_t>(A.block_offsets[window + 1]) - block;
    group.first_value = block * group.block_size;
    const Ordinal row = window * height;
    const int rows = A.rows - row < height ? A.rows - row : height;
    for (group.first = 0; group.first < rows; group.first += rows_at_once) {
      group.rows = rows - group.first < rows_at_once ? rows - group.first : rows_at_once;
      multiply_rows(group, row + group.first, d);
    }
  }
}

/// A strip of 8 rows of a staged window, as it lies in the chunks of the window.
struct StagedStrip {
  const StagedChunk* chunks;  // of the window
  const Ordinal* columns;     // of the slots of these chunks
  const std::byte* tiles;     // of the matrix
  std::ptrdiff_t count;       // of chunks
  int slots;                  // of a chunk
  int header_bytes;           // of a chunk
  int granule;                // values in 16 bytes
  int strip;
  int rows;
};

/// Chunk after chunk and tile after tile, as in BitTCF. A tile's columns are slots of its chunk, or of the one before.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void row_sums(const StagedStrip& window, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  for (std::ptrdiff_t chunk = 0; chunk < window.count; ++chunk) {
    const std::byte* data = window.tiles + 16 * std::ptrdiff_t(window.chunks[chunk].tiles);
    const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(data) + window.strip;
    const auto* tiles = reinterpret_cast<const StagedTile*>(data + window.header_bytes);
    const std::ptrdiff_t first_value = std::ptrdiff_t(window.chunks[chunk].values) * window.granule;
    for (int t = strip_tiles[0]; t < strip_tiles[1]; ++t) {
      const std::uint64_t mask = tiles[t].mask;
      const typename T::MatrixReal* value = d.values + (first_value + tiles[t].first_value) * T::parts;
      const typename T::Real* x[8];
      for (int c = 0; c < 8; ++c) {
        const int code = tiles[t].codes[c];
        const Ordinal column = window.columns[(chunk - (code >> 15)) * window.slots + (code & 0x7fff) / 4];
        x[c] = d.x + column * d.x_row_stride + lane;
      }
      for (int r = 0; r < rows_at_once; ++r) {
        unsigned bits = static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
        if (bits == 0) continue;
        Sums<T, Lanes, Vectors> sum = sums[r];
        for (; bits != 0; bits &= bits - 1, value += T::parts) sum.add(value, x[__builtin_ctz(bits)]);
        sums[r] = sum;
      }
    }
  }
  for (int r = 0; r < rows_at_once; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class MatrixScalar, class VectorScalar, class Offset>
void staged_windows(const StagedWindowsPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                    Ordinal first, Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  const int strips = A.window_rows / rows_at_once;
  for (Ordinal window = first; window < last; ++window) {
    const std::ptrdiff_t chunk = A.window_offsets[window];
    StagedStrip strip{A.chunks + chunk,
                      A.chunk_columns + chunk * A.chunk_slots,
                      A.tiles,
                      A.window_offsets[window + 1] - chunk,
                      A.chunk_slots,
                      (2 * (strips + 1) + 15) / 16 * 16,
                      A.granule,
                      0,
                      0};
    for (; strip.strip < strips && window * A.window_rows < A.rows - strip.strip * rows_at_once; ++strip.strip) {
      const Ordinal row = window * A.window_rows + strip.strip * rows_at_once;
      strip.rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
      multiply_rows(strip, row, d);
    }
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
