// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>

#include <fstream>
#include <new>
#include <optional>
#include <tessera/io/Generators.hpp>

#include "TestProblem.hpp"

namespace Tessera::Impl::Test {

/// Returns the message of the Error that the function must throw.
template <class Error, class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Error& e) {
    return e.what();
  } catch (...) {
    ADD_FAILURE() << "rank " << rank() << " got another error";
    return {};
  }
  ADD_FAILURE() << "rank " << rank() << " got no error";
  return {};
}

void expect_from_last_rank(const std::string& message, const std::string& part) {
  const std::string from = ranks() == 1 ? "" : "rank " + std::to_string(last_rank()) + ": ";
  EXPECT_EQ(message.find(from), 0u) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Failure, NoMatrix) { EXPECT_THROW(Operator(Teuchos::null), std::invalid_argument); }

TEST(Failure, NotFillComplete) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  A->resumeFill();
  EXPECT_NE(message_of<std::invalid_argument>([&] { Operator op(A); }).find("fillComplete()"), std::string::npos);
}

TEST(Failure, AnOptionOnOneRank) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  TpetraOptions options;
  if (rank() == last_rank()) options.plan.hints.num_vectors = -1;
  expect_from_last_rank(message_of<std::invalid_argument>([&] { Operator op(A, options); }), "num_vectors is -1");
}

/// X has one row too many on the last rank. With EveryApply all ranks must throw, even if no buffer has to grow.
TEST(Failure, AnArgumentOnOneRank) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  TpetraOptions options;
  options.agreement = Agreement::EveryApply;
  const Operator op(A, options);
  expect_product(*A, op, 4, Teuchos::NO_TRANS, 1, 0);
  const auto longer = [&](const RCP<const Map>& map) {
    std::vector<GO> mine(map->getLocalElementList().begin(), map->getLocalElementList().end());
    if (rank() == last_rank()) mine.push_back(1000);
    return rcp(new const Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                             Teuchos::ArrayView<const GO>(mine), 0, world()));
  };
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const MV X(longer(x_map(*A, mode)), 4), right(x_map(*A, mode), 4);
    MV Y(y_map(*A, mode), 4), more(y_map(*A, mode), 5), wrong(longer(y_map(*A, mode)), 4);
    expect_from_last_rank(message_of<std::invalid_argument>([&] { op.apply(X, Y, mode); }), "expected X with");
    expect_from_last_rank(message_of<std::invalid_argument>([&] { op.apply(right, wrong, mode); }), "Y with");
    EXPECT_THROW(op.apply(right, more, mode), std::invalid_argument);
    expect_product(*A, op, 4, mode, 1, 0);
  }
}

/// If devices have separate memory, Tpetra returns no device view while the caller holds a host view. All ranks must
/// learn of this before any rank sends rows: the product must not hang, and the next product must be right.
TEST(Failure, AViewOnTheHost) {
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, MV::device_type::memory_space>::accessible)
    GTEST_SKIP() << "host and device share their memory";
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  TpetraOptions options;
  options.agreement = Agreement::EveryApply;
  const Operator agreeing(A, options), op(A);
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const auto X = random_vectors(x_map(*A, mode), 4, 1), Y = random_vectors(y_map(*A, mode), 4, 2);
    for (const auto& held : {X, Y}) {
      expect_product(*A, agreeing, 4, mode, 1, 0);
      expect_product(*A, op, 4, mode, 1, 0);
      {
        std::optional<decltype(held->getLocalViewHost(Tpetra::Access::ReadOnly))> view;
        if (rank() == last_rank()) view = held->getLocalViewHost(Tpetra::Access::ReadOnly);
        expect_from_last_rank(message_of<std::runtime_error>([&] { agreeing.apply(*X, *Y, mode); }), "host view");
        view = held->getLocalViewHost(Tpetra::Access::ReadOnly);
        EXPECT_THROW(op.apply(*X, *Y, mode), std::runtime_error) << "on every rank, without a word between them";
      }
      expect_product(*A, agreeing, 4, mode, 1, 0);
      expect_product(*A, op, 4, mode, 1, 0);
    }
  }
}

TEST(Failure, WhenGrowingStillAgrees) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  const Operator op(A);
  const MV X(A->getDomainMap(), 4);
  MV Y(A->getRangeMap(), 4), more(A->getRangeMap(), 5);
  expect_from_last_rank(message_of<std::invalid_argument>([&] { op.apply(X, rank() == last_rank() ? more : Y); }),
                        "as many columns");
  expect_product(*A, op, 4, Teuchos::NO_TRANS, 1, 0);
  expect_product(*A, op, 2, Teuchos::NO_TRANS, 1, 0);
}

TEST(Failure, AModeOnOneRank) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  const Operator op(A);
  const MV X(A->getDomainMap(), 4);
  MV Y(A->getRangeMap(), 4);
  const auto mode = rank() == last_rank() ? static_cast<Teuchos::ETransp>(7) : Teuchos::NO_TRANS;
  expect_from_last_rank(message_of<std::invalid_argument>([&] { op.apply(X, Y, mode); }), "the mode is 7");
  expect_product(*A, op, 4, Teuchos::NO_TRANS, 1, 0);
}

/// The decision to reduce must be the same on all ranks, even on ranks without rows, where X and Y cannot alias.
TEST(Failure, WhenGrowingDoesNotDependOnARanksRows) {
  const auto A = distribute(generate_stencil27(4), Spread::RowsOnLastRank);
  const Operator op(A);
  const auto X = random_vectors(A->getRangeMap(), 4, 1);
  MV Y(A->getDomainMap(), 4);
  for (const auto mode : {Teuchos::TRANS, Teuchos::CONJ_TRANS}) {
    op.apply(*X, Y, mode);
    op.apply(*X, *Y.subViewNonConst(Teuchos::Range1D(0, 3)), mode);
    op.apply(*X->subView(Teuchos::tuple<std::size_t>(0, 2)()), *Y.subViewNonConst(Teuchos::tuple<std::size_t>(3, 1)()),
             mode);
  }
  const auto square = distribute(generate_stencil27(4), Spread::Uniform);
  const Operator same(square);
  const auto Z = random_vectors(square->getDomainMap(), 4, 1);
  MV W(square->getRangeMap(), 4);
  same.apply(*Z, W);
  same.apply(*Z, *Z);
}

/// Returns the bytes of address space in use.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

/// Limits the host memory of this process to `left` more bytes while the object lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t left) {
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = address_space() + left;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// The last rank's host memory is limited; on devices, that rank requests more memory than exists.
TEST(Failure, MemoryOnOneRank) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes all address space";
#endif
  if (ranks() == 1) GTEST_SKIP() << "one rank has no halo";
  const auto A = distribute(generate_stencil27(8), Spread::Uniform);
  Operator op(A);
  expect_product(*A, op, 4, Teuchos::NO_TRANS, 1, 0);
  constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MV::device_type::memory_space>::accessible;
  constexpr std::size_t rows = 64 + 64;  // upper bound on the rows of a halo
  const std::size_t asked = is_host ? std::size_t(1) << 31 : rank() == last_rank() ? std::size_t(1) << 40 : 1 << 20;
  const bool is_limited = is_host && rank() == last_rank();
  std::string message;
  {
    const MemoryLimit limit(is_limited ? std::size_t(1) << 28 : std::size_t(1) << 40);
    message = message_of<std::exception>([&] {  // the type of Kokkos' exception depends on its version
      op.prepare(asked / sizeof(double) / rows);
    });
  }
  expect_from_last_rank(message, "alloc");
  expect_product(*A, op, 4, Teuchos::NO_TRANS, 1, 0);
  expect_product(*A, op, 9, Teuchos::NO_TRANS, 1, 0);
}

}  // namespace Tessera::Impl::Test
