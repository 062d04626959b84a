// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <cstddef>
#include <list>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockOperator.hpp>
#include <tessera/tpetra/impl/GrowingMultivector.hpp>
#include <utility>

namespace Tessera {

namespace Impl {

/// Multivectors for copies of blocks, kept from call to call and found by their Map. Only one call at a time uses a
/// multivector, because an operator may apply other operators.
template <class MV>
class KeptMultivector {
 public:
  using MapPointer = Teuchos::RCP<const typename MV::map_type>;

  KeptMultivector(const MapPointer& map, std::size_t columns) : columns_(columns) {
    const auto found = std::find_if(kept().begin(), kept().end(), [&](const Entry& entry) { return entry.map == map; });
    if (found != kept().end()) {
      mine_.splice(mine_.begin(), kept(), found);
    } else {
      mine_.push_front({map, {}});
    }
    mine_.front().vectors.reserve(map, columns);
  }
  ~KeptMultivector() {
    if (is_finalized()) return;
    kept().splice(kept().begin(), mine_);
    if (kept().size() > most_kept) kept().pop_back();
  }
  KeptMultivector(const KeptMultivector&) = delete;
  KeptMultivector& operator=(const KeptMultivector&) = delete;

  MV& get() { return mine_.front().vectors.first(columns_); }

 private:
  struct Entry {
    MapPointer map;
    GrowingMultivector<MV> vectors;
  };
  static constexpr std::size_t most_kept = 4;

  static bool& is_finalized() {
    static bool is = false;
    return is;
  }
  static std::list<Entry>& kept() {
    static std::list<Entry>& list = *make();  // outlives the static objects of the program
    return list;
  }
  static std::list<Entry>* make() {
    auto* const list = new std::list<Entry>;
    Kokkos::push_finalize_hook([list] {
      list->clear();
      is_finalized() = true;
    });
    return list;
  }

  std::size_t columns_;
  std::list<Entry> mine_;
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
void apply(const Tpetra::Operator<SC, LO, GO, NO>& op, const BlockVector<SC, LO, GO, NO>& X,
           BlockVector<SC, LO, GO, NO>& Y, Teuchos::ETransp mode, SC alpha, SC beta) {
  if (const auto* const multiplies_blocks = dynamic_cast<const BlockOperator<SC, LO, GO, NO>*>(&op)) {
    return multiplies_blocks->apply(X, Y, mode, alpha, beta);
  }
  if (X.getNumVectors() != Y.getNumVectors()) {
    throw std::invalid_argument("Tessera::apply: X has " + std::to_string(X.getNumVectors()) + " columns, Y has " +
                                std::to_string(Y.getNumVectors()) + "; expected as many");
  }
  if (X.getNumVectors() == 0) return;
  Impl::KeptMultivector<Tpetra::MultiVector<SC, LO, GO, NO>> x(X.getMap(), X.getNumVectors());
  Impl::KeptMultivector<Tpetra::MultiVector<SC, LO, GO, NO>> y(Y.getMap(), Y.getNumVectors());
  X.copyTo(x.get());
  if (beta != SC(0)) Y.copyTo(y.get());
  op.apply(x.get(), y.get(), mode, alpha, beta);
  Y.assign(y.get());
}

}  // namespace Tessera
