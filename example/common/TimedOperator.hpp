// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <chrono>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockOperator.hpp>
#include <tessera/tpetra/BlockVector.hpp>

namespace Example {

/// Wraps an operator and adds up the time of its apply() on this rank, including the wait for other ranks.
class TimedOperator : public Tpetra::Operator<double>, public Tessera::BlockOperator<double> {
 public:
  using MultiVector = Tpetra::MultiVector<double>;
  using Block = Tessera::BlockVector<double>;

  explicit TimedOperator(const Teuchos::RCP<const Tpetra::Operator<double>>& A) : A_(A) {}

  void apply(const MultiVector& X, MultiVector& Y, Teuchos::ETransp mode, double alpha, double beta) const override {
    measure([&] { A_->apply(X, Y, mode, alpha, beta); });
  }
  void apply(const Block& X, Block& Y, Teuchos::ETransp mode, double alpha, double beta) const override {
    measure([&] { Tessera::apply(*A_, X, Y, mode, alpha, beta); });
  }
  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return A_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return A_->getRangeMap(); }
  bool hasTransposeApply() const override { return A_->hasTransposeApply(); }

  double seconds() const { return seconds_; }

 private:
  template <class Work>
  void measure(const Work& work) const {
    Kokkos::fence("TimedOperator: what came before");
    const auto start = std::chrono::steady_clock::now();
    work();
    Kokkos::fence("TimedOperator: the product");
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  Teuchos::RCP<const Tpetra::Operator<double>> A_;
  mutable double seconds_ = 0;
};

/// Returns the time of the slowest rank, for which all other ranks wait.
inline double slowest(const Teuchos::Comm<int>& comm, double seconds) {
  double result = seconds;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, seconds, Teuchos::outArg(result));
  return result;
}

}  // namespace Example
