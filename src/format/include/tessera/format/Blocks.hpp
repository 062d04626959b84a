// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/format/Csr.hpp>

namespace Tessera {

/// Compressed rows of dense square blocks (KokkosSparse::BsrMatrix) as compressed rows of their elements.
///
/// Example, blocks of 2: block row 0 holds the blocks 0 and 1, in block columns 0 and 3. Element row 0 then has columns
/// 0 1 6 7, whose values are at 0 1 4 5: a block's values are consecutive and row-major.
///
/// \param blocks     [in] rows, columns and entries count blocks; rows unsorted or not, duplicates or not
/// \param entries    [in] the number of blocks
/// \param block_size [in] rows and columns of a block, at least 1
/// \param most_bytes [in] that may be allocated at once
/// \return rows in the order of the blocks, hence as canonical as `blocks` are, and where each element's value is
/// \throws std::invalid_argument and FormatTooLarge as build_csr(); the former also if the elements' rows, columns or
///         entries are too many for their types
///
/// Cost: one pass over the elements. Bytes of the map: elements * sizeof(Offset).
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> expand_blocks(const ExecutionSpace& exec,
                                                                      const CsrPattern<Offset>& blocks,
                                                                      std::size_t entries, Ordinal block_size,
                                                                      std::size_t most_bytes = no_memory_limit);

}  // namespace Tessera
