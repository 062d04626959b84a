// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Details_Behavior.hpp>
#include <Tpetra_Distributor.hpp>
#include <Tpetra_Import.hpp>
#include <cstddef>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// Copies `width` elements of a row: T(i, :) = X(rows(i), :) if all of a row's are copied.
template <class Rows, class X, class T>
struct GatherRows {
  Rows rows;
  X from;
  T to;
  std::size_t width;

  KOKKOS_FUNCTION void operator()(std::size_t part) const {
    const std::size_t parts = to.extent(1) / width, i = part / parts, first = part % parts * width;
    for (std::size_t j = first; j < first + width; ++j) to(i, j) = from(rows(i), j);
  }
};

/// T(i, :) = X(rows(i), :), where the columns of a row are adjacent.
template <class Exec, class Rows, class X, class T>
void gather_rows(const Exec& exec, const Rows& rows, const X& from, const T& to) {
  constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  const std::size_t width = is_host ? to.extent(1) : 1;
  Kokkos::parallel_for("Tessera::gather_rows",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, to.size() / width),
                       GatherRows<Rows, X, T>{rows, from, to, width});
}

/// The exchange of the halo for blocks whose columns are adjacent: whole rows are packed, sent and received.
///
/// Where MPI cannot read the memory of the device (Tpetra::Details::Behavior::assumeMpiIsGPUAware), rows go through
/// memory of the host.
template <class Matrix>
class BlockHalo {
 public:
  using Scalar = typename Matrix::impl_scalar_type;
  using Import = typename Matrix::import_type;
  using Device = typename Matrix::device_type;
  using Exec = typename Device::execution_space;
  using Rows = Kokkos::View<Scalar**, Kokkos::LayoutRight, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Room for as many columns. It never shrinks.
  void reserve(const Teuchos::RCP<const Import>& importer, std::size_t columns) {
    if (importer_ != importer) look_at(importer);
    if (columns <= columns_) return;
    columns_ = 0;
    grow(sent_, sent_host_, sent_rows_.extent(0) * columns);
    grow(received_, received_host_, received_count_ * columns);
    if (is_permuted_) in_order_ = array(received_count_ * columns);
    columns_ = columns;
  }

  /// Begins to send rows of X, of which the columns are adjacent. X may change afterwards.
  template <class X>
  void begin(const X& x) {
    const std::size_t columns = x.extent(1);
    const Exec exec;
    gather_rows(exec, sent_rows_, x, Rows(sent_.data(), sent_rows_.extent(0), columns));
    const std::pair<std::size_t, std::size_t> sent(0, sent_rows_.extent(0) * columns),
        received(0, received_count_ * columns);
    if (is_staged_) {
      Kokkos::deep_copy(exec, Kokkos::subview(sent_host_, sent), Kokkos::subview(sent_, sent));
      exec.fence("Tessera::BlockHalo: rows to send");
      post(columns, Kokkos::subview(sent_host_, sent), Kokkos::subview(received_host_, received));
    } else {
      exec.fence("Tessera::BlockHalo: rows to send");
      post(columns, Kokkos::subview(sent_, sent), Kokkos::subview(received_, received));
    }
  }

  /// Waits for the rows of the halo, in the order of the halo Map.
  Rows end(std::size_t columns) {
    importer_->getDistributor().doWaits();
    const Exec exec;
    const Rows received(received_.data(), received_count_, columns);
    if (is_staged_) {
      const std::pair<std::size_t, std::size_t> all(0, received_count_ * columns);
      Kokkos::deep_copy(exec, Kokkos::subview(received_, all), Kokkos::subview(received_host_, all));
    }
    if (!is_permuted_) return received;
    const Rows in_order(in_order_.data(), received_count_, columns);
    gather_rows(exec, places_, received, in_order);
    return in_order;
  }

 private:
  using Array = Kokkos::View<Scalar*, Device>;
  using HostArray = typename Array::host_mirror_type;
  using Indices = Kokkos::View<int*, Device>;

  static Array array(std::size_t size) {
    return Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::block_halo"), size);
  }

  template <class Exports, class Imports>
  void post(std::size_t columns, const Exports& exports, const Imports& imports) {
    importer_->getDistributor().doPosts(exports, columns, imports);
  }

  void grow(Array& here, HostArray& host, std::size_t size) {
    here = {}, host = {};  // freed before the larger ones are allocated
    here = array(size);
    if (is_staged_) host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, here);
  }

  static Indices to_device(const Teuchos::ArrayView<const int>& indices) {
    using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const auto size = static_cast<std::size_t>(indices.size());
    Indices result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::block_halo::rows"), size);
    Kokkos::deep_copy(result, Host(indices.getRawPtr(), size));
    return result;
  }

  /// Which rows are sent, and where those that arrive belong.
  void look_at(const Teuchos::RCP<const Import>& importer) {
    importer_ = Teuchos::null;
    columns_ = 0;
    sent_rows_ = to_device(importer->getExportLIDs());
    const auto targets = importer->getRemoteLIDs();
    received_count_ = static_cast<std::size_t>(targets.size());
    std::vector<int> places(received_count_);
    is_permuted_ = false;
    for (std::size_t i = 0; i < received_count_; ++i) {
      const int target = targets[static_cast<int>(i)];
      places[static_cast<std::size_t>(target)] = static_cast<int>(i);
      is_permuted_ = is_permuted_ || target != static_cast<int>(i);
    }
    if (is_permuted_) places_ = to_device(Teuchos::ArrayView<const int>(places));
    is_staged_ = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Device::memory_space>::accessible &&
                 !Tpetra::Details::Behavior::assumeMpiIsGPUAware();
    importer_ = importer;
  }

  Teuchos::RCP<const Import> importer_;
  Indices sent_rows_;  // of X
  Indices places_;     // where each row of the halo arrives; if another than its own place
  std::size_t received_count_ = 0;
  bool is_permuted_ = false, is_staged_ = false;

  std::size_t columns_ = 0;
  Array sent_, received_, in_order_;
  HostArray sent_host_, received_host_;
};

}  // namespace Tessera::Impl
