// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/impl/Collective.hpp>

#include "TestProblem.hpp"
#include "ValueChecks.hpp"

namespace Tessera::Impl::Test {

class Update : public OnRanks {
 protected:
  void expect_right(const Matrix& A, const Operator& op) {
    expect_product(A, op, 4, Teuchos::NO_TRANS, 1, 0);
    expect_product(A, op, 4, Teuchos::TRANS, -1, 2);
  }
};

/// Calls change(View of the values on the host) between resumeFill() and fillComplete(). Nothing may run on a device
/// while the View exists.
template <class Change>
void change_values(Matrix& A, const Change& change) {
  A.resumeFill();
  change(A.getLocalMatrixHost().values);
  A.fillComplete(A.getDomainMap(), A.getRangeMap());
}

void multiply_values(Matrix& A, double factor) {
  change_values(A, [&](const auto& values) {
    for (std::size_t k = 0; k < values.extent(0); ++k) values(k) *= factor + 0.125 * double(k % 7);
  });
}

/// Products see values that were changed during a fill or in place, without update().
TEST_P(Update, SeesNewValues) {
  const auto A = distribute(generate_elasticity(4, 2), spread());
  for (const Format format : {Format::Csr, Format::BitTcf}) {
    TpetraOptions with_format = options();
    with_format.plan.format = format;
    const Operator op(A, with_format);
    expect_right(*A, op);
    multiply_values(*A, -3);
    expect_right(*A, op);
    const auto values = A->getLocalMatrixDevice().values;
    Kokkos::parallel_for(
        "scale in place", Kokkos::RangePolicy<Matrix::execution_space>(0, values.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) { values(k) *= 0.5; });
    expect_right(*A, op);
  }
}

/// A failed update() is ignored: the next product still checks for changes itself.
TEST_P(Update, ThatFailsIsNoSignal) {
  const ValueChecks none(false);
  const auto A = distribute(generate_elasticity(4, 2), spread());
  Operator op(A, options());
  expect_right(*A, op);
  A->resumeFill();
  EXPECT_THROW(op.update(), std::invalid_argument);
  A->scale(-3);
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  expect_right(*A, op);
}

TEST_P(Update, IsTheSignalOnceItIsCalled) {
  const ValueChecks none(false);
  const auto A = distribute(generate_elasticity(4, 2), spread());
  Operator op(A, options());
  expect_right(*A, op);
  op.update();
  expect_right(*A, op);
  const Matrix before(*A, Teuchos::Copy);
  multiply_values(*A, -3);
  expect_right(before, op);
  op.update();
  expect_right(*A, op);
}

/// Debug builds detect changes without update() on every rank, even if only one rank's values changed.
TEST_P(Update, FindsForgottenChanges) {
  const ValueChecks checks(true);
  const auto A = distribute(generate_elasticity(4, 2), spread());
  Operator op(A, options());
  op.update();
  expect_right(*A, op);
  for (const bool on_all : {true, false}) {
    const bool changes = A->getLocalNumEntries() > 0 && (on_all || rank() == last_rank());
    change_values(*A, [&](const auto& values) {
      if (changes) values(values.extent(0) - 1) *= 1.5;
    });
    const MV X(A->getDomainMap(), 4);
    MV Y(A->getRangeMap(), 4);
    if (Impl::on_any_rank(*A->getComm(), changes)) {
      EXPECT_THROW(op.apply(X, Y), std::logic_error);
    } else {
      EXPECT_NO_THROW(op.apply(X, Y));
    }
    op.update();
    expect_right(*A, op);
  }
}

/// The first fillComplete() leaves spare space. The second fillComplete() packs the arrays, which moves them.
TEST_P(Update, FindsArraysThatHaveMoved) {
  for (const bool is_trusted : {false, true}) {
    const auto A = distribute(generate_elasticity(4, 2), spread(), 3);
    TpetraOptions with_trust = options();
    with_trust.trusts_values = is_trusted;
    const Operator op(A, with_trust);
    expect_right(*A, op);
    const void* const before = A->getLocalMatrixDevice().values.data();
    A->resumeFill();
    A->scale(-2);
    A->fillComplete(A->getDomainMap(), A->getRangeMap());
    if (A->getLocalNumEntries() > 0) {
      EXPECT_NE(A->getLocalMatrixDevice().values.data(), before);
    }
    expect_right(*A, op);
  }
}

/// New entries change the pattern on all ranks, or on one rank.
TEST_P(Update, MakesPlansAnewForANewPattern) {
  for (const bool on_all : {true, false}) {
    const auto A = distribute(generate_stencil27(4), spread(), 1);
    const Operator op(A, options());
    expect_right(*A, op);
    insert_entries(*A, on_all || rank() == last_rank());
    expect_right(*A, op);
  }
}

TEST_P(Update, IsRejectedWhileFilling) {
  const auto A = distribute(generate_elasticity(4, 2), spread());
  Operator op(A, options());
  const MV X(A->getDomainMap(), 4);
  MV Y(A->getRangeMap(), 4);
  A->resumeFill();
  EXPECT_THROW(op.update(), std::invalid_argument);
  EXPECT_THROW(op.apply(X, Y), std::invalid_argument);
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  EXPECT_NO_THROW(op.update());
  expect_right(*A, op);
}

INSTANTIATE_TEST_SUITE_P(Spreads, Update, on_ranks, on_ranks_name);

}  // namespace Tessera::Impl::Test
