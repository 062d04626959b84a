// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of Trilinos that are given a Tessera::CrsMatrix multiply with Tessera, and take as many iterations.
#include <gtest/gtest.h>

#include <Tpetra_Core.hpp>
#include <cstdio>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>

#include "../../../tools/harness/DistributedMatrix.hpp"
#include "Applications.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Test {

namespace {

using Applications::Application;
using Applications::Outcome;

/// Products that Kokkos Kernels was asked for.
std::size_t their_products(const ToolEvents& events) {
  std::size_t count = 0;
  for (const auto& name : events.regions()) count += name.starts_with("KokkosSparse::spmv");
  return count;
}

/// Runs all with Tpetra's matrix and with ours.
void expect_same(const std::vector<Application>& applications, bool all_products_are_ours) {
  const auto theirs = Harness::distribute(generate_stencil27(12), Tpetra::getDefaultComm());
  for (const Application& application : applications) {
    SCOPED_TRACE(application.name);
    const Outcome expected = application.run(theirs);
    EXPECT_TRUE(expected.converged);
    const Teuchos::RCP<Tpetra::CrsMatrix<double>> ours = Teuchos::rcp(new CrsMatrix(*theirs));
    const ToolEvents events;
    const Outcome found = application.run(ours);
    EXPECT_TRUE(found.converged);
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_LE(found.error, 2e-6);
    EXPECT_GE(events.executions(), static_cast<std::size_t>(found.iterations));
    if (all_products_are_ours) {
      EXPECT_EQ(their_products(events), 0U) << events.text();
    }
    if (ours->getComm()->getRank() == 0) {
      std::printf("%s: iterations: %d, products by Tessera: %zu, by Kokkos Kernels: %zu\n", application.name.c_str(),
                  found.iterations, events.executions(), their_products(events));
    }
  }
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

}  // namespace Tessera::Test
