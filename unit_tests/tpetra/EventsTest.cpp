// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of an apply() for Kokkos Tools: the order of its steps, and memory.
#include <tessera/io/Generators.hpp>

#include "Events.hpp"
#include "TestProblem.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

/// A Krylov block that loses columns and regains them allocates nothing, neither in Tessera nor for the exchange.
TEST(Events, ColumnsThatHaveComeBeforeAllocateNothing) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  const Operator op(A);
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const MV X(x_map(*A, mode), 8);
    MV Y(y_map(*A, mode), 8);
    std::vector<std::pair<RCP<const MV>, RCP<MV>>> blocks;
    for (const int columns : {8, 5, 2}) {
      const Teuchos::Range1D range(0, columns - 1);
      blocks.emplace_back(X.subView(range), Y.subViewNonConst(range));
    }
    const auto apply_all = [&] {
      for (const auto& [x, y] : blocks) op.apply(*x, *y, mode);
    };
    apply_all();
    const Events events;
    apply_all();
    EXPECT_EQ(Events::find("allocate"), -1) << "mode " << mode << ":\n" << Events::all();
    EXPECT_GE(Events::find("Tessera::spmm"), 0);
  }
}

TEST(Events, PrepareLeavesNothingToAllocate) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Uniform);
  Operator op(A);
  op.prepare(6);
  const MV X(A->getDomainMap(), 6);
  MV Y(A->getRangeMap(), 6);
  const Events events;
  op.apply(X, Y);
  EXPECT_EQ(Events::find("allocate Tessera"), -1) << Events::all();
}

/// The first update() allocates the memory for both parts of the values. Later updates reuse it.
TEST(Events, UpdatesUseTheirRoomAgain) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  Operator op(A, options_of(Overlap::Always));
  op.update();
  const Events events;
  op.update();
  EXPECT_EQ(Events::find("allocate Tessera::split"), -1) << Events::all();
  EXPECT_EQ(Events::find("Tessera::pattern_checksum"), -1) << "the same arrays are not compared:\n" << Events::all();
}

/// On hosts, the halo's columns are in the same product, and CSR reads A's own values. Only copied values are checked
/// for changes.
TEST(Events, HostsFollowValuesForNothing) {
  if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, MV::device_type::memory_space>::accessible)
    GTEST_SKIP() << "devices multiply while they wait";
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const Operator op(A), looking(A, options_of(Overlap::Always));
  for (const std::size_t columns : {1, 4}) {
    const MV X(A->getDomainMap(), columns);
    MV Y(A->getRangeMap(), columns);
    for (const Operator* const each : {&op, &looking}) {
      each->apply(X, Y);
      const ToolEvents events;
      each->apply(X, Y);
      const bool is_cut = each == &looking && ranks() > 1;
      EXPECT_EQ(events.executions(), is_cut ? 2U : 1U) << events.text();
      EXPECT_EQ(events.text().find("Tessera::watch_values") != std::string::npos, is_cut) << events.text();
    }
  }
}

/// On hosts, a plan of a rank that owns its columns keeps Tpetra's arrays. Until Tpetra has others, nothing is
/// compared.
TEST(Events, HostsReadNoPattern) {
  if (!std::is_same_v<MV::execution_space::memory_space, Kokkos::HostSpace>) GTEST_SKIP() << "devices copy the pattern";
  if (ranks() > 1) GTEST_SKIP() << "columns of the halo are numbered anew";
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const MV X(A->getDomainMap(), 1);
  MV Y(A->getRangeMap(), 1);
  const Events events;
  Operator(A).apply(X, Y);
  EXPECT_EQ(Events::find("Tessera::pattern_checksum"), -1) << Events::all();
  EXPECT_EQ(Events::find("allocate Tessera::Csr"), -1) << Events::all();
}

/// The halo is exchanged while the rank multiplies its own rows.
TEST(Events, TheExchangeOverlapsTheProduct) {
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const Operator op(A, options_of(Overlap::Always));
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const MV X(x_map(*A, mode), 4);
    MV Y(y_map(*A, mode), 4);
    op.apply(X, Y, mode);
    const Events events;
    op.apply(X, Y, mode);
    // The product with the rank's own entries is the first product of an apply, and the last of a transposed apply.
    const auto product = mode == Teuchos::NO_TRANS ? Events::find("Tessera::spmm") : Events::find_last("Tessera::spmm");
    const bool is_transposed = mode != Teuchos::NO_TRANS;
    const auto sent = Events::find(is_transposed ? "MultiVector pack" : "MPI_Irecv"),
               received = Events::find(is_transposed ? "MultiVector unpack" : "MPI_Waitall");
    EXPECT_GE(sent, 0) << Events::all();
    EXPECT_LT(sent, product) << Events::all();
    EXPECT_LT(product, received) << Events::all();
  }
}

}  // namespace Tessera::Impl::Test
