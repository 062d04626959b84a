// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_BLAS_types.hpp>
#include <Teuchos_ScalarTraits.hpp>
#include <tessera/tpetra/BlockVector_fwd.hpp>

namespace Tessera {

/// An operator that multiplies BlockVectors itself: CrsMatrix, TpetraOperator, and your own operators that derive from
/// it as well as from Tpetra::Operator. Other operators are given copies of type Tpetra::MultiVector: see
/// Tessera::apply().
///
/// BlockVectors exist only for float and double. For other scalars, apply() cannot be called.
template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class BlockOperator {
 public:
  using block_vector_type = BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;  ///< the type of X and Y

  virtual ~BlockOperator() = default;

  /// Computes Y = alpha op(A) X + beta Y, like Tpetra::Operator::apply().
  ///
  /// \param X     [in]     in the domain Map (range Map for TRANS and CONJ_TRANS)
  /// \param Y     [in,out] in the range Map (domain Map for TRANS and CONJ_TRANS), with the number of columns of X; if
  ///                       beta is 0, it may hold anything. It may share memory with X, or be X
  /// \param mode  [in]     NO_TRANS, TRANS or CONJ_TRANS; TRANS and CONJ_TRANS are the same
  /// \param alpha [in]     the factor of op(A) X; if 0, neither A nor X is read
  /// \param beta  [in]     the factor of Y
  /// \throws std::invalid_argument if X or Y does not fit
  virtual void apply(const block_vector_type& X, block_vector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
                     Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
                     Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const = 0;

 protected:
  BlockOperator() = default;
  BlockOperator(const BlockOperator&) = default;             ///< copies
  BlockOperator& operator=(const BlockOperator&) = default;  ///< copies
};

}  // namespace Tessera
