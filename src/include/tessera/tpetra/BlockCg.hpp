// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Operator.hpp>
#include <tessera/BlockCg.hpp>
#include <tessera/tpetra/BlockVector.hpp>

namespace Tessera {

/// Solves A X = B for a symmetric positive definite A whose rows are distributed over ranks, by the block conjugate
/// gradient method of `tessera/BlockCg.hpp`. Collective.
///
/// \param A         [in]     an operator whose domain Map is its range Map. A BlockOperator, such as a CrsMatrix, is
///                           given blocks; any other operator copies, as by Tessera::apply(). Its errors are thrown
/// \param M         [in]     a preconditioner that approximates the inverse of A, symmetric positive definite; given
///                           blocks or copies likewise
/// \param B         [in]     right-hand sides, in the Map of A
/// \param X         [in,out] initial guesses on entry; solutions on return. In the Map of A; must not overlap B
/// \param options   [in]     see BlockCgOptions; sum_over_ranks and halo_room are ignored
/// \param workspace [in,out] memory for one solution after another
/// \throws std::invalid_argument on all ranks if Maps of A or M differ, if B or X does not fit A or is a list of
/// columns,
///         or if X overlaps B; and the errors of block_cg() for Views
///
/// Options are the same on all ranks. If memory for the workspace is short on one rank, the others wait forever.
///
/// Cost: that of block_cg() for Views, and one MPI_Allreduce for each of its sums over ranks.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
BlockCgResult block_cg(const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A,
                       const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& M,
                       const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B,
                       BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X, const BlockCgOptions<Scalar>& options,
                       BlockCgWorkspace<typename Node::execution_space, Scalar>& workspace);

/// The same with memory of its own.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
BlockCgResult block_cg(const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A,
                       const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& M,
                       const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B,
                       BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X,
                       const BlockCgOptions<Scalar>& options = {});

/// The same without a preconditioner.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
BlockCgResult block_cg(const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A,
                       const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B,
                       BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X, const BlockCgOptions<Scalar>& options,
                       BlockCgWorkspace<typename Node::execution_space, Scalar>& workspace);

/// The same without a preconditioner, with memory of its own.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
BlockCgResult block_cg(const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A,
                       const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B,
                       BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X,
                       const BlockCgOptions<Scalar>& options = {});

}  // namespace Tessera
