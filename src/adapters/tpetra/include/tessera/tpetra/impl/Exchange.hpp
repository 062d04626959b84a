// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/RowSplit.hpp>
#include <utility>

namespace Tessera::Impl {

/// The data that ranks exchange in a product. It depends only on the Maps of the matrix, not on its entries.
template <class Matrix>
class Exchange {
 public:
  using Map = typename Matrix::map_type;
  using Import = typename Matrix::import_type;
  using Export = typename Matrix::export_type;
  using MapPointer = Teuchos::RCP<const Map>;

  /// \param A [in] a fill-complete matrix
  ///
  /// Collective: if it fails on one rank, it throws on all.
  explicit Exchange(const Matrix& A)
      : comm_(A.getComm()),
        domain_(A.getDomainMap()),
        range_(A.getRangeMap()),
        row_(A.getRowMap()),
        column_(A.getColMap()),
        exporter_(A.getCrsGraph()->getExporter()) {
    on_every_rank(*comm_, [&] { columns_ = ColumnSplit<Map>::of(*column_, *domain_); });
    const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    using GlobalOrdinal = typename Map::global_ordinal_type;
    const Kokkos::View<const GlobalOrdinal*, typename Map::device_type> halo = columns_.halo;
    halo_ = Teuchos::rcp(new Map(unknown, halo, domain_->getIndexBase(), comm_));
    if (halo_->getGlobalNumElements() > 0) importer_ = Teuchos::rcp(new Import(domain_, halo_));
  }

  /// Returns whether this is still the exchange of A. Collective. Ranks communicate only if Map objects were replaced:
  /// Tpetra replaces them in collective calls, so either all ranks communicate or none.
  bool is_of(const Matrix& A) {
    const MapPointer domain = A.getDomainMap(), range = A.getRangeMap(), row = A.getRowMap(), column = A.getColMap();
    if (domain == domain_ && range == range_ && row == row_ && column == column_) return true;
    const auto differ = [](const MapPointer& a, const MapPointer& b) { return !a->locallySameAs(*b); };
    if (on_any_rank(*A.getComm(),
                    differ(domain, domain_) || differ(range, range_) || differ(row, row_) || differ(column, column_))) {
      return false;
    }
    domain_ = domain, range_ = range, row_ = row, column_ = column;
    exporter_ = A.getCrsGraph()->getExporter();
    return true;
  }

  const Teuchos::Comm<int>& comm() const { return *comm_; }
  const Teuchos::RCP<const Teuchos::Comm<int>>& comm_pointer() const { return comm_; }
  const MapPointer& domain_map() const { return domain_; }
  const MapPointer& range_map() const { return range_; }
  const MapPointer& row_map() const { return row_; }
  const MapPointer& halo_map() const { return halo_; }  ///< the imported columns
  const ColumnSplit<Map>& columns() const { return columns_; }
  /// Returns the Import from the domain Map to the halo; null if no rank has a halo.
  const Teuchos::RCP<const Import>& importer() const { return importer_; }
  /// Returns the Export from the row Map to the range Map; null if these are the same.
  const Teuchos::RCP<const Export>& exporter() const { return exporter_; }

 private:
  Teuchos::RCP<const Teuchos::Comm<int>> comm_;
  MapPointer domain_, range_, row_, column_, halo_;
  ColumnSplit<Map> columns_;
  Teuchos::RCP<const Import> importer_;
  Teuchos::RCP<const Export> exporter_;
};

}  // namespace Tessera::Impl
