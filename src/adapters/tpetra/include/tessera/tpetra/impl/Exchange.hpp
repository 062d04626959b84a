// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/MatrixParts.hpp>
#include <tessera/tpetra/impl/RowSplit.hpp>
#include <utility>

namespace Tessera::Impl {

/// The data that ranks exchange in a product. It depends only on the Maps of the matrix, not on its entries. Of a
/// matrix of blocks, ranks exchange the points.
template <class Matrix>
class Exchange {
 public:
  using Map = typename Matrix::map_type;
  using Import = typename Matrix::crs_graph_type::import_type;
  using Export = typename Matrix::crs_graph_type::export_type;
  using MapPointer = Teuchos::RCP<const Map>;

  /// \param A [in] a fill-complete matrix
  ///
  /// Collective: if it fails on one rank, it throws on all.
  explicit Exchange(const Matrix& A)
      : comm_(A.getComm()),
        graph_(A),
        domain_(Parts::points(A, graph_.domain)),
        range_(Parts::points(A, graph_.range)),
        row_(Parts::points(A, graph_.row)) {
    Kokkos::View<const GlobalOrdinal*, typename Map::device_type> halo;
    on_every_rank(*comm_, [&] {
      columns_ = ColumnSplit<Map>::of(*graph_.column, *graph_.domain);
      halo = points_of(typename Matrix::execution_space(), columns_.halo, Parts::block_size(A),
                       graph_.domain->getIndexBase());
    });
    const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    halo_ = Teuchos::rcp(new Map(unknown, halo, domain_->getIndexBase(), comm_));
    if (halo_->getGlobalNumElements() > 0) importer_ = Teuchos::rcp(new Import(domain_, halo_));
    look_at_exporter(A);
  }

  /// Returns whether this is still the exchange of A. Collective. Ranks communicate only if Map objects were replaced:
  /// Tpetra replaces them in collective calls, so either all ranks communicate or none.
  bool is_of(const Matrix& A) {
    const GraphMaps now(A);
    if (now == graph_) return true;
    if (on_any_rank(*A.getComm(), now.differ_from(graph_))) return false;
    graph_ = now;
    if (Parts::block_size(A) == 1) domain_ = now.domain, range_ = now.range, row_ = now.row;
    look_at_exporter(A);
    return true;
  }

  const Teuchos::Comm<int>& comm() const { return *comm_; }
  const Teuchos::RCP<const Teuchos::Comm<int>>& comm_pointer() const { return comm_; }
  const MapPointer& domain_map() const { return domain_; }
  const MapPointer& range_map() const { return range_; }
  const MapPointer& row_map() const { return row_; }
  const MapPointer& halo_map() const { return halo_; }          ///< the imported points
  const ColumnSplit<Map>& columns() const { return columns_; }  ///< counts blocks
  /// Returns the Import from the domain Map to the halo; null if no rank has a halo.
  const Teuchos::RCP<const Import>& importer() const { return importer_; }
  /// Returns the Export from the row Map to the range Map; null if these are the same.
  const Teuchos::RCP<const Export>& exporter() const { return exporter_; }

 private:
  using Parts = MatrixParts<Matrix>;
  using GlobalOrdinal = typename Map::global_ordinal_type;

  /// The Maps of the graph, which count blocks.
  struct GraphMaps {
    MapPointer domain, range, row, column;

    explicit GraphMaps(const Matrix& A)
        : domain(Parts::graph(A).getDomainMap()),
          range(Parts::graph(A).getRangeMap()),
          row(Parts::graph(A).getRowMap()),
          column(Parts::graph(A).getColMap()) {}

    bool operator==(const GraphMaps& other) const {
      return domain == other.domain && range == other.range && row == other.row && column == other.column;
    }
    bool differ_from(const GraphMaps& other) const {
      const auto differ = [](const MapPointer& a, const MapPointer& b) { return !a->locallySameAs(*b); };
      return differ(domain, other.domain) || differ(range, other.range) || differ(row, other.row) ||
             differ(column, other.column);
    }
  };

  void look_at_exporter(const Matrix& A) {
    exporter_ = Parts::graph(A).getExporter();
    if (exporter_.is_null() || Parts::block_size(A) == 1) return;
    exporter_ = Teuchos::rcp(new Export(row_, range_));
  }

  Teuchos::RCP<const Teuchos::Comm<int>> comm_;
  GraphMaps graph_;
  MapPointer domain_, range_, row_, halo_;
  ColumnSplit<Map> columns_;
  Teuchos::RCP<const Import> importer_;
  Teuchos::RCP<const Export> exporter_;
};

}  // namespace Tessera::Impl
