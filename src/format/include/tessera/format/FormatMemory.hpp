// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/RadixSort.hpp>

/// @file
/// The bytes that patterns take, and that building them takes, known before they are built.
namespace Tessera {

/// Of entries that are sorted by keys, and then become compressed rows: the most at once, the rows included.
template <class Offset, class ExecutionSpace>
std::size_t sorted_csr_bytes(const ExecutionSpace& exec, std::size_t rows, std::size_t entries) {
  const std::size_t sorted = entries * (sizeof(std::uint64_t) + sizeof(Offset));
  return std::max(radix_sort_bytes(exec, entries, sizeof(Offset)), sorted + csr_bytes<Offset>(rows, entries));
}

/// The most that build_csr() has allocated at once. Of rows that are not canonical, with room for runs of duplicates.
template <class Offset, class ExecutionSpace>
std::size_t build_csr_bytes(const ExecutionSpace& exec, Ordinal rows, std::size_t entries, bool is_canonical) {
  const auto all_rows = static_cast<std::size_t>(rows);
  if (is_canonical) return csr_bytes<Offset>(all_rows, entries);
  const std::size_t runs = (entries + 1) * sizeof(Offset);
  const std::size_t sorted = entries * (sizeof(std::uint64_t) + sizeof(Offset));
  return std::max(sorted_csr_bytes<Offset>(exec, all_rows, entries),
                  sorted + runs + std::max(csr_bytes<Offset>(all_rows, entries), entries * sizeof(std::uint64_t)));
}

/// What a matrix takes in a format.
struct FormatMemory {
  std::size_t pattern = 0;  ///< bytes
  std::size_t places = 0;   ///< elements of the array of values; the slot map has an offset for each, but of Csr
  std::size_t scratch = 0;  ///< bytes that building it takes at once, besides pattern and slot map
  std::size_t tiles = 0;    ///< of BitTcf and Bmat, or blocks of Bcsr
};

/// What build_format() will make of canonical rows, and take for it: upper bounds. Patterns of Csr, BitTcf, Bmat and
/// Bcsr are met.
///
/// \param tiles [in] of BitTcf or Bmat, if they are known; negative: they are counted
/// \throws std::invalid_argument as build_format()
///
/// Cost: for Bcsr, and where tiles are counted, a pass over the pattern, or one a shape of blocks that is tried.
template <class ExecutionSpace, class Offset>
FormatMemory format_memory(const ExecutionSpace& exec, Format format,
                           const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
                           const FormatParameters& parameters, std::size_t value_bytes, double tiles = -1);

}  // namespace Tessera
