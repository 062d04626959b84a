// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "compact_rows/CompactRowsView.hpp"
#include "csr/cuda/EntryColumns.cuh"

namespace Tessera::Impl::Cuda {

/// The columns of compact rows. Entries that are loaded at once lie in one block.
template <>
class EntryColumns<CompactRowsPattern> {
 public:
  __device__ explicit EntryColumns(const CompactRowsPattern& A, Offset begin = 0) : A_(A), begin_(begin) {}

  static bool are_aligned(const CompactRowsPattern& A) {
    return reinterpret_cast<std::uintptr_t>(A.low_columns) % 16 == 0 &&
           reinterpret_cast<std::uintptr_t>(A.high_columns) % 16 == 0;
  }

  __device__ Ordinal operator[](Offset entry) const {
    const Offset place = begin_ + entry;
    const auto low = static_cast<Ordinal>(__ldg(A_.low_columns + place));
    const Ordinal first = first_of(place);
    return first >= 0 ? first + low : low | static_cast<Ordinal>(__ldg(high(place, first))) << 16;
  }
  __device__ Ordinal once(Offset entry) const { return (*this)[entry]; }
  template <int n>
  __device__ void load_once(Offset entry, Ordinal* to) const {
    const Offset place = begin_ + entry;
    std::uint16_t low[n];
    load_block_once<n>(A_.low_columns + place, low);
    widen<n>(place, low, to);
  }
  template <int n>
  __device__ void load_now_once(Offset entry, Ordinal (&to)[n]) const {
    const Offset place = begin_ + entry;
    std::uint16_t low[n];
    load_block_now_once(A_.low_columns + place, low);
    widen<n>(place, low, to);
  }

 private:
  __device__ Ordinal first_of(Offset place) const {
    return __ldg(A_.block_columns + static_cast<unsigned>(place) / CompactRowsPattern::block_entries);
  }
  /// Returns where the high bits of an entry of a wide block are.
  __device__ const std::uint16_t* high(Offset place, Ordinal first) const {
    constexpr int entries = CompactRowsPattern::block_entries;
    return A_.high_columns + static_cast<std::size_t>(~first) * entries + static_cast<unsigned>(place) % entries;
  }
  template <int n>
  __device__ void widen(Offset place, const std::uint16_t* low, Ordinal* to) const {
    const Ordinal first = first_of(place);
    if (first >= 0) {
#pragma unroll
      for (int i = 0; i < n; ++i) to[i] = first + low[i];
    } else {
      std::uint16_t above[n];
      load_block_once<n>(high(place, first), above);
#pragma unroll
      for (int i = 0; i < n; ++i) to[i] = low[i] | above[i] << 16;
    }
  }

  const CompactRowsPattern& A_;
  Offset begin_;
};

}  // namespace Tessera::Impl::Cuda
