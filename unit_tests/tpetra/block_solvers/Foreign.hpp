// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Operator.hpp>

/// Preconditioners of Trilinos, which multiply only multivectors. One source for each package, because they compile
/// slowly.
namespace BlockSolvers {

/// Returns Ifpack2's Chebyshev preconditioner with these parameters; null without Ifpack2.
Teuchos::RCP<const Tpetra::Operator<double>> ifpack2_chebyshev(const Teuchos::RCP<const Tpetra::CrsMatrix<double>>& A,
                                                               int degree, double largest, double ratio, double boost);

/// Returns a V-cycle of MueLu; null without MueLu.
Teuchos::RCP<const Tpetra::Operator<double>> muelu_cycle(const Teuchos::RCP<Tpetra::CrsMatrix<double>>& A);

}  // namespace BlockSolvers
