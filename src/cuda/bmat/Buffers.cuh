// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "../ptx/AsyncCopy.cuh"
#include "../staged/Buffers.cuh"
#include "Arguments.hpp"

namespace Tessera::Cuda {

/// Shared memory of a block: a ring of buffers, up to Policy::stage_tiles tiles of a window each.
///
/// A row of X has 32, 96, 160, ... bytes: so the 16 bytes that eight lanes read at once, adjacent ones of four rows,
/// are in different banks.
template <class MatrixScalar, class Scalar, class Policy>
struct BmatBuffers {
  using Pattern = BmatPattern<int>;
  static constexpr int rows = Policy::stage_tiles * Pattern::tile_width;
  static constexpr int words = Policy::stage_tiles * Pattern::tile_words_count;
  static constexpr int most_values = Policy::stage_tiles * Pattern::tile_rows * Pattern::tile_width;

  static constexpr int row_bytes = Policy::columns * static_cast<int>(sizeof(Scalar));
  static constexpr int row_stride = row_bytes / 32 % 2 == 1 ? row_bytes : row_bytes + 32;
  static constexpr int x_bytes = rows * row_stride;
  static constexpr int value_bytes = most_values * static_cast<int>(sizeof(MatrixScalar));
  static constexpr int word_bytes = words * static_cast<int>(sizeof(std::uint32_t));
  static constexpr int buffer_bytes = x_bytes + value_bytes + 2 * word_bytes;
  static constexpr int barrier_bytes = 128;
  static constexpr int bytes = barrier_bytes + Policy::buffers * buffer_bytes;
  static_assert(2 * Policy::buffers * 8 <= barrier_bytes && buffer_bytes % 16 == 0);

  /// All lanes of the producer arrive, and once the expected bytes.
  static constexpr int full_arrivals = 33;

  std::byte* memory;

  /// Complete when the tiles in a buffer are there.
  __device__ std::uint64_t* full(int buffer) const { return reinterpret_cast<std::uint64_t*>(memory) + buffer; }
  /// Complete when they are not needed any more.
  __device__ std::uint64_t* empty(int buffer) const { return full(Policy::buffers + buffer); }

  /// Rows of X, eight for each tile.
  __device__ std::byte* x(int buffer) const { return memory + barrier_bytes + buffer * buffer_bytes; }
  /// Values of all tiles, one after the other.
  __device__ MatrixScalar* values(int buffer) const { return reinterpret_cast<MatrixScalar*>(x(buffer) + x_bytes); }
  /// Four words of each tile.
  __device__ std::uint32_t* tile_words(int buffer) const {
    return reinterpret_cast<std::uint32_t*>(x(buffer) + x_bytes + value_bytes);
  }
  /// Of each word, where its first value lies.
  __device__ std::uint32_t* word_places(int buffer) const { return tile_words(buffer) + words; }
};

}  // namespace Tessera::Cuda
