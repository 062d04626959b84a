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
#include <tessera/format/SortedColumns.hpp>
#include <tessera/format/StagedWindows.hpp>
#include <type_traits>
#include <variant>

namespace Tessera {

/// A matrix in one of the formats: this list is all that names their types. Each has, under the same names:
///
///   format                    its name
///   rows, columns, nonzeros   of the matrix
///   view()                    the raw view that kernels and portable_spmm() take: device memory, whoever reads it
///   places()                  elements of an array of values: nonzeros, more where a format stores zeros besides
///   tiles()                   tiles or blocks; like the next three, not for Csr
///   tiled_nonzeros()          nonzeros that lie in tiles
///   tile_elements()           elements of all tiles, nonzeros or not
///   tile_counts()             the first tile of each window of rows, and the end; empty without windows. Where it is
///                             not stored: a function tile_counts(exec, format)
///   bytes()                   of the pattern, values left out
///   build(exec, rows, parameters, value_bytes)
///                             builds it from canonical rows, as build_format()
///   memory(exec, rows, parameters, value_bytes, tiles)
///                             what that takes, as format_memory()
///   to_csr_sorts              whether to_csr() sorts the places, and takes memory for that
///   transfer(archive)         gives archive.fields(name, numbers...) and archive.array(name, array) all that a file
///                             holds of it, or gets it from there
///
/// and functions to_csr(exec, format) and validate(exec, format).
template <class Offset, class MemorySpace>
using AnyFormat = std::variant<Csr<Offset, MemorySpace>, BitTcf<Offset, MemorySpace>, Bmat<Offset, MemorySpace>,
                               BlockRowPartition<Offset, MemorySpace>, Bcsr<Offset, MemorySpace>,
                               SortedColumns<Offset, MemorySpace>, StagedWindows<Offset, MemorySpace>>;
template <class Offset, class MemorySpace>
using BuiltFormat = Built<AnyFormat<Offset, MemorySpace>, Offset, MemorySpace>;

/// Calls visit(std::type_identity<F>()) for the type F of a format, one of those of `Any`, which is an AnyFormat.
///
/// \throws std::invalid_argument at Format::Automatic
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

/// Builds the format that is named from canonical rows; Csr shares their arrays.
///
/// \param value_bytes [in] of a value of A, on which alignment and automatic parameters may depend
/// \throws std::invalid_argument at Format::Automatic, and as the format's own build
template <class ExecutionSpace, class Offset>
BuiltFormat<Offset, typename ExecutionSpace::memory_space> build_format(
    const ExecutionSpace& exec, Format format, const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
    const FormatParameters& parameters, std::size_t value_bytes);

/// What build_format() will make of canonical rows, and take for it: upper bounds. Patterns of Csr, BitTcf, Bmat and
/// Bcsr are met.
///
/// \param tiles [in] of BitTcf or Bmat, of BitTcf for Staged, if they are known; negative: they are counted
/// \throws std::invalid_argument as build_format()
///
/// Cost: for Bcsr, and where tiles are counted, a pass over the pattern, or one a shape of blocks that is tried.
template <class ExecutionSpace, class Offset>
FormatMemory format_memory(const ExecutionSpace& exec, Format format,
                           const Csr<Offset, typename ExecutionSpace::memory_space>& rows,
                           const FormatParameters& parameters, std::size_t value_bytes, double tiles = -1);

/// Back to canonical rows, and where their values are in the format; of a Csr, itself.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format: empty, or the first that is broken and where.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const AnyFormat<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
