// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/format/Bcsr.hpp>
#include <tessera/format/BitTcf.hpp>
#include <tessera/format/BlockRowPartition.hpp>
#include <tessera/format/Bmat.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/format/SortedColumns.hpp>
#include <variant>

namespace Tessera {

/// A matrix in one of the formats. Each has, under the same names:
///
///   rows, columns, nonzeros   of the matrix
///   view()                    the raw view that kernels take: device memory, whoever reads it
///   places()                  elements of an array of values: nonzeros, more where a format stores zeros besides
///   tiles()                   tiles or blocks; like the next three, not for Csr
///   tiled_nonzeros()          nonzeros that lie in tiles
///   tile_elements()           elements of all tiles, nonzeros or not
///   tile_counts()             the first tile of each window of rows, and the end; empty without windows
///   bytes()                   of the pattern, values left out
template <class Offset, class MemorySpace>
using AnyFormat =
    std::variant<Csr<Offset, MemorySpace>, BitTcf<Offset, MemorySpace>, Bmat<Offset, MemorySpace>,
                 BlockRowPartition<Offset, MemorySpace>, Bcsr<Offset, MemorySpace>, SortedColumns<Offset, MemorySpace>>;
template <class Offset, class MemorySpace>
using BuiltFormat = Built<AnyFormat<Offset, MemorySpace>, Offset, MemorySpace>;

/// Builds the format that is named from canonical rows; Csr shares their arrays.
///
/// \param value_bytes [in] of a value of A, on which alignment and automatic parameters may depend
/// \throws std::invalid_argument at Format::Automatic, and as the format's own build
template <class ExecutionSpace, class Offset>
BuiltFormat<Offset, typename ExecutionSpace::memory_space> build_format(
    const ExecutionSpace& exec, Format format, const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
    const FormatParameters& parameters, std::size_t value_bytes);

/// Back to canonical rows, and where their values are in the format; of a Csr, itself.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format: empty, or the first that is broken and where.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
