// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_BLAS_types.hpp>
#include <Teuchos_ScalarTraits.hpp>
#include <Tpetra_Operator.hpp>
#include <tessera/tpetra/BlockVector.hpp>

namespace Tessera {

/// Computes Y = alpha op(A) X + beta Y for any Tpetra::Operator.
///
/// A BlockOperator, such as a CrsMatrix or a TpetraOperator, multiplies the blocks itself. Any other operator, such as
/// a preconditioner, is given copies of type Tpetra::MultiVector: two passes over X and two over Y, three if beta is
/// not 0. Up to four of these multivectors are kept for the next call. Kokkos::finalize() frees them.
///
/// \param op    [in]     any operator; the errors of its apply() are thrown
/// \param X     [in]     in the domain Map (range Map for TRANS and CONJ_TRANS)
/// \param Y     [in,out] in the range Map (domain Map for TRANS and CONJ_TRANS), with the number of columns of X; if
///                       beta is 0, it may hold anything. It may share memory with X, or be X
/// \param mode  [in]     NO_TRANS, TRANS or CONJ_TRANS
/// \param alpha [in]     the factor of op(A) X
/// \param beta  [in]     the factor of Y
/// \throws std::invalid_argument if X and Y have different numbers of columns
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void apply(const Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>& op,
           const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X,
           BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
           Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(), Scalar beta = Teuchos::ScalarTraits<Scalar>::zero());

}  // namespace Tessera
