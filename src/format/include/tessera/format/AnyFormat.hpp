// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/format/Bcsr.hpp>
#include <tessera/format/BitTcf.hpp>
#include <tessera/format/BlockRowPartition.hpp>
#include <tessera/format/Bmat.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/format/FormatMemory.hpp>
#include <tessera/format/RowGroups.hpp>
#include <tessera/format/SortedColumns.hpp>
#include <tessera/format/StagedWindows.hpp>
#include <type_traits>
#include <variant>

namespace Tessera {

/// A matrix in one of the formats: no other list names their types. Each format has these members:
///
/// ```{.unparsed}
///   format                    its name
///   rows, columns, nonzeros   extents and number of entries
///   view()                    the raw view that kernels and portable_spmm() take, in device memory
///   places()                  elements of an array of values: nonzeros, and the zeros that a format stores
///   tiles()                   number of tiles or blocks; Csr lacks this and the next three
///   tiled_nonzeros()          nonzeros that lie in tiles
///   tile_elements()           elements of all tiles, nonzeros or not
///   tile_counts()             the first tile of each window of rows, and the end; empty without windows. A format that
///                             does not store it has a function tile_counts(exec, format)
///   bytes()                   bytes of the pattern, without the values
/// ```
///
/// For the library, each format also has these, and functions to_csr(exec, format) and validate(exec, format):
///
/// ```{.unparsed}
///   build(exec, rows, parameters, value_bytes)           what build_format() calls
///   memory(exec, rows, parameters, value_bytes, tiles)   what format_memory() calls
///   to_csr_sorts                                         whether to_csr() sorts the places, and takes memory for that
///   transfer(archive)                                    gives an archive, or gets from it, all that files of plans
///                                                        hold of the format
/// ```
template <class Offset, class MemorySpace>
using AnyFormat =
    std::variant<Csr<Offset, MemorySpace>, BitTcf<Offset, MemorySpace>, Bmat<Offset, MemorySpace>,
                 BlockRowPartition<Offset, MemorySpace>, Bcsr<Offset, MemorySpace>, SortedColumns<Offset, MemorySpace>,
                 StagedWindows<Offset, MemorySpace>, RowGroups<Offset, MemorySpace>>;
/// A matrix in one of the formats as it was built, and where its values come from.
template <class Offset, class MemorySpace>
using BuiltFormat = Built<AnyFormat<Offset, MemorySpace>, Offset, MemorySpace>;

/// @cond
/// Calls visit(std::type_identity<F>()) for the type F of a format, one of those of `Any`, which is an AnyFormat.
///
/// \throws std::invalid_argument for Format::Automatic
template <class Any, std::size_t place = 0, class Visit>
auto visit_type_of(Format format, const Visit& visit)
    -> decltype(visit(std::type_identity<std::variant_alternative_t<0, Any>>())) {
  if constexpr (place < std::variant_size_v<Any>) {
    using Type = std::type_identity<std::variant_alternative_t<place, Any>>;
    if (format == Type::type::format) return visit(Type());
    return visit_type_of<Any, place + 1>(format, visit);
  } else {
    throw std::invalid_argument("Tessera: expected the name of a format");
  }
}
/// @endcond

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

/// Bounds what build_format() will make of canonical rows, and the memory that it will take. The bounds of the patterns
/// of Csr, BitTcf, Bmat, Bcsr and RowGroups are exact.
///
/// \param exec        [in] the instance to run on
/// \param format      [in] the format to build
/// \param rows        [in] the canonical rows
/// \param parameters  [in] the parameters of the format
/// \param value_bytes [in] bytes of a value of A
/// \param tiles       [in] the number of tiles of BitTcf or Bmat, for Staged that of BitTcf; negative: they are counted
/// \throws std::invalid_argument as build_format()
///
/// Cost: for Bcsr, and where tiles are counted, a pass over the pattern for each shape of blocks that is tried; for
/// RowGroups, the choice of the groups.
template <class ExecutionSpace, class Offset>
FormatMemory format_memory(const ExecutionSpace& exec, Format format,
                           const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
                           const FormatParameters& parameters, std::size_t value_bytes, double tiles = -1);

/// Converts back to canonical rows. The map tells where their values are in the format. A Csr stays as it is.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format. Returns an empty text, or the first invariant that is broken and where.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
