// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange of the halo: the rows that arrive, the order of steps, and the memory that MPI sends from.
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <tessera/io/Generators.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/tpetra/impl/Exchange.hpp>
#include <tessera/tpetra/impl/HaloExchange.hpp>
#include <tessera/tpetra/impl/HaloMemory.hpp>
#include <tessera/tpetra/impl/NcclOfComm.hpp>
#include <thread>

#include "BlockProblem.hpp"
#include "Events.hpp"

namespace Tessera::Impl::Test {

using Halo = Impl::HaloExchange<Matrix>;
using Exchange = Impl::Exchange<Matrix>;
constexpr const char* halo_memory = "TESSERA_HALO_MEMORY";
constexpr const char* device_buffers = "TESSERA_MPI_DEVICE_BUFFERS";  // deprecated

/// Sets an environment variable while the object lives; null removes it.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before, is_set_ = true;
    set(value);
  }
  ~Environment() { set(is_set_ ? before_.c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::string before_;
  bool is_set_ = false;
};

/// While the object lives, makes the plans' products on this rank fail, beginning with product number `which`.
class FailingProduct {
 public:
  explicit FailingProduct(int which) : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    left() = which;
    Kokkos::Tools::Experimental::set_push_region_callback([](const char* name) {
      if (std::string_view(name) == "Tessera::spmm" && --left() <= 0) throw std::logic_error("planted");
    });
  }
  ~FailingProduct() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  FailingProduct(const FailingProduct&) = delete;
  FailingProduct& operator=(const FailingProduct&) = delete;

 private:
  static int& left() {
    static int products = 0;
    return products;
  }
  Kokkos::Tools::Experimental::EventSet before_;
};

/// Waits long enough for another rank to start its next exchange, unless that rank waits for this rank.
void come_late() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

/// Whether tests may send by NCCL. It needs a GPU for each rank, or NCCL_MULTI_RANK_GPU_ENABLE.
bool sends_by_nccl() {
  const char* const shares = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return NcclComm::is_built() && !Halo::is_host &&
         (ranks() <= Kokkos::num_devices() || (shares != nullptr && std::string_view(shares) == "1"));
}

NcclComm& nccl_for(const Exchange& exchange) {
  return nccl_of(exchange.comm_pointer(), device_of_instance(Halo::Exec()));
}

/// The ways to send rows that work here: staged or not, and by NCCL.
struct Way {
  bool is_staged = true;
  NcclComm* nccl = nullptr;
};
std::vector<Way> ways_to_send(const Exchange& exchange) {
  std::vector<Way> ways{{}};
  if (Halo::is_host) ways.push_back({false});  // on hosts, any MPI can read the memory
  if (sends_by_nccl()) ways.push_back({false, &nccl_for(exchange)});
  return ways;
}

class HaloOn : public testing::TestWithParam<std::pair<Spread, std::string>> {};

/// Expects the received rows to equal the rows that Tpetra imports.
void expect_rows(const Halo::Rows& actual, const MV& expected) {
  const auto rows = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), Kokkos::View<const double**, Kokkos::LayoutRight, Halo::Device>(actual));
  const auto e = expected.getLocalViewHost(Tpetra::Access::ReadOnly);
  ASSERT_EQ(rows.extent(0), e.extent(0));
  ASSERT_EQ(rows.extent(1), e.extent(1));
  for (std::size_t i = 0; i < e.extent(0); ++i)
    for (std::size_t j = 0; j < e.extent(1); ++j) ASSERT_EQ(rows(i, j), e(i, j)) << "(" << i << ", " << j << ")";
}

/// Exchanges multivectors and blocks with different numbers of columns in turn, staged or not. X may be overwritten
/// during the exchange.
TEST_P(HaloOn, BringsWhatTpetraImports) {
  const auto A = distribute(generate_elasticity(4, 2), GetParam().first);
  const Exchange exchange(*A);
  if (exchange.importer().is_null()) return;
  for (const Way& way : ways_to_send(exchange)) {
    SCOPED_TRACE(testing::Message() << way.is_staged << (way.nccl == nullptr ? " MPI" : " NCCL"));
    Halo halo(exchange.importer(), way.is_staged, 0, way.nccl);
    EXPECT_EQ(halo.is_staged(), way.is_staged);
    std::uint64_t seed = 0;
    for (const std::size_t columns : {1, 8, 3, 33, 8}) {
      const auto x = random_vectors(A->getDomainMap(), columns, ++seed);
      MV expected(exchange.halo_map(), columns);
      expected.doImport(*x, *exchange.importer(), Tpetra::INSERT);
      halo.reserve(columns);
      Block X(*x);
      const auto view = x->getLocalViewDevice(Tpetra::Access::ReadOnly);
      expect_rows(halo.exchange(view, [&] { x->putScalar(nan); }), expected);
      expect_rows(halo.exchange(X.getLocalView(), [&] { X.putScalar(nan); }), expected);
    }
  }
}

/// For multivectors, blocks and views of blocks, returns the rank's own rows, followed by the rows that Tpetra imports.
TEST_P(HaloOn, PutsTheHaloBehindTheRowsThatItHas) {
  const auto A = distribute(generate_elasticity(4, 2), GetParam().first);
  const Exchange exchange(*A);
  if (exchange.importer().is_null()) return;
  const std::size_t owned = A->getDomainMap()->getLocalNumElements();
  const auto part = [](const Halo::Rows& all, std::size_t first, std::size_t rows) {
    return Halo::Rows(all.data() + first * all.extent(1), rows, all.extent(1));
  };
  for (const Way& way : ways_to_send(exchange)) {
    Halo halo(exchange.importer(), way.is_staged, owned, way.nccl);
    for (const std::size_t columns : {1, 8, 3, 33, 8, 1}) {
      const auto x = random_vectors(A->getDomainMap(), columns, columns);
      MV expected(exchange.halo_map(), columns);
      expected.doImport(*x, *exchange.importer(), Tpetra::INSERT);
      halo.reserve(columns);
      Block wide(A->getDomainMap(), columns + 2);
      const auto some = wide.subViewNonConst(Teuchos::Range1D(1, Teuchos::Ordinal(columns)));
      some->assign(Block(*x));
      const auto expect_all = [&](const Halo::Rows& all) {
        ASSERT_EQ(all.extent(0), owned + expected.getLocalLength());
        expect_rows(part(all, 0, owned), *x);
        expect_rows(part(all, owned, expected.getLocalLength()), expected);
      };
      // Tpetra allows no host access to x while its device view exists.
      const Halo::Rows all = halo.exchange_all(x->getLocalViewDevice(Tpetra::Access::ReadOnly));
      expect_all(all);
      expect_all(halo.exchange_all(Block(*x).getLocalView()));
      expect_all(halo.exchange_all(some->getLocalView()));
    }
  }
}

/// The buffer of a wide halo suffices for any smaller number of columns.
TEST_P(HaloOn, AllocatesOnce) {
  const auto A = distribute(generate_elasticity(4, 2), GetParam().first);
  const Exchange exchange(*A);
  if (exchange.importer().is_null()) return;
  Halo halo(exchange.importer(), true);
  halo.reserve(8);
  const Block X(A->getDomainMap(), 8);
  const auto some = X.subView(Teuchos::Range1D(0, 2));
  const Events events;
  for (const auto& x : {Teuchos::rcpFromRef(X), some}) {
    halo.reserve(x->getNumVectors());
    halo.exchange(x->getLocalView(), [] {});
  }
  EXPECT_EQ(Events::find("allocate"), -1) << Events::all();
}

INSTANTIATE_TEST_SUITE_P(Spreads, HaloOn, testing::ValuesIn(every_spread), spread_name);

/// Each step waits only for the step before: rows are packed, copied to the host, sent and received, copied to the
/// device, and used.
TEST(Halo, StagedRowsAreWaitedFor) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const Exchange exchange(*A);
  Halo halo(exchange.importer(), true);
  halo.reserve(4);
  const Block X(A->getDomainMap(), 4);
  const Events events;
  halo.exchange(X.getLocalView(), [] { Events::note("the product"); });
  const std::vector<std::string> steps = {"MPI_Irecv",
                                          "Tessera::gather_rows",
                                          "fence Tessera::HaloExchange: rows to send are packed",
                                          "copy to Tessera::halo",
                                          "the product",
                                          "fence Tessera::HaloExchange: rows to send are on the host",
                                          "MPI_Isend",
                                          "MPI_Waitall"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_GE(Events::find(steps[i]), 0) << steps[i] << " in\n" << Events::all();
    if (i == 0) continue;
    EXPECT_LT(Events::find(steps[i - 1]), Events::find(steps[i])) << steps[i] << " in\n" << Events::all();
  }
  EXPECT_LT(Events::find("MPI_Waitall"), Events::find_last("copy to Tessera::halo")) << Events::all();
  EXPECT_LT(Events::find_last("copy to Tessera::halo"), Events::find("rows of the halo are on the device"))
      << Events::all();
  EXPECT_EQ(Events::count("fence"), 3U) << Events::all();
  EXPECT_EQ(Events::count("copy to"), 2U) << Events::all();
}

/// The work on the last rank throws while the other ranks are late. They still get the last rank's rows. In the next
/// exchange, the last rank gets their new rows, not the rows of the failed exchange.
void expect_exchange_in_spite_of_a_failure(bool is_staged, bool is_by_nccl = false) {
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  const Exchange exchange(*A);
  NcclComm* const nccl = is_by_nccl ? &nccl_for(exchange) : nullptr;
  Halo halo(exchange.importer(), is_staged, 0, nccl);
  halo.reserve(3);
  const auto x = random_vectors(A->getDomainMap(), 3, 1), next = random_vectors(A->getDomainMap(), 3, 2);
  MV expected(exchange.halo_map(), 3), next_expected(exchange.halo_map(), 3);
  expected.doImport(*x, *exchange.importer(), Tpetra::INSERT);
  next_expected.doImport(*next, *exchange.importer(), Tpetra::INSERT);
  const Block X(*x), next_X(*next);
  if (rank() == last_rank()) {
    EXPECT_THROW(halo.exchange(X.getLocalView(), [] { throw std::logic_error("planted"); }), std::logic_error);
  } else {
    come_late();
    expect_rows(halo.exchange(X.getLocalView(), [] {}), expected);
  }
  expect_rows(halo.exchange(next_X.getLocalView(), [] {}), next_expected);
}

TEST(Halo, WorkThatThrowsDoesNotEndTheExchange) {
  if (!Halo::is_host) GTEST_SKIP() << "not every MPI reads the memory of devices";
  expect_exchange_in_spite_of_a_failure(false);
}

TEST(Halo, WorkThatThrowsDoesNotEndAStagedExchange) { expect_exchange_in_spite_of_a_failure(true); }

TEST(Halo, WorkThatThrowsDoesNotEndAnExchangeByNccl) {
  if (!sends_by_nccl()) GTEST_SKIP() << "NCCL needs a GPU for each rank";
  expect_exchange_in_spite_of_a_failure(false, true);
}

/// Exchanges follow each other without a wait of the host: each brings the rows that X had when it began.
TEST(Halo, ExchangesByNcclNeedNoWait) {
  if (!sends_by_nccl()) GTEST_SKIP() << "NCCL needs a GPU for each rank";
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(6, 2), Spread::Cyclic);
  const Exchange exchange(*A);
  Halo halo(exchange.importer(), false, 0, &nccl_for(exchange));
  constexpr std::size_t columns = 8, turns = 20;
  halo.reserve(columns);
  const std::size_t rows = exchange.halo_map()->getLocalNumElements();
  Block X(*random_vectors(A->getDomainMap(), columns, 1));
  const Kokkos::View<double***, Kokkos::LayoutRight, Halo::Device> arrived("arrived", turns, rows, columns);
  const Events events;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const auto imported = halo.exchange(X.getLocalView(), [&] { X.scale(2); });
    Kokkos::deep_copy(Halo::Exec(), Kokkos::subview(arrived, turn, Kokkos::ALL, Kokkos::ALL), imported);
  }
  EXPECT_EQ(Events::count("fence"), 0U) << Events::all();
  EXPECT_EQ(Events::count("MPI_"), 0U) << Events::all();
  MV expected(exchange.halo_map(), columns);
  expected.doImport(*random_vectors(A->getDomainMap(), columns, 1), *exchange.importer(), Tpetra::INSERT);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    expect_rows(Halo::Rows(arrived.data() + turn * rows * columns, rows, columns), expected);
    expected.scale(2);
  }
}

/// A failing product of multivectors or blocks, by the matrix or its transpose, has the same effect. Without overlap,
/// the product follows the exchange.
void expect_right_in_spite_of_a_failed_product(Overlap overlap, const std::vector<Teuchos::ETransp>& modes) {
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  const Operator op(A, options_of(overlap));
  const auto x = random_vectors(A->getDomainMap(), 4, 1), next = random_vectors(A->getDomainMap(), 4, 2);
  const Block X(*x), next_X(*next);
  for (const auto mode : modes) {
    SCOPED_TRACE(mode);
    MV y(A->getRangeMap(), 4), expected(A->getRangeMap(), 4), next_expected(A->getRangeMap(), 4);
    Block Y(A->getRangeMap(), 4);
    A->apply(*x, expected, mode);
    A->apply(*next, next_expected, mode);
    const auto limit = bound(*A, *x, expected, mode, 1, 0), next_limit = bound(*A, *next, expected, mode, 1, 0);
    for (const bool is_block : {false, true}) {
      SCOPED_TRACE(is_block);
      const auto multiply = [&](bool is_next) {
        if (is_block) {
          op.apply(is_next ? next_X : X, Y, mode);
        } else {
          op.apply(is_next ? *next : *x, y, mode);
        }
      };
      const auto result = [&] { return is_block ? Y.toMultiVector() : rcp(new MV(y, Teuchos::Copy)); };
      multiply(false);  // allocates on all ranks
      if (rank() == last_rank()) {
        const FailingProduct fails(mode == Teuchos::NO_TRANS ? 1 : 2);  // the product during which rows are exchanged
        EXPECT_THROW(multiply(false), std::logic_error);
      } else {
        come_late();
        multiply(false);
      }
      const auto first = result();
      multiply(true);
      if (rank() != last_rank()) expect_within(*first, expected, *limit);
      expect_within(*result(), next_expected, *next_limit);
    }
  }
}

TEST(Halo, AProductThatFailsOnOneRankHarmsNoOther) {
  expect_right_in_spite_of_a_failed_product(Overlap::Always, {Teuchos::NO_TRANS, Teuchos::TRANS});
  expect_right_in_spite_of_a_failed_product(Overlap::Never, {Teuchos::NO_TRANS});
}

/// Counts the elements that are NaN, and expects all other elements within the bound.
std::size_t count_missing(const MV& actual, const MV& expected, const MV& bound) {
  const auto y = actual.getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto e = expected.getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto b = bound.getLocalViewHost(Tpetra::Access::ReadOnly);
  std::size_t missing = 0;
  for (std::size_t i = 0; i < y.extent(0); ++i) {
    for (std::size_t j = 0; j < y.extent(1); ++j) {
      missing += std::isnan(y(i, j)) ? 1 : 0;
      EXPECT_FALSE(std::abs(y(i, j) - e(i, j)) > b(i, j)) << "row " << i << ", column " << j;
    }
  }
  return missing;
}

/// Ranks add to another rank's elements of Y. If one of them fails before it sends its part, the owner does not wait:
/// it gets NaN, not a partial sum. The next product is right.
TEST_P(HaloOn, NoRankWaitsForOneThatFailed) {
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(4, 2), GetParam().first);
  const Exchange exchange(*A);
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const auto x = random_vectors(x_map(*A, mode), 4, 1);
    MV expected(y_map(*A, mode), 4);
    A->apply(*x, expected, mode);
    const auto limit = bound(*A, *x, expected, mode, 1, 0);
    for (const Overlap overlap : {Overlap::Always, Overlap::Never}) {
      SCOPED_TRACE(testing::Message() << "mode " << mode << ", overlap " << int(overlap));
      const Operator op(A, options_of(overlap));
      MV y(y_map(*A, mode), 4);
      op.apply(*x, y, mode);  // allocates on all ranks
      int missing = 0;
      if (rank() == last_rank()) {
        const FailingProduct fails(1);
        EXPECT_THROW(op.apply(*x, y, mode), std::logic_error);
      } else {
        op.apply(*x, y, mode);
        missing = static_cast<int>(count_missing(y, expected, *limit));
      }
      int all = 0;
      Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, missing, Teuchos::outArg(all));
      const bool is_summed = !y.isDistributed() || !exchange.exporter().is_null() ||
                             (mode == Teuchos::TRANS && !exchange.importer().is_null());
      const bool is_missed = !y.isDistributed() || (mode == Teuchos::TRANS && GetParam().first == Spread::Uniform);
      EXPECT_GE(all, is_missed ? 1 : 0);
      EXPECT_TRUE(is_summed || all == 0) << all;
      op.apply(*x, y, mode);
      expect_within(y, expected, *limit);
    }
  }
}

/// Each product exchanges one message with each neighbour in each direction, and reduces nothing: for multivectors,
/// blocks and new values.
TEST(Halo, ProductsSendOneMessageToEachNeighbour) {
  for (const Spread spread : {Spread::Uniform, Spread::Cyclic, Spread::Shuffled, Spread::RowsOnLastRank}) {
    const auto A = distribute(generate_elasticity(4, 2), spread);
    const Exchange exchange(*A);
    std::size_t sent = 0, received = 0;
    if (!exchange.importer().is_null()) {
      sent = exchange.importer()->getDistributor().getNumSends();
      received = exchange.importer()->getDistributor().getNumReceives();
    }
    const Operator op(A);
    const MV x(A->getDomainMap(), 4);
    MV y(A->getRangeMap(), 4);
    const Block X(A->getDomainMap(), 4);
    Block Y(A->getRangeMap(), 4);
    op.apply(x, y);
    op.apply(X, Y);
    for (const bool is_block : {false, true, true, false}) {
      A->resumeFill();
      A->scale(2);
      A->fillComplete(A->getDomainMap(), A->getRangeMap());
      const Events events;
      if (is_block) {
        op.apply(X, Y);
      } else {
        op.apply(x, y);
      }
      EXPECT_EQ(Events::count("MPI_Isend"), sent) << Events::all();
      EXPECT_EQ(Events::count("MPI_Irecv"), received) << Events::all();
      EXPECT_EQ(Events::count("MPI_Allreduce"), 0U) << Events::all();
    }
  }
}

/// With EveryApply, ranks reduce. This also shows that the test above would detect reductions.
TEST(Halo, EveryApplyReducesOnce) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Uniform);
  TpetraOptions options;
  options.agreement = Agreement::EveryApply;
  const Operator op(A, options);
  const Block X(A->getDomainMap(), 4);
  Block Y(A->getRangeMap(), 4);
  op.apply(X, Y);
  const Events events;
  op.apply(X, Y);
  EXPECT_EQ(Events::count("MPI_Allreduce"), ranks() == 1 ? 0U : 1U) << Events::all();
}

TEST(HaloMemoryOption, TheEnvironmentDecidesWhatIsAutomatic) {
  const Environment none(halo_memory, nullptr), neither(device_buffers, nullptr);
  const HaloMemory assumed = Tpetra::Details::Behavior::assumeMpiIsGPUAware() ? HaloMemory::Device : HaloMemory::Host;
  EXPECT_EQ(Impl::chosen_halo_memory(HaloMemory::Auto), assumed);
  using Wish = std::pair<const char*, HaloMemory>;
  for (const auto& [text, expected] : {Wish{"host", HaloMemory::Host}, Wish{"device", HaloMemory::Device},
                                       Wish{"nccl", HaloMemory::Nccl}, Wish{"", assumed}}) {
    const Environment wish(halo_memory, text);
    EXPECT_EQ(Impl::chosen_halo_memory(HaloMemory::Auto), expected) << "'" << text << "'";
    for (const HaloMemory named : {HaloMemory::Host, HaloMemory::Device, HaloMemory::Nccl})
      EXPECT_EQ(Impl::chosen_halo_memory(named), named);
  }
  for (const auto& [text, expected] : {Wish{"0", HaloMemory::Host}, Wish{"1", HaloMemory::Device}, Wish{"", assumed}}) {
    const Environment wish(device_buffers, text);
    EXPECT_EQ(Impl::chosen_halo_memory(HaloMemory::Auto), expected) << "'" << text << "'";
    const Environment newer(halo_memory, "nccl");
    EXPECT_EQ(Impl::chosen_halo_memory(HaloMemory::Auto), HaloMemory::Nccl);
  }
}

/// All ranks throw, even if only one has a wrong value.
TEST(HaloMemoryOption, OtherWishesAreRejected) {
  const auto A = distribute(generate_stencil27(3), Spread::Uniform);
  for (const char* const name : {halo_memory, device_buffers}) {
    for (const char* const text : {"yes", "2", "01", " 1", "Host"}) {
      const Environment none(halo_memory, nullptr), wish(name, rank() == last_rank() ? text : nullptr);
      try {
        const Operator op(A);
        ADD_FAILURE() << "'" << text << "' is accepted";
      } catch (const std::invalid_argument& e) {
        EXPECT_NE(std::string(e.what()).find(std::string(name) + " is '" + text + "'; expected "), std::string::npos)
            << e.what();
      }
      TpetraOptions options;
      options.halo_memory = HaloMemory::Host;
      EXPECT_NO_THROW(Operator(A, options));
    }
  }
}

/// On a device, ranks with a halo need NCCL for it, and all of them must want it.
TEST(HaloMemoryOption, NcclIsForAllRanksOrNone) {
  const auto A = distribute(generate_stencil27(3), Spread::Uniform);
  if (Halo::is_host) GTEST_SKIP() << "there is only host memory";
  if (ranks() == 1) GTEST_SKIP() << "there is no halo";
  TpetraOptions options;
  options.halo_memory = rank() == 0 ? HaloMemory::Host : HaloMemory::Nccl;
  EXPECT_THROW(Operator(A, options), std::invalid_argument);
  options.halo_memory = HaloMemory::Nccl;
  if (!NcclComm::is_built()) {
    EXPECT_THROW(Operator(A, options), std::invalid_argument);
  } else if (sends_by_nccl()) {
    EXPECT_NO_THROW(Operator(A, options));
  } else {
    EXPECT_THROW(Operator(A, options), std::runtime_error);
  }
}

TEST(HaloMemoryOption, ProductsAreRightFromAnyMemory) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  for (const HaloMemory memory : {HaloMemory::Auto, HaloMemory::Host, HaloMemory::Device, HaloMemory::Nccl}) {
    if (!Halo::is_host && memory == HaloMemory::Device) continue;  // not every MPI reads the memory of devices
    if (!Halo::is_host && memory == HaloMemory::Nccl && !sends_by_nccl()) continue;
    TpetraOptions options;
    options.halo_memory = memory;
    expect_product(*A, Operator(A, options), 5, Teuchos::NO_TRANS, -1, 2);
  }
}

}  // namespace Tessera::Impl::Test
