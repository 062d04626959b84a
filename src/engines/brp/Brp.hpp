// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "brp/BrpView.hpp"

namespace Tessera::Impl {

/// Owns the pattern of a matrix in the block-row partition. BrpPattern describes the arrays, f and g.
///
/// Bytes without the values: groups * (4 + 8 g * 4 + 8 f g) + residual rows * (4 + sizeof(Offset)) + residual entries *
/// 4 + (2 ceil(rows / 16) + 3) sizeof(Offset).
template <class MemorySpace>
struct Brp {
  static constexpr Format format = Format::Brp;  ///< its name

  Ordinal rows = 0;                                     ///< rows of the matrix
  Ordinal columns = 0;                                  ///< columns of the matrix
  std::size_t nonzeros = 0;                             ///< number of entries
  int f = 1;                                            ///< entries of a local column
  int g = 1;                                            ///< tiles of a group
  Impl::Array<Ordinal*, MemorySpace> group_windows;     ///< see BrpPattern
  Impl::Array<Offset*, MemorySpace> window_groups;      ///< see BrpPattern
  Impl::Array<std::uint8_t*, MemorySpace> local_ids;    ///< see BrpPattern
  Impl::Array<Ordinal*, MemorySpace> group_columns;     ///< see BrpPattern
  Impl::Array<Ordinal*, MemorySpace> residual_rows;     ///< see BrpPattern
  Impl::Array<Offset*, MemorySpace> residual_offsets;   ///< see BrpPattern
  Impl::Array<Ordinal*, MemorySpace> residual_columns;  ///< see BrpPattern
  Impl::Array<Offset*, MemorySpace> window_residuals;   ///< see BrpPattern

  std::size_t groups() const { return group_windows.extent(0); }      ///< number of groups
  std::size_t tiles() const { return groups(); }                      ///< number of groups, each a tile of 16 x 8 g
  std::size_t places() const { return nonzeros; }                     ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return local_ids.extent(0); }  ///< number of entries in groups
  std::size_t tile_elements() const { return group_columns.extent(0) * 16; }  ///< elements of all groups
  const auto& tile_counts() const { return window_groups; }  ///< the first group of each window, and the end
  /// Returns the raw view that kernels read.
  BrpPattern view() const {
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
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<Brp, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                       const FormatParameters& parameters, std::size_t value_bytes) {
    return build_brp(exec, rows.view(), rows.nonzeros, parameters, value_bytes);
  }
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
  /// @endcond
};

/// A newly built pattern in the block-row partition, and the map that says where its values come from.
template <class MemorySpace>
using BuiltBrp = Built<Brp<MemorySpace>, MemorySpace>;

/// The parameters of the block-row partition.
struct BrpParameters {
  int f = 1;  ///< entries of a local column
  int g = 1;  ///< tiles of a group
};

/// Returns the f and g that build_brp() uses. A parameter that is not 0 is kept. Others become 1, 2 or 4: the choice
/// moves the fewest bytes in a product, among those that align groups to 128 bytes (8 f g value_bytes is a multiple of
/// 128). If several choices move equally few, the smallest f wins, then the smallest g.
///
/// The bytes depend on the choice as follows. X has 128 columns, so a row of X or Y has b = 128 value_bytes:
///
/// ```{.unparsed}
///   groups * (4 + 8 g (4 + b) + 8 f g)                 arrays of groups, and a row of X for each local column
///   residual entries * (4 + b)                         column and row of X
///   residual rows * (4 + sizeof(Offset) + 2 b)         row and offset; the row of Y is read and written again
/// ```
///
/// If rows of X and Y were not counted, residual entries would seem cheaper than groups with f = 1: there would be no
/// groups.
///
/// \param exec        [in] the instance to run on
/// \param A           [in] a canonical pattern
/// \param parameters  [in] f and g; 0 leaves the choice to this function
/// \param value_bytes [in] bytes of a value of A
/// \throws std::invalid_argument if f is not in 0 ... 16 or g not in 0 ... 64, or if they do not align groups
///
/// Cost: nothing if there is only one candidate. Else two passes over the pattern that find the columns of windows, and
/// two over these columns for all f and g together. The columns take 12 bytes each until the end of the call, and
/// sizeof(Offset) for each f.
template <class ExecutionSpace>
BrpParameters choose_brp_parameters(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                                    const FormatParameters& parameters, std::size_t value_bytes);

/// Builds the block-row partition from a canonical pattern, with the f and g of choose_brp_parameters(). The columns of
/// windows are found once, as blocks of 16 x 1 elements of BCSR (build_bcsr()). Prefix sums over the columns then tell
/// which entries are grouped. The arrays are the same on every backend and for any number of threads.
///
/// \throws std::invalid_argument as choose_brp_parameters()
///
/// Cost: that of choose_brp_parameters(), then a pass over the columns and one over the entries. Columns take 12 +
/// sizeof(Offset) bytes after the choice. Devices take sizeof(Offset) bytes more for each entry until the end of the
/// call.
template <class ExecutionSpace>
BuiltBrp<typename ExecutionSpace::memory_space> build_brp(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                          std::size_t nonzeros, const FormatParameters& parameters,
                                                          std::size_t value_bytes);

/// Converts back to canonical rows without loss. The map reorders values from the partition's order to the order of the
/// rows. Cost: a radix sort of the entries.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const Brp<typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first broken
/// invariant and where it is broken. Cost: a few passes over the pattern.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Brp<typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera::Impl
