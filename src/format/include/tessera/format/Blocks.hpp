// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/format/Csr.hpp>

namespace Tessera::Impl {

/// Converts compressed rows of dense square blocks (KokkosSparse::BsrMatrix) to compressed rows of their elements. The
/// map gives the place of each element's value. The result is canonical if `blocks` is.
///
/// An example with blocks of 2 x 2: block row 0 has blocks 0 and 1, in block columns 0 and 3. The values of a block are
/// consecutive and row-major. Element row 0 then has columns 0 1 6 7, whose values are at 0 1 4 5.
///
/// \param exec       [in] the instance to run on
/// \param blocks     [in] compressed rows, where rows, columns and entries count blocks; rows may be unsorted and have
///                        duplicates
/// \param entries    [in] number of blocks
/// \param block_size [in] rows and columns of a block, at least 1
/// \throws std::invalid_argument like build_csr(), and if the elements have more rows, columns or entries than their
///         types can count
///
/// Cost: one pass over the elements. Bytes of the map: elements * sizeof(Offset).
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> expand_blocks(const ExecutionSpace& exec,
                                                              const CsrPattern<Offset>& blocks, std::size_t entries,
                                                              Ordinal block_size);

}  // namespace Tessera::Impl
