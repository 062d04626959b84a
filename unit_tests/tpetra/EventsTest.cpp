// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Kokkos Tools see of an apply(): the order of its steps, and memory.
#include <algorithm>
#include <tessera/io/Generators.hpp>

#include "TestProblem.hpp"

namespace Tessera::Test {

/// Records names while it lives: of regions, kernels and allocations.
class Events {
 public:
  Events() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    names().clear();
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_push_region_callback([](const char* name) { names().push_back(name); });
    Tools::set_begin_parallel_for_callback(
        [](const char* name, std::uint32_t, std::uint64_t*) { names().push_back(name); });
    Tools::set_allocate_data_callback([](const Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                                         const std::uint64_t) { names().push_back(std::string("allocate ") + label); });
  }
  ~Events() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// The place of the first name that contains the text, or -1.
  static std::ptrdiff_t find(const std::string& text) {
    const auto found = std::find_if(names().begin(), names().end(),
                                    [&](const std::string& name) { return name.find(text) != std::string::npos; });
    return found == names().end() ? -1 : found - names().begin();
  }
  static std::ptrdiff_t find_last(const std::string& text) {
    auto place = static_cast<std::ptrdiff_t>(names().size()) - 1;
    while (place >= 0 && names()[std::size_t(place)].find(text) == std::string::npos) --place;
    return place;
  }
  static std::string all() {
    std::string text;
    for (const auto& name : names()) text += name + '\n';
    return text;
  }

 private:
  static std::vector<std::string>& names() {
    static std::vector<std::string> list;
    return list;
  }
  Kokkos::Tools::Experimental::EventSet before_;
};

/// A Krylov block that has lost columns and got them back allocates nothing: not in Tessera, and not for the exchange.
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

/// The exchange of the halo is under way while the rank multiplies what is its own.
TEST(Events, TheExchangeOverlapsTheProduct) {
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const Operator op(A);
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const MV X(x_map(*A, mode), 4);
    MV Y(y_map(*A, mode), 4);
    op.apply(X, Y, mode);
    const Events events;
    op.apply(X, Y, mode);
    // The products with the rank's own entries: the first of an apply, the last of a transposed one.
    const auto product = mode == Teuchos::NO_TRANS ? Events::find("Tessera::spmm") : Events::find_last("Tessera::spmm");
    const auto sent = Events::find("MultiVector pack"), received = Events::find("MultiVector unpack");
    EXPECT_GE(sent, 0) << Events::all();
    EXPECT_LT(sent, product) << Events::all();
    EXPECT_LT(product, received) << Events::all();
  }
}

}  // namespace Tessera::Test
