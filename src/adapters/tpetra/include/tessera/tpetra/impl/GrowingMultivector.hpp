// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Teuchos_Range1D.hpp>
#include <Tpetra_MultiVector.hpp>
#include <cstddef>
#include <map>

namespace Tessera::Impl {

/// A multivector for scratch, with as many columns as any caller has asked for and none given back: Krylov blocks
/// deflate and grow again, and CrsMatrix allocates anew at each change.
template <class MV>
class GrowingMultivector {
 public:
  /// The most columns so far.
  std::size_t columns() const { return storage_.is_null() ? 0 : storage_->getNumVectors(); }

  /// Makes room; the contents are lost if it was too little.
  void reserve(const Teuchos::RCP<const typename MV::map_type>& map, std::size_t columns) {
    if (columns <= this->columns()) return;
    views_.clear();
    storage_ = Teuchos::null;  // before the larger one is made
    storage_ = Teuchos::rcp(new MV(map, columns, false));
  }

  /// The first columns. The same object for the same number: it holds the buffers of its communication, so that a
  /// number of columns that has come before allocates nothing.
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
