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

/// A matrix in one of the formats. Each format has these members:
///
/// ```{.unparsed}
///   rows, columns, nonzeros   extents and number of entries
///   view()                    the raw view that kernels take, in device memory
///   places()                  elements of an array of values: nonzeros, and the zeros that a format stores
///   tiles()                   number of tiles or blocks; Csr lacks this and the next three
///   tiled_nonzeros()          nonzeros that lie in tiles
///   tile_elements()           elements of all tiles, nonzeros or not
///   tile_counts()             the first tile of each window of rows, and the end; empty without windows
///   bytes()                   bytes of the pattern, without the values
/// ```
template <class Offset, class MemorySpace>
using AnyFormat =
    std::variant<Csr<Offset, MemorySpace>, BitTcf<Offset, MemorySpace>, Bmat<Offset, MemorySpace>,
                 BlockRowPartition<Offset, MemorySpace>, Bcsr<Offset, MemorySpace>, SortedColumns<Offset, MemorySpace>>;
/// A matrix in one of the formats as it was built, and where its values come from.
template <class Offset, class MemorySpace>
using BuiltFormat = Built<AnyFormat<Offset, MemorySpace>, Offset, MemorySpace>;

/// Builds a format from canonical rows. Csr shares their arrays.
///
/// \param exec        [in] the instance to run on
/// \param format      [in] the format to build
/// \param rows        [in] the canonical rows
/// \param parameters  [in] the parameters of the format
/// \param value_bytes [in] bytes of a value of A; alignment and automatic parameters may depend on it
/// \throws std::invalid_argument for Format::Automatic, and what the format's own build throws
template <class ExecutionSpace, class Offset>
BuiltFormat<Offset, typename ExecutionSpace::memory_space> build_format(
    const ExecutionSpace& exec, Format format, const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
    const FormatParameters& parameters, std::size_t value_bytes);

/// Converts back to canonical rows. The map tells where their values are in the format. A Csr stays as it is.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format. Returns an empty text, or the first invariant that is broken and where.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
