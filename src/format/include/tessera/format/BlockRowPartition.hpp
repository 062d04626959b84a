// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>

namespace Tessera {

/// The pattern of a matrix in the block-row partition (see BlockRowPartitionPattern for what the arrays hold, and for f
/// and g) that owns its arrays.
///
/// Bytes, values left out: groups * (4 + 8 g * 4 + 8 f g) + residual rows * (4 + sizeof(Offset)) + residual entries * 4
/// + (2 ceil(rows / 16) + 3) sizeof(Offset).
template <class Offset, class MemorySpace>
struct BlockRowPartition {
  static constexpr Format format = Format::BlockRowPartition;
  static constexpr bool to_csr_sorts = true;

  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  int f = 1;  ///< entries of a local column
  int g = 1;  ///< tiles of a group
  Kokkos::View<Ordinal*, MemorySpace> group_windows;
  Kokkos::View<Offset*, MemorySpace> window_groups;
  Kokkos::View<std::uint8_t*, MemorySpace> local_ids;
  Kokkos::View<Ordinal*, MemorySpace> group_columns;
  Kokkos::View<Ordinal*, MemorySpace> residual_rows;
  Kokkos::View<Offset*, MemorySpace> residual_offsets;
  Kokkos::View<Ordinal*, MemorySpace> residual_columns;
  Kokkos::View<Offset*, MemorySpace> window_residuals;

  std::size_t groups() const { return group_windows.extent(0); }
  std::size_t tiles() const { return groups(); }   ///< groups: tiles of 16 x 8 g
  std::size_t places() const { return nonzeros; }  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return local_ids.extent(0); }
  std::size_t tile_elements() const { return group_columns.extent(0) * 16; }  ///< of all groups
  const auto& tile_counts() const { return window_groups; }  ///< the first group of each window, and the end
  BlockRowPartitionPattern<Offset> view() const {
    return {rows,
            columns,
            f,
            g,
            static_cast<Offset>(groups()),
            group_windows.data(),
            window_groups.data(),
            local_ids.data(),
            group_columns.data(),
            residual_rows.data(),
            residual_offsets.data(),
            residual_columns.data(),
            window_residuals.data()};
  }
  std::size_t bytes() const {
    const std::size_t ordinals =
        group_windows.extent(0) + group_columns.extent(0) + residual_rows.extent(0) + residual_columns.extent(0);
    const std::size_t offsets = window_groups.extent(0) + residual_offsets.extent(0) + window_residuals.extent(0);
    return ordinals * sizeof(Ordinal) + offsets * sizeof(Offset) + local_ids.extent(0);
  }

  template <class ExecutionSpace>
  static Built<BlockRowPartition, Offset, MemorySpace> build(const ExecutionSpace& exec,
                                                             const Csr<Offset, MemorySpace>& rows,
                                                             const FormatParameters& parameters,
                                                             std::size_t value_bytes) {
    return build_brp(exec, rows.view(), rows.nonzeros, parameters, value_bytes);
  }
  template <class ExecutionSpace>
  static FormatMemory memory(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                             const FormatParameters& parameters, std::size_t value_bytes, double tiles);
  template <class Archive>
  void transfer(Archive& file) {
    file.fields("f and g", f, g);
    file.array("group_windows", group_windows);
    file.array("window_groups", window_groups);
    file.array("local_ids", local_ids);
    file.array("group_columns", group_columns);
    file.array("residual_rows", residual_rows);
    file.array("residual_offsets", residual_offsets);
    file.array("residual_columns", residual_columns);
    file.array("window_residuals", window_residuals);
  }
};
template <class Offset, class MemorySpace>
using BuiltBlockRowPartition = Built<BlockRowPartition<Offset, MemorySpace>, Offset, MemorySpace>;

/// f and g, the entries of a local column and the tiles of a group.
struct BrpParameters {
  int f = 1;
  int g = 1;
};

/// The f and g that build_brp() takes: those given; where one is 0, whichever of 1, 2 and 4 makes a product move the
/// fewest bytes, among those that align groups to 128 bytes (8 f g value_bytes a multiple of it). The least f, then the
/// least g, if several do.
///
/// What counts is what differs among them, for an X of 128 columns, so that a row of X or Y is b = 128 value_bytes:
///
///   groups * (4 + 8 g (4 + b) + 8 f g)                 their arrays, and a row of X for each local column
///   residual entries * (4 + b)                         column and row of X
///   residual rows * (4 + sizeof(Offset) + 2 b)         row and offset; its row of Y is read and written again
///
/// Without the rows of X and Y, residual entries would seem cheaper than groups with f = 1, and no group be made.
///
/// \param value_bytes [in] of a value of A
/// \throws std::invalid_argument if f is not in 0 ... 16 or g not in 0 ... 64, or if they do not align groups
///
/// Cost: one pass over the pattern for all candidates together; none if there is one alone.
template <class ExecutionSpace, class Offset>
BrpParameters choose_brp_parameters(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                    const FormatParameters& parameters, std::size_t value_bytes);

/// Builds the block-row partition from a canonical pattern, with the f and g of choose_brp_parameters(). Windows are
/// built side by side, each by one thread that merges the window's 16 sorted rows; the arrays are the same on every
/// backend and number of threads.
///
/// \throws std::invalid_argument as choose_brp_parameters()
///
/// Cost: three passes over the pattern besides that of the choice, each with 16 comparisons a distinct column of a
/// window.
template <class ExecutionSpace, class Offset>
BuiltBlockRowPartition<Offset, typename ExecutionSpace::memory_space> build_brp(const ExecutionSpace& exec,
                                                                                const CsrPattern<Offset>& A,
                                                                                std::size_t nonzeros,
                                                                                const FormatParameters& parameters,
                                                                                std::size_t value_bytes);

/// Back to canonical rows without loss; the map takes values from the partition's order to that of the rows. Cost: a
/// radix sort of the entries.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const BlockRowPartition<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format in memory that `exec` can read.
///
/// \return an empty string, or the first invariant that is broken and where. Cost: a few passes over the pattern.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec,
                     const BlockRowPartition<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
