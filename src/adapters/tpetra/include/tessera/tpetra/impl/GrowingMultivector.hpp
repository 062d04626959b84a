// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Teuchos_Range1D.hpp>
#include <Tpetra_MultiVector.hpp>
#include <cstddef>
#include <map>

namespace Tessera::Impl {

/// A multivector of scratch memory. It has the largest number of columns ever requested and never shrinks: the blocks
/// of Krylov methods shrink and grow again, and Tpetra::CrsMatrix allocates new memory at each change.
template <class MV>
class GrowingMultivector {
 public:
  /// Returns the largest number of columns requested so far.
  std::size_t columns() const { return storage_.is_null() ? 0 : storage_->getNumVectors(); }

  /// Allocates memory for first(columns). If it grows, the contents are lost.
  void reserve(const Teuchos::RCP<const typename MV::map_type>& map, std::size_t columns) {
    if (columns > this->columns()) {
      views_.clear();
      storage_ = Teuchos::null;  // freed before the larger one is allocated
      storage_ = Teuchos::rcp(new MV(map, columns, false));
    }
    if (columns == this->columns()) return;
    auto& view = views_[columns];
    if (!view.is_null() || columns == 0) return;
    view = storage_->subViewNonConst(Teuchos::Range1D(0, static_cast<Teuchos::Ordinal>(columns) - 1));
  }

  /// Returns the first columns, which must be reserved. The same number of columns returns the same object, which keeps
  /// its buffers for communication. Allocates nothing, hence cannot fail while other ranks wait.
  MV& first(std::size_t columns) const { return columns == this->columns() ? *storage_ : *views_.at(columns); }

 private:
  Teuchos::RCP<MV> storage_;
  std::map<std::size_t, Teuchos::RCP<MV>> views_;  // by number of columns
};

}  // namespace Tessera::Impl
