// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Mix.hpp>
#include <tessera/common/Types.hpp>

/// The fingerprint that shows whether an array has changed: 64 bits, the sum of contributions, each made from 16 bytes
/// and their place. Two different arrays have the same fingerprint with a probability of about 2^-64.
namespace Tessera::Impl {

/// The state of a watched array, in device memory. If all members are 0, no fingerprint is known yet.
struct WatchedArray {
  std::uint64_t fingerprint;
  std::uint32_t is_known;
  std::uint32_t has_changed;      // whether the array had changed at the last comparison
  unsigned long long sum, parts;  // contributions and count of the thread blocks that have finished; 0 between kernels

  /// Compares a fingerprint with the known one, and stores it.
  TESSERA_FUNCTION void conclude(std::uint64_t found) {
    has_changed = is_known == 0 || fingerprint != found ? 1 : 0;
    fingerprint = found;
    is_known = 1;
  }
};

/// 16 aligned bytes, read at once.
struct alignas(16) WholeChunk {
  std::uint64_t low, high;
};
/// 4 bytes, for arrays that are aligned to 4 bytes only.
struct SmallChunk {
  std::uint32_t low;
  static constexpr std::uint32_t high = 0;
};

/// An array, cut into chunks. The bytes after the last whole chunk count as one more chunk.
template <class Chunk>
struct ChunkedArray {
  const Chunk* chunks;
  std::size_t whole;          // number of whole chunks
  const std::uint32_t* rest;  // words after the last whole chunk
  int rest_words;

  /// \param data [in] aligned to 4 bytes, and for WholeChunk to 16 bytes
  ChunkedArray(const void* data, std::size_t bytes)
      : chunks(static_cast<const Chunk*>(data)),
        whole(bytes / sizeof(Chunk)),
        rest(reinterpret_cast<const std::uint32_t*>(chunks + whole)),
        rest_words(static_cast<int>(bytes % sizeof(Chunk) / sizeof(std::uint32_t))) {}

  TESSERA_FUNCTION std::size_t size() const { return whole + 1; }

  /// Returns the contribution of a chunk to the fingerprint.
  TESSERA_FUNCTION std::uint64_t contribution(std::size_t i) const {
    if (i < whole) {
      const Chunk chunk = chunks[i];
      return mix_product(chunk.low, chunk.high, i);
    }
    std::uint64_t words[2] = {0, 0};
    for (int w = 0; w < rest_words; ++w) words[w / 2] |= std::uint64_t(rest[w]) << (32 * (w % 2));
    return mix_product(words[0], words[1], i);
  }
};

/// Calls visit(array) with the largest chunks that the array's alignment allows.
template <class Visit>
void with_chunks(const void* data, std::size_t bytes, const Visit& visit) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(WholeChunk) == 0;
  is_aligned ? visit(ChunkedArray<WholeChunk>(data, bytes)) : visit(ChunkedArray<SmallChunk>(data, bytes));
}

}  // namespace Tessera::Impl
