// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <string>
#include <vector>

/// Solvers of Belos and Anasazi, for Tpetra::MultiVector and for BlockVector. The four combinations are in separate
/// sources because they compile slowly.
namespace BlockSolvers {

using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using Teuchos::RCP;
using Teuchos::rcp;

struct System {
  RCP<const Operator> A;
  RCP<const MultiVector> B;
  RCP<const Operator> preconditioner = Teuchos::null;  ///< left preconditioner of CG, right preconditioner of GMRES
};

struct Solution {
  bool converged = false;
  int iterations = 0;
  RCP<MultiVector> X = Teuchos::null;
};

/// \param solver [in] "BlockCg", "PseudoBlockCg", "BlockGmres", "PseudoBlockGmres", "Gcrodr" or "Lsqr"
Solution solve_multivectors(const std::string& solver, const System& system, Teuchos::ParameterList options);
Solution solve_blocks(const std::string& solver, const System& system, Teuchos::ParameterList options);

struct Eigenproblem {
  RCP<const Operator> A;
  RCP<const MultiVector> start;
  RCP<const Operator> preconditioner = Teuchos::null;
  int wanted = 4;
};

struct Eigenvalues {
  bool converged = false;
  int iterations = 0;
  std::vector<double> values = {};
  RCP<MultiVector> vectors = Teuchos::null;
};

/// \param solver [in] "Lobpcg" or "BlockKrylovSchur"
Eigenvalues eigenvalues_multivectors(const std::string& solver, const Eigenproblem& problem,
                                     Teuchos::ParameterList options);
Eigenvalues eigenvalues_blocks(const std::string& solver, const Eigenproblem& problem, Teuchos::ParameterList options);

}  // namespace BlockSolvers
