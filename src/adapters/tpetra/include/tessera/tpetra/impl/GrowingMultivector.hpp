// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Teuchos_Range1D.hpp>
#include <Tpetra_MultiVector.hpp>
#include <cstddef>
#include <map>

namespace Tessera::Impl {

/// A multivector for scratch memory. It has as many columns as were ever asked for and never shrinks: Krylov blocks
/// shrink and grow again, and Tpetra::CrsMatrix allocates anew at each change.
template <class MV>
class GrowingMultivector {
 public:
  /// The most columns that were asked for.
  std::size_t columns() const { return storage_.is_null() ? 0 : storage_->getNumVectors(); }

  /// Makes room for columns. The contents are lost if there was not enough.
  void reserve(const Teuchos::RCP<const typename MV::map_type>& map, std::size_t columns) {
    if (columns <= this->columns()) return;
    views_.clear();
    storage_ = Teuchos::null;  // freed before the larger one is allocated
    storage_ = Teuchos::rcp(new MV(map, columns, false));
  }

  /// The first columns, as a multivector. The same number returns the same object, which holds its buffers for
  /// communication: a number that was used before allocates nothing.
  MV& first(std::size_t columns) {
    if (columns == this->columns()) return *storage_;
    auto& view = views_[columns];
    if (view.is_null()) {
      view = storage_->subViewNonConst(Teuchos::Range1D(0, static_cast<Teuchos::Ordinal>(columns) - 1));
    }
    return *view;
  }

 private:
  Teuchos::RCP<MV> storage_;
  std::map<std::size_t, Teuchos::RCP<MV>> views_;  // by their number of columns
};

}  // namespace Tessera::Impl
