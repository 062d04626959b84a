// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trilinos programs multiply with Tessera if they get a Tessera::CrsMatrix, and need the same number of iterations.
#include <KokkosKernels_config.h>
#include <gtest/gtest.h>

#include <Tpetra_Core.hpp>
#include <cstdio>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>

#include "../../../example/common/DistributedMatrix.hpp"
#include "Applications.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

namespace {

using Applications::Application;
using Applications::Outcome;

/// The outcome of a run, and the library that multiplied.
struct Run {
  Outcome outcome;
  std::size_t executions = 0, their_kernels = 0;
  std::string events;
};

Run run(const Application& application, const Teuchos::RCP<Tpetra::CrsMatrix<double>>& A, const char* whose) {
  const ToolEvents events;
  Run result;
  result.outcome = application.run(A);
  result.executions = events.executions();
  for (const auto* names : {&events.regions(), &events.kernels()}) {
    for (const auto& name : *names) result.their_kernels += name.starts_with("KokkosSparse::spmv");
  }
  result.events = events.text();
  if (A->getComm()->getRank() == 0) {
    std::printf("%s with %s: iterations: %d, products by Tessera: %zu, kernels of Kokkos Kernels' products: %zu\n",
                application.name.c_str(), whose, result.outcome.iterations, result.executions, result.their_kernels);
  }
  return result;
}

/// Runs all applications with Tpetra's matrix and with Tessera's.
void expect_same(const std::vector<Application>& applications, bool all_products_are_ours) {
  const auto matrix = Example::distribute(generate_stencil27(12), Tpetra::getDefaultComm());
  std::size_t their_kernels = 0;
  for (const Application& application : applications) {
    SCOPED_TRACE(application.name);
    const Run theirs = run(application, matrix, "Tpetra::CrsMatrix");
    EXPECT_TRUE(theirs.outcome.converged);
    const auto iterations = static_cast<std::size_t>(theirs.outcome.iterations);
#ifdef KOKKOSKERNELS_ENABLE_TPL_TESSERA  // in the Kokkos Kernels that Tpetra was compiled with
    EXPECT_GE(theirs.executions, iterations) << theirs.events;
#else
    EXPECT_EQ(theirs.executions, 0U) << theirs.events;
#endif
    their_kernels += theirs.their_kernels;
    const Run ours = run(application, Teuchos::rcp(new CrsMatrix(*matrix)), "Tessera::CrsMatrix");
    EXPECT_TRUE(ours.outcome.converged);
    EXPECT_EQ(ours.outcome.iterations, theirs.outcome.iterations);
    EXPECT_LE(ours.outcome.error, 2e-6);
    EXPECT_GE(ours.executions, iterations) << ours.events;
    if (all_products_are_ours) {
      EXPECT_EQ(ours.their_kernels, 0U) << ours.events;
    }
  }
  // Not checked for each application: on Serial, the product of a single vector is a loop that profilers do not see.
  EXPECT_GT(their_kernels, 0U);
}

}  // namespace

TEST(Applications, Belos) { expect_same(Applications::belos(), true); }
#ifdef TESSERA_TEST_ANASAZI
TEST(Applications, Anasazi) { expect_same(Applications::anasazi(), true); }
#endif
#ifdef TESSERA_TEST_IFPACK2
TEST(Applications, Ifpack2) { expect_same(Applications::ifpack2(), false); }
#endif
#ifdef TESSERA_TEST_MUELU
TEST(Applications, MueLu) { expect_same(Applications::muelu(), false); }
#endif

}  // namespace Tessera::Impl::Test
