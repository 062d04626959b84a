// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/BitTcfView.hpp>
#include <tessera/format/Csr.hpp>

namespace Tessera {

/// The pattern of a matrix in BitTCF (see BitTcfPattern for what the arrays hold) that owns its arrays.
///
/// Bytes, values left out: (ceil(rows / 8) + 1 + tiles + 1) sizeof(Offset) + 8 tiles * 4 + tiles * 8, which for int
/// offsets is the paper's (ceil(rows / 8) + 11 tiles + 2) * 4 (Acc-SpMM, section 3.3).
template <class Offset, class MemorySpace>
struct BitTcf {
  static constexpr Format format = Format::BitTcf;
  static constexpr bool to_csr_sorts = false;

  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  Kokkos::View<Offset*, MemorySpace> window_offsets;
  Kokkos::View<Offset*, MemorySpace> tile_offsets;
  Kokkos::View<Ordinal*, MemorySpace> tile_columns;
  Kokkos::View<std::uint64_t*, MemorySpace> tile_masks;

  std::size_t tiles() const { return tile_masks.extent(0); }
  std::size_t places() const { return nonzeros; }  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }
  std::size_t tile_elements() const { return tiles() * 64; }  ///< of all tiles
  const auto& tile_counts() const { return window_offsets; }  ///< the first tile of each window, and the end
  BitTcfPattern<Offset> view() const {
    return {rows, columns, window_offsets.data(), tile_offsets.data(), tile_columns.data(), tile_masks.data()};
  }
  std::size_t bytes() const {
    return (window_offsets.extent(0) + tile_offsets.extent(0)) * sizeof(Offset) +
           tile_columns.extent(0) * sizeof(Ordinal) + tile_masks.extent(0) * sizeof(std::uint64_t);
  }

  template <class ExecutionSpace>
  static Built<BitTcf, Offset, MemorySpace> build(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                                                  const FormatParameters&, std::size_t) {
    return build_bittcf(exec, rows.view(), rows.nonzeros);
  }
  template <class ExecutionSpace>
  static FormatMemory memory(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                             const FormatParameters& parameters, std::size_t value_bytes, double tiles);
  template <class Archive>
  void transfer(Archive& file) {
    file.array("window_offsets", window_offsets);
    file.array("tile_offsets", tile_offsets);
    file.array("tile_columns", tile_columns);
    file.array("tile_masks", tile_masks);
  }
};
template <class Offset, class MemorySpace>
using BuiltBitTcf = Built<BitTcf<Offset, MemorySpace>, Offset, MemorySpace>;

/// How many tiles the matrix would have, without building them. Cost: one pass over the pattern.
template <class ExecutionSpace, class Offset>
std::size_t count_bittcf_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

/// Builds BitTCF from a canonical pattern. Windows are built side by side, each by one thread that merges the window's
/// 8 sorted rows; the arrays are the same on every backend and number of threads.
///
/// Cost: two passes over the pattern, 8 comparisons for each distinct column of a window.
template <class ExecutionSpace, class Offset>
BuiltBitTcf<Offset, typename ExecutionSpace::memory_space> build_bittcf(const ExecutionSpace& exec,
                                                                        const CsrPattern<Offset>& A,
                                                                        std::size_t nonzeros);

/// Back to canonical rows without loss; the map takes values from BitTCF's order to that of the rows.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format in memory that `exec` can read.
///
/// \return an empty string, or the first invariant that is broken and where. Cost: one pass over the pattern.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
