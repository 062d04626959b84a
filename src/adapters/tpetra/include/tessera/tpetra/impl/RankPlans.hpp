// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/ValueCheck.hpp>
#include <tessera/spmm/impl/ValueWatch.hpp>
#include <tessera/spmm/impl/Workspaces.hpp>
#include <tessera/tpetra/impl/Boundary.hpp>
#include <tessera/tpetra/impl/LocalArrays.hpp>
#include <tessera/tpetra/impl/RowSplit.hpp>
#include <tuple>
#include <type_traits>

namespace Tessera::Impl {

/// Multiplies the entries of a rank. No member communicates. The entries may be blocks. The numbers of rows and columns
/// below count points, the elements of X and Y.
///
/// A rank that owns all its columns has one plan. With a halo, one plan may be *joined*: its columns are the elements
/// of X that the rank owns, followed by those of the halo. Otherwise entries are *split* into two plans, for owned
/// columns and for the halo. The first product can then begin before the halo has arrived.
template <class Matrix>
class RankPlans {
 public:
  using Scalar = typename Matrix::impl_scalar_type;
  using Device = typename Matrix::device_type;
  using Exec = typename Matrix::execution_space;
  using Arrays = LocalArrays<Matrix>;
  using Columns = ColumnSplit<typename Matrix::map_type>;
  /// Whether plans may keep Tpetra's columns. On a host Tpetra has them once. On a device it has them twice, and cannot
  /// copy them from there while somebody holds their View.
  static constexpr bool may_keep_columns = std::is_same_v<typename Device::memory_space, Kokkos::HostSpace>;

  /// \param columns       [in] the positions of A's columns, in blocks
  /// \param owned_columns [in] the number of elements of X that the rank owns
  /// \param splits        [in] whether entries are split if there is a halo
  /// \param trusts_values [in] if true, follow() is never called, and its data are not allocated
  RankPlans(const Arrays& A, const Columns& columns, int owned_columns, const PlanOptions& options, bool splits,
            bool trusts_values)
      : offsets_(A.graph.row_map),
        entries_(A.graph.entries.data()),
        values_(A.values.data()),
        owned_columns_(owned_columns),
        block_size_(A.block_size),
        halo_columns_(static_cast<int>(columns.halo.extent(0)) * A.block_size),
        is_split_(splits && halo_columns_ > 0) {
    const Exec exec;
    if (may_keep_columns && columns.keeps_numbers && !is_split_) {
      columns_ = A.graph.entries;
    } else {
      checksum_ = pattern_checksum(exec, offsets_, A.graph.entries);
    }
    if (trusts_values) copied_.remember(exec, A.values);
    if (is_split_) {
      make_split(exec, A, columns, options, !trusts_values);
    } else {
      make_joined(exec, A, columns, options, !trusts_values);
    }
  }

  /// Returns whether the plans have the pattern of A. Waits and reads the patterns, unless A has the same arrays.
  bool is_for(const Arrays& A) { return has_arrays_of(A) || has_pattern_of(A); }

  /// Makes the next take_moved_values() copy values even if their address is the same.
  void forget_values() { values_ = nullptr; }

  /// Copies the values if their address has changed.
  void take_moved_values(const Arrays& A) {
    if (A.values.data() != values_) take_values(A);
  }

  /// Copies the values of A, which may change afterwards. Waits.
  void take_values(const Arrays& A) {
    const Exec exec;
    if (is_split_) {
      make_room_for_values(exec, A);
      cut_values(exec, A, split_, owned_values_, halo_values_);
      owned_.plan.update_values(exec, owned_values_);
      halo_.plan.update_values(exec, halo_values_);
    } else {
      owned_.plan.update_values(exec, A.values);
    }
    exec.fence("Tessera::tpetra::take_values");
    copied_.remember(exec, A.values);
    values_ = A.values.data();
  }

  /// Returns whether values are known to differ from the copied ones. False in most builds, which do not check.
  bool values_differ_from(const Arrays& A) const { return copied_.differ_from(Exec(), A.values); }

  /// Makes later products in this mode use the values that A has when the products run. Needs an earlier prepare() for
  /// the mode. Waits only the first time.
  ///
  /// A plan of all entries follows A's own values. If entries are split, the values of the parts are copied again
  /// whenever a fingerprint of A's values has changed, and the plans follow these copies.
  void follow(const Arrays& A, Mode mode) {
    const Exec exec;
    values_ = A.values.data();
    if (!is_split_) return owned_.plan.follow_values(exec, A.values, mode);
    if (make_room_for_values(exec, A)) watch_.forget(exec);
    watch_.look(exec, A.values.data(), A.values.extent(0) * sizeof(Scalar));
    cut_values(exec, A, split_, owned_values_, halo_values_, watch_.changed());
    owned_.plan.follow_values(exec, owned_values_, mode);
    halo_.plan.follow_values(exec, halo_values_, mode);
  }

  /// Follows values that have moved: an existing transpose must not read them at their old address.
  void follow_moved_values(const Arrays& A) {
    if (!is_split_ && A.values.data() != values_) follow(A, Mode::NoTranspose);
  }

  /// Allocates all memory for products in this mode with this number of columns and this layout.
  template <class Layout>
  void prepare(Mode mode, std::size_t columns) {
    owned_.prepare(mode, columns);
    if (is_split_) {
      halo_.prepare(mode, columns);
      scratch<Layout>().reserve(boundary_rows(), columns);
    } else if (is_joined() && is_transposed(mode)) {
      scratch<Layout>().reserve(owned_columns_ + halo_columns_, columns);
    }
  }

  /// Returns whether products need the rank's own elements of X and those of the halo in one block.
  bool is_joined() const { return !is_split_ && halo_columns_ > 0; }
  bool is_split() const { return is_split_; }

  /// Computes y = alpha op(A) x + beta y, without the halo if the entries are split.
  template <class S, class X, class Y>
  void multiply(Mode mode, S alpha, const X& x, S beta, const Y& y) {
    owned_.multiply(mode, alpha, x, beta, y);
  }

  /// Computes halo = alpha op(A) x for the elements of the halo, in a transposed mode. For joined plans that are
  /// prepared for LayoutLeft.
  template <class S, class X, class Y>
  void multiply_joined(Mode mode, S alpha, const X& x, const Y& halo) {
    const auto all = scratch<Kokkos::LayoutLeft>().first(x.extent(1));
    owned_.multiply(mode, alpha, x, S(0), all);
    copy_rows(Exec(), all, static_cast<std::size_t>(owned_columns_), halo);
  }

  /// Computes y = alpha op(A) x + beta y for the elements that the rank owns, from the last multiply_joined().
  template <class S, class Y>
  void add_joined(S beta, const Y& y) {
    add_scaled(Exec(), scratch<Kokkos::LayoutLeft>().first(y.extent(1)), Scalar(beta), y);
  }

  /// Computes y += alpha (halo part) (imported elements of X). For split plans. Layout is that of prepare().
  template <class Layout, class S, class X, class Y>
  void add_halo(S alpha, const X& imported, const Y& y) {
    if (boundary_rows() == 0) return;
    const auto sums = scratch<Layout>().first(y.extent(1));
    halo_.multiply(Mode::NoTranspose, alpha, imported, S(0), sums);
    add_to_rows(Exec(), boundary_, sums, y);
  }

  /// Computes y = alpha op(halo part) x + beta y. For split plans that are prepared for LayoutLeft.
  template <class S, class X, class Y>
  void multiply_halo(Mode mode, S alpha, const X& x, S beta, const Y& y) {
    const auto rows = scratch<Kokkos::LayoutLeft>().first(x.extent(1));
    gather_rows(Exec(), boundary_, x, rows);
    halo_.multiply(mode, alpha, rows, beta, y);
  }

  std::string explain() const {
    if (is_joined()) {
      return std::to_string(owned_columns_) + " columns of its own and a halo of " + std::to_string(halo_columns_) +
             " columns in one plan\n" + owned_.plan.explain();
    }
    if (!is_split_) return "all columns are its own\n" + owned_.plan.explain();
    const char* const entries = block_size_ == 1 ? " entries" : " blocks";
    return std::to_string(split_.owned_entries) + entries + " in columns of its own, " +
           std::to_string(split_.halo_entries) + " in a halo of " + std::to_string(halo_.plan.columns()) +
           " columns, which " + std::to_string(boundary_rows()) + " rows need\nown columns: " + owned_.plan.explain() +
           "halo: " + halo_.plan.explain();
  }

 private:
  /// A plan and its scratch memory.
  struct Part {
    Plan<Scalar, Exec> plan;
    Workspaces<Exec> workspaces;

    void prepare(Mode mode, std::size_t columns) { workspaces.get(Exec(), plan, mode, static_cast<int>(columns)); }
    // Tpetra's own scalars are std::complex where the scalars of its Views are Kokkos::complex.
    template <class S, class X, class Y>
    void multiply(Mode mode, S alpha, const X& x, S beta, const Y& y) {
      const Exec exec;
      spmm(exec, plan, workspaces.get(exec, plan, mode, static_cast<int>(x.extent(1))), mode, Scalar(alpha), x,
           Scalar(beta), y);
    }
  };

  /// Returns whether A has the pattern arrays that the plans were made from. Tpetra allocates others for a new pattern.
  bool has_arrays_of(const Arrays& A) const {
    return A.graph.row_map.data() == offsets_.data() && A.graph.row_map.extent(0) == offsets_.extent(0) &&
           A.graph.entries.data() == entries_;
  }

  /// Returns whether A has the pattern that the plans were made from, in other arrays. Reads A's pattern, the first
  /// time also that of the plans if they keep its columns, and waits.
  bool has_pattern_of(const Arrays& A) {
    const Exec exec;
    if (!checksum_) checksum_ = pattern_checksum(exec, offsets_, columns_);
    columns_ = {};
    if (*checksum_ != pattern_checksum(exec, A.graph.row_map, A.graph.entries)) return false;
    offsets_ = A.graph.row_map;
    entries_ = A.graph.entries.data();
    return true;
  }

  void make_joined(const Exec& exec, const Arrays& A, const Columns& columns, PlanOptions options, bool follows) {
    Kokkos::View<const int*, Device> entries = A.graph.entries;
    if (!columns.keeps_numbers) entries = joined_columns(exec, A, columns.targets, owned_columns_ / block_size_);
    options.shares_pattern = may_keep_columns || !columns.keeps_numbers;
    options.trusts_pattern = columns.keeps_numbers;  // Tpetra made it
    options.shares_values = follows;
    options.hints.layout_left = options.hints.layout_left && halo_columns_ == 0;  // a block with a halo is row-major
    owned_.plan =
        make_block_plan(exec, A.rows, owned_columns_ + halo_columns_, A.graph.row_map, entries, A.values, options);
  }

  void make_split(const Exec& exec, const Arrays& A, const Columns& columns, PlanOptions options, bool keeps_parts) {
    options.shares_pattern = true;  // the parts are copies already
    options.shares_values = keeps_parts;
    options.trusts_pattern = false;
    split_ = split_rows(exec, A, columns.targets);
    const auto [own, far] = cut<Scalar>(exec, A, split_);
    owned_.plan =
        make_block_plan(exec, A.rows, owned_columns_, own.row_offsets, own.column_indices, own.values, options);
    PlanOptions halo_options = options;
    halo_options.hints.layout_left = false;  // imported elements are row-major
    halo_.plan = make_block_plan(exec, split_.boundary_rows(), halo_columns_, far.row_offsets, far.column_indices,
                                 far.values, halo_options);
    boundary_ = points_of(exec, split_.boundary, block_size_);
    if (keeps_parts) owned_values_ = own.values, halo_values_ = far.values;
  }

  /// \param rows    [in] rows of blocks
  /// \param columns [in] columns of points
  template <class Offsets, class Entries, class Values>
  auto make_block_plan(const Exec& exec, int rows, int columns, const Offsets& row_offsets, const Entries& entries,
                       const Values& values, const PlanOptions& options) const {
    return plan_of(exec, rows, columns / block_size_, block_size_, row_offsets, entries, values, options);
  }

  int boundary_rows() const { return static_cast<int>(boundary_.extent(0)); }

  /// Returns true if the memory is new.
  bool make_room_for_values(const Exec& exec, const Arrays& A) {
    if (owned_values_.is_allocated()) return false;
    std::tie(owned_values_, halo_values_) = room_for_values<Scalar>(exec, split_, area_of(A));
    return true;
  }

  template <class Layout>
  auto& scratch() {
    return std::get<ScratchRows<Scalar, Device, Layout>>(scratch_);
  }

  // Row offsets are kept alive: no others can have their address. Tpetra counts the references to all other arrays, and
  // on a device it needs to be their only owner.
  typename Matrix::crs_graph_type::row_ptrs_device_view_type offsets_;
  typename Matrix::crs_graph_type::local_inds_device_view_type columns_;  // until there is a checksum
  const void* entries_;
  const void* values_;                     // address of the values; null if they are known to have changed
  std::optional<std::uint64_t> checksum_;  // of the pattern
  CopiedValues copied_;

  int owned_columns_, block_size_, halo_columns_;
  bool is_split_;  // otherwise all entries are in `owned_`
  Part owned_, halo_;
  // If split: products of boundary rows or, if transposed, X in these rows. If joined: results of transposed products.
  std::tuple<ScratchRows<Scalar, Device, Kokkos::LayoutLeft>, ScratchRows<Scalar, Device, Kokkos::LayoutRight>>
      scratch_;

  RowSplit<Device> split_;
  Kokkos::View<int*, Device> boundary_;                       // the points of the boundary
  ValueWatch<Exec> watch_;                                    // watches A's values if entries are split
  Kokkos::View<Scalar*, Device> owned_values_, halo_values_;  // values of the parts, once followed or copied
};

}  // namespace Tessera::Impl
