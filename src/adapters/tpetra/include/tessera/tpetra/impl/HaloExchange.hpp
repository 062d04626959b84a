// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Import.hpp>
#include <cstddef>
#include <memory>
#include <tessera/nccl/NcclComm.hpp>
#include <tessera/tpetra/impl/Boundary.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/Messages.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// The exchange of the halo: rows of X are sent to the ranks that need them, with all columns.
///
/// ```
///   const auto imported = halo.exchange(x, [&] { ... });  // launches what needs no halo while rows are under way
///   const auto all = halo.exchange_all(x);                // or: puts the rank's own rows before the halo
///   halo.exchange_behind(x);                              // or: puts the halo behind the rows of x, which has room
/// ```
///
/// If MPI cannot read the memory of the device, rows are *staged*: copied through pinned host memory, on an instance of
/// their own, while the default instance multiplies. begin() waits until rows are packed, before the product is
/// launched. end() waits for copies and messages, never for the product.
///
/// With NCCL, messages are work on that instance, and the host waits for nothing: the instance waits until the default
/// instance has packed the rows, and the default instance waits for the messages after the product.
///
/// **Failures.** Once a rank has packed its rows, it sends them and receives those of its neighbours, even if the
/// concurrent work throws: no neighbour waits in vain, and none receives these rows in the next product. But if a rank
/// fails before it packs its rows, its neighbours wait forever. Hence everything that may throw precedes an exchange.
template <class Matrix>
class HaloExchange {
 public:
  using Scalar = typename Matrix::impl_scalar_type;
  using Import = typename Matrix::crs_graph_type::import_type;
  using Device = typename Matrix::device_type;
  using Exec = typename Device::execution_space;
  using Rows = Kokkos::View<Scalar**, Kokkos::LayoutRight, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Whether the host, and therefore any MPI, can read the memory of the device.
  static constexpr bool is_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Device::memory_space>::accessible;

  /// \param importer   [in] from the domain Map to a Map of the halo
  /// \param is_staged  [in] whether rows are copied through host memory
  /// \param owned_rows [in] the number of rows of X that exchange_all() puts before the halo
  /// \param nccl       [in] sends the rows; MPI if null
  HaloExchange(const Teuchos::RCP<const Import>& importer, bool is_staged, std::size_t owned_rows = 0,
               NcclComm* nccl = nullptr)
      : is_staged_(is_staged), owned_rows_(owned_rows), nccl_(nccl), messages_(importer->getDistributor()) {
    look_at_sources(importer->getExportLIDs(), importer->getDistributor().getPlan());
    look_at_targets(importer->getRemoteLIDs());
    if constexpr (!is_host) {
      if (is_staged || nccl != nullptr) copies_ = Kokkos::Experimental::partition_space(Exec(), std::vector<int>{1})[0];
    }
  }

  bool is_staged() const { return is_staged_; }

  /// Allocates memory for this number of columns, unless there is enough.
  void reserve(std::size_t columns) {
    if (columns <= columns_) return;
    // If a product has failed, copies may still be using the memory that is freed here.
    messages_.give_up();
    copies_.fence("Tessera::HaloExchange: before its memory grows");
    columns_ = 0;
    grow(sent_, sent_rows_.extent(0) * columns);
    if (is_staged_) grow(staged_sent_, sent_rows_.extent(0) * columns);
    grow(rows_, (owned_rows_ + received_rows_) * columns);
    if (is_permuted_) grow(arrived_, received_rows_ * columns);
    if (is_staged_) grow(staged_received_, received_rows_ * columns);
    columns_ = columns;
  }

  /// Sends rows of X while work() runs. Returns the rows of the halo in the order of its Map, for use on the default
  /// instance. work() may overwrite X; an exception of work() is rethrown after the exchange.
  ///
  /// \param x [in] a View of the elements of this rank, with no more columns than were reserved
  template <class X, class Work>
  Rows exchange(const X& x, const Work& work) {
    Rows imported;
    target_ = behind(rows_, owned_rows_ * x.extent(1));
    begin(x);
    call_both(work, [&] { imported = end(x.extent(1)); });
    return imported;
  }

  /// Sends rows of X, and receives the halo behind its rows.
  ///
  /// \param x [in,out] a row-major View whose memory has room for the halo
  /// \return the elements of this rank and those of the halo
  template <class X>
  auto exchange_behind(const X& x) {
    using All = Kokkos::View<const Scalar**, Kokkos::LayoutStride, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using Room = Kokkos::View<Scalar**, Kokkos::LayoutStride, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const std::size_t rows = x.extent(0), columns = x.extent(1), stride = x.stride(0);
    auto* const data = const_cast<Scalar*>(x.data());
    const bool has_gaps = stride != columns && received_rows_ > 1;
    target_ = has_gaps ? behind(rows_, owned_rows_ * columns) : Array(data + rows * stride, received_rows_ * columns);
    begin(x);
    const Rows imported = end(columns);
    if (has_gaps) {
      const Room room(data + rows * stride, Kokkos::LayoutStride(received_rows_, stride, columns, 1));
      for_each_element("Tessera::copy_rows", Exec(), imported, CopyRow<Rows, Room>{imported, 0, room});
    }
    return All(data, Kokkos::LayoutStride(rows + received_rows_, stride, columns, 1));
  }

  /// Like exchange(), but returns all elements that the rank multiplies: its own rows of X, followed by the halo.
  /// Copies the rank's own rows while it receives the halo.
  template <class X>
  Rows exchange_all(const X& x) {
    const Rows all(rows_.data(), owned_rows_ + received_rows_, x.extent(1));
    exchange(x, [&] { copy_rows(Exec(), x, 0, Rows(rows_.data(), owned_rows_, x.extent(1))); });
    return all;
  }

 private:
  using Array = Kokkos::View<Scalar*, Device>;
  using StagingSpace = std::conditional_t<is_host, typename Device::memory_space, Kokkos::SharedHostPinnedSpace>;
  using StagedArray = Kokkos::View<Scalar*, StagingSpace>;
  using Indices = Kokkos::View<int*, Device>;

  template <class X>
  void begin(const X& x) {
    const std::size_t columns = x.extent(1), rows = sent_rows_.extent(0), row_bytes = columns * sizeof(Scalar);
    messages_.give_up();
    if (rows + received_rows_ == 0) return;
    if (is_staged_) messages_.receive(staged_received_.data(), row_bytes);
    const Exec exec;
    gather_rows(exec, sent_rows_, x, Rows(sent_.data(), rows, columns));
    if (nccl_ != nullptr) {
      order_->wait(stream_of(exec), stream_of(copies_));  // also for the last product, which reads received rows
      return messages_.exchange(*nccl_, sent_.data(), arriving(columns).data(), row_bytes, stream_of(copies_));
    }
    // This also waits for the last product, because it may still read received rows.
    exec.fence("Tessera::HaloExchange: rows to send are packed");
    if (is_staged_) {
      copy(staged_sent_, sent_, rows * columns);
    } else {
      messages_.receive(arriving(columns).data(), row_bytes);
      messages_.send(sent_.data(), row_bytes);
    }
  }

  Rows end(std::size_t columns) {
    if (nccl_ != nullptr) {
      order_->wait(stream_of(copies_), stream_of(Exec()));
    } else {
      receive(columns);
    }
    if (is_permuted_) gather_rows(Exec(), places_, arriving(columns), halo(columns));
    return halo(columns);
  }

  /// Waits until MPI has brought the rows.
  void receive(std::size_t columns) {
    if (is_staged_) {
      copies_.fence("Tessera::HaloExchange: rows to send are on the host");
      messages_.send(staged_sent_.data(), columns * sizeof(Scalar));
    }
    messages_.wait();
    if (is_staged_) {
      const std::size_t size = received_rows_ * columns;
      copy(is_permuted_ ? arrived_ : target_, staged_received_, size);
      copies_.fence("Tessera::HaloExchange: rows of the halo are on the device");
    }
  }

  static NcclComm::Stream stream_of([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return exec.cuda_stream();
#endif
    return nullptr;
  }

  /// Returns the rows of the halo, in the order of its Map.
  Rows halo(std::size_t columns) const { return Rows(target_.data(), received_rows_, columns); }
  /// Returns the memory where rows are received, in the order of the neighbours.
  Rows arriving(std::size_t columns) const {
    return is_permuted_ ? Rows(arrived_.data(), received_rows_, columns) : halo(columns);
  }

  static Array behind(const Array& array, std::size_t first) {
    return Kokkos::subview(array, std::pair<std::size_t, std::size_t>(first, array.extent(0)));
  }

  template <class To, class From>
  void copy(const To& to, const From& from, std::size_t size) const {
    if (size == 0) return;
    const std::pair<std::size_t, std::size_t> all(0, size);
    Kokkos::deep_copy(copies_, Kokkos::subview(to, all), Kokkos::subview(from, all));
  }

  template <class AnyArray>
  static void grow(AnyArray& array, std::size_t size) {
    array = {};  // freed before the larger one is allocated
    array = AnyArray(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::halo"), size);
  }

  static Indices to_device(const std::vector<int>& indices) {
    using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Indices result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::halo::rows"), indices.size());
    const Exec exec;
    Kokkos::deep_copy(exec, result, Host(indices.data(), indices.size()));
    exec.fence("Tessera::HaloExchange: rows are numbered");
    return result;
  }

  /// Makes the list of rows to send, neighbour by neighbour.
  ///
  /// \param rows [in] the rows for all neighbours, in the order of the plan
  template <class Plan>
  void look_at_sources(const Teuchos::ArrayView<const int>& rows, const Plan& plan) {
    const auto starts = plan.getStartsTo(), lengths = plan.getLengthsTo();
    const auto places = plan.getIndicesTo();  // positions of the sent rows in `rows`; empty if it is sorted
    std::vector<int> sent;
    for (int neighbour = 0; neighbour < static_cast<int>(lengths.size()); ++neighbour) {
      for (std::size_t i = starts[neighbour]; i < starts[neighbour] + lengths[neighbour]; ++i) {
        sent.push_back(rows[static_cast<int>(places.size() == 0 ? i : places[static_cast<int>(i)])]);
      }
    }
    sent_rows_ = to_device(sent);
  }

  /// Makes the list of places where the rows of the halo arrive.
  void look_at_targets(const Teuchos::ArrayView<const int>& targets) {
    received_rows_ = static_cast<std::size_t>(targets.size());
    std::vector<int> places(received_rows_);
    for (std::size_t i = 0; i < received_rows_; ++i) {
      const int target = targets[static_cast<int>(i)];
      places[static_cast<std::size_t>(target)] = static_cast<int>(i);
      is_permuted_ = is_permuted_ || target != static_cast<int>(i);
    }
    if (is_permuted_) places_ = to_device(places);
  }

  bool is_staged_, is_permuted_ = false;
  Exec copies_;        // the instance that copies to and from the host, or sends by NCCL
  Indices sent_rows_;  // rows of X, in the order of the neighbours
  Indices places_;     // place where each row of the halo arrives; empty if both orders are the same
  std::size_t owned_rows_, received_rows_ = 0;
  NcclComm* nccl_;  // null if MPI sends
  std::unique_ptr<StreamOrder> order_ = std::make_unique<StreamOrder>();

  std::size_t columns_ = 0;  // upper bound on the columns
  Array sent_;
  Array rows_;     // the rank's own rows of X, if requested, followed by the halo
  Array target_;   // where the halo of this exchange goes: behind X or in rows_
  Array arrived_;  // the halo in the order of the neighbours, if its Map has another order
  StagedArray staged_sent_, staged_received_;
  Messages messages_;  // destroyed before the memory that it uses
};

}  // namespace Tessera::Impl
