// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Foreign.hpp"
#ifdef TESSERA_TEST_IFPACK2
#include <Ifpack2_Chebyshev.hpp>
#include <Teuchos_ParameterList.hpp>
#endif

namespace BlockSolvers {

Teuchos::RCP<const Tpetra::Operator<double>> ifpack2_chebyshev(
    [[maybe_unused]] const Teuchos::RCP<const Tpetra::CrsMatrix<double>>& A, [[maybe_unused]] int degree,
    [[maybe_unused]] double largest, [[maybe_unused]] double ratio, [[maybe_unused]] double boost) {
#ifdef TESSERA_TEST_IFPACK2
  const auto result = Teuchos::rcp(new Ifpack2::Chebyshev<Tpetra::RowMatrix<double>>(A));
  Teuchos::ParameterList options;
  options.set("chebyshev: degree", degree);
  options.set("chebyshev: max eigenvalue", largest);
  options.set("chebyshev: ratio eigenvalue", ratio);
  options.set("chebyshev: boost factor", boost);
  result->setParameters(options);
  result->initialize();
  result->compute();
  return result;
#else
  return Teuchos::null;
#endif
}

}  // namespace BlockSolvers
