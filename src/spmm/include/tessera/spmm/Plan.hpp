// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/common/Mode.hpp>
#include <tessera/reorder/Permutation.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/Workspace.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <type_traits>
#include <utility>

namespace Tessera {

/// A sparse matrix made ready to be multiplied many times: Y = alpha op(A) X + beta Y (see spmm()).
///
/// The plan owns a copy of the matrix in the format it chose. It keeps no reference to the arrays it was made from:
/// changes in these have no effect until update_values() or follow_values() is called. Copies of a plan share one
/// state, like Kokkos::View.
///
/// A matrix of more than 2^31 - 2^16 entries is stored as several blocks of rows, each with a format of its own.
///
/// Kokkos::finalize() frees plans and workspaces that are still alive, and says so on stderr. They may be destroyed
/// later; any other use then throws std::logic_error.
///
/// Thread safety: products of one plan may run at the same time, each with its own Workspace. The members prepare,
/// update_values, follow_values and release_source must not run at the same time as any other use of the plan.
///
/// \tparam Scalar  float, double, or their complex (Kokkos::complex or std::complex)
/// \tparam Ordinal int
/// \tparam Offset  an integer type of 4 or 8 bytes: that of the offsets that make_plan() reads. Plans store ints
/// \tparam Device  a Kokkos execution space or Kokkos::Device
template <class Scalar, class Ordinal_, class Offset, class Device>
class Plan {
 public:
  using scalar_type = Scalar;                                   ///< the type of a value of A
  using ordinal_type = Ordinal_;                                ///< the type of a row or column index
  using offset_type = Offset;                                   ///< the type of a row offset
  using execution_space = typename Device::execution_space;     ///< where products run
  using memory_space = typename execution_space::memory_space;  ///< where the plan's arrays are
  using workspace_type = Workspace<execution_space>;            ///< what prepare() returns
  /// For the library: the compiled part of a plan.
  using state_type = Impl::PlanState<Impl::kernel_scalar_t<Scalar>, execution_space>;

  static_assert(Impl::KernelScalar<Scalar>::supported && !is_half_v<Impl::kernel_scalar_t<Scalar>>,
                "Tessera::Plan: Scalar is float, double or a complex of these");
  static_assert(std::is_same_v<Ordinal_, int>, "Tessera::Plan: Ordinal is int");
  static_assert(std::is_integral_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "Tessera::Plan: Offset is an integer type of 4 or 8 bytes");
  static_assert(!Impl::KernelScalar<Scalar>::supported || is_half_v<Impl::kernel_scalar_t<Scalar>> ||
                    is_compiled_v<Impl::kernel_scalar_t<Scalar>>,
                "Tessera::Plan: this Tessera was configured without this type of Scalar (TESSERA_SCALARS)");

  /// An empty plan: valid only as the target of an assignment.
  Plan() = default;

  /// For the library: users call make_plan().
  explicit Plan(std::shared_ptr<state_type> state) : state_(std::move(state)) {}

  Ordinal_ rows() const { return state().rows(); }        ///< rows of A
  Ordinal_ columns() const { return state().columns(); }  ///< columns of A
  /// The number of entries that are stored. Duplicates of the input count once; explicit zeros count.
  std::size_t nonzeros() const { return state().nonzeros(); }
  /// The format that was chosen; if the plan has several blocks of rows, for the first block.
  Format format() const { return state().choice().format; }
  /// The choice, its candidates, and the predicted time of each; for the first block of rows.
  const Choice& choice() const { return state().choice(); }
  /// The choice in words: the format, its size, why it was chosen and what was rejected.
  std::string explain() const { return state().explain(); }
  /// All that is known of the plan, for programs. The result is an object in JSON with these members:
  /// - rows, columns, nonzeros, vector_columns, half_vectors, execution_space, precision, is_wider (whether TF32
  ///   replaces that precision), kernels, duplicates_summed, notes;
  /// - format, model, device, reason, candidates (format, tiles, bytes, predicted_seconds,
  ///   measured_seconds: null if not measured, held_bytes and peak_bytes: 0 unless chosen, is_refused), reordering,
  ///   reorderings (reordering, relative_seconds: null if refused, peak_bytes) and tiles (count, nonzeros,
  ///   mean_nonzeros, fill, imbalance: null without windows), as in choice() and tile_metrics();
  /// - bytes: format, transpose, slot_maps, kernels and total, like bytes() and its parts; peak, the
  ///   peak bytes that the plan had allocated; limit, PlanOptions::memory_limit or null;
  /// - seconds that make_plan took: analysis, tuning, reordering, format, kernels, values, total;
  /// - transpose: null, or format, ..., tiles, seconds and kernels of the transpose; of its first part, if a note says
  ///   that it is stored in parts;
  /// - row_blocks: null; or, if the plan has several blocks of rows, first_row, rows, nonzeros, format, ..., tiles,
  ///   kernels and transpose of each. Then nonzeros, bytes and seconds are sums, and the choice is the first block's;
  /// - products and updates: how often spmm() and update_values() were called, counted over all copies of the plan.
  std::string stats() const { return state().stats(); }
  /// Metrics of the format's tiles: their number, how full they are, how evenly they are spread over the windows of
  /// rows; for the first block, if the plan has several blocks of rows.
  const TileMetrics& tile_metrics() const { return state().tile_metrics(); }
  /// The order in which the rows of A are stored: row order(i) has place i. It is the identity unless
  /// PlanOptions::reordering found an order that was kept. X and Y do not follow it.
  Permutation<memory_space> row_order() const { return state().row_order(); }
  /// Bytes of device memory that the plan holds for A and, if there is one, the transpose: pattern, values, slot maps,
  /// and what kernels keep.
  std::size_t bytes() const { return state().bytes(); }
  /// The part of bytes() that the format of A itself needs: pattern, values, order.
  std::size_t format_bytes() const { return state().format_bytes(); }
  /// The part of bytes() that only update_values() and follow_values() need; release_source() frees it.
  std::size_t slot_map_bytes() const { return state().slot_map_bytes(); }
  /// The part of bytes() that kernels of the device keep in addition to the formats of A and of the transpose. On
  /// Kokkos::Cuda these are values as whole tiles or rounded to 16 bits, and lists that assign work to thread blocks.
  std::size_t kernel_bytes() const { return state().kernel_bytes(); }

  /// Allocates everything that products in this mode with up to `columns` columns of X need.
  ///
  /// The first call for a transposed mode also builds the transpose. This takes the time of make_plan() and the memory
  /// of the matrix again. Transposed products then run without atomics, and give the same result on any number of
  /// threads. If it throws, the plan stays as it is.
  ///
  /// \throws std::invalid_argument if columns is negative, or if plan and transpose together take more than
  ///         PlanOptions::memory_limit
  /// \throws std::bad_alloc, or what Kokkos throws for it, if memory runs out
  workspace_type prepare(const execution_space& exec, int columns, Mode mode) {
    return state().prepare(exec, columns, mode);
  }

  /// Replaces the values, in the same pattern and in the order of the entries that make_plan() was given. Rows may be
  /// unsorted and hold duplicates, which are summed. The cost is one pass, without analysis or allocation.
  ///
  /// Does not wait: change `values`, or start products on other instances, only after a fence of `exec`.
  ///
  /// \param values [in] a rank-1 View with one value for each entry of the input, readable on the device
  /// \throws std::invalid_argument if the number of values differs
  /// \throws std::logic_error after release_source()
  template <class Values>
  void update_values(const execution_space& exec, const Values& values) {
    state().update_values(exec, checked_values(values, "update_values"), values.extent(0));
  }

  /// Makes later products of a mode use what `values` holds when they run, whether or not it has changed. Call it
  /// before each product if code that does not know the plan may change the values of A.
  ///
  /// A plan in compressed rows, made from rows whose columns ascend without duplicates, reads `values` in place, at no
  /// cost. They must then exist until the next call of this function in that mode, or of update_values(): products,
  /// prepare(), save_plan() and release_source() read them. Any other plan compares a fingerprint on the device: one
  /// pass over `values`, and an update if they are not those of the last call. The fingerprint has 64 bits, hence a
  /// change goes unnoticed with a probability of 2^-64.
  ///
  /// Does not wait, and a CUDA graph that was captured with this call compares anew each time it runs. The first call
  /// for a mode allocates a few bytes and waits; make it before you capture. Products that were captured while the plan
  /// read `values` in place keep reading them, whatever the plan is told later. On a GPU for which Tessera has no
  /// kernels, the graph uses scratch memory of `exec`, which must therefore exist as long as the graph, and may compute
  /// nothing else while the graph runs.
  ///
  /// \param values [in] as for update_values()
  /// \param mode   [in] the mode of the products that follow; a transposed mode needs prepare() first
  /// \throws as update_values(); FormatTooLarge if PlanOptions::memory_limit leaves no room for the fingerprint;
  ///         std::logic_error also for a transposed mode without an earlier prepare()
  template <class Values>
  void follow_values(const execution_space& exec, const Values& values, Mode mode = Mode::NoTranspose) {
    state().follow_values(exec, mode, checked_values(values, "follow_values"), values.extent(0));
  }

  /// Frees what only update_values() and follow_values() need, after copying values that products read in place.
  ///
  /// \param exec [in] the instance that was given the values; it copies them, and the call waits for it
  void release_source(const execution_space& exec) { state().release_source(exec); }
  /// The same on a default instance, after waiting for everything that runs on the device.
  void release_source() {
    static_cast<void>(state());  // rejects an empty plan before asking Kokkos, which may have ended
    Kokkos::fence("Tessera::release_source: all instances");
    release_source(execution_space());
  }

  /// For the library: the state that copies of the plan share.
  state_type& state() const {
    if (!state_)
      throw std::logic_error("Tessera::Plan: this plan is empty; assign the result of make_plan() to it first");
    if (!state_->is_alive())
      throw std::logic_error("Tessera::Plan: Kokkos::finalize() freed this plan; expected no use of it afterwards");
    return *state_;
  }

 private:
  template <class Values>
  static const Impl::kernel_scalar_t<Scalar>* checked_values(const Values& values, const char* who) {
    static_assert(Kokkos::is_view_v<Values> && Values::rank() == 1, "Tessera: values is a rank-1 Kokkos::View");
    static_assert(std::is_same_v<Impl::kernel_scalar_t<typename Values::value_type>, Impl::kernel_scalar_t<Scalar>>,
                  "Tessera: values must have the scalar type of the plan");
    static_assert(Kokkos::SpaceAccessibility<execution_space, typename Values::memory_space>::accessible,
                  "Tessera: values must be accessible from the plan's execution space");
    if (!values.span_is_contiguous())
      throw std::invalid_argument("Tessera::Plan::" + std::string(who) + ": values must be contiguous");
    return reinterpret_cast<const Impl::kernel_scalar_t<Scalar>*>(values.data());
  }

  std::shared_ptr<state_type> state_;
};

namespace Impl {

/// make_plan() for rows of elements (block_size 1) and rows of blocks alike.
///
/// \param most_entries [in] upper bound on the entries that the plan stores as one block of rows; tests set fewer
/// \param most_places  [in] upper bound on the places of a block's format; tests set fewer
template <class ExecutionSpace, class RowOffsets, class ColumnIndices, class Values>
auto make_plan(const ExecutionSpace& exec, int rows, int columns, int block_size, const RowOffsets& row_offsets,
               const ColumnIndices& column_indices, const Values& values, const PlanOptions& options,
               std::size_t most_entries = most_entries_of_block, std::size_t most_places = most_entries_of_block) {
  using Scalar = typename Values::non_const_value_type;
  using Offset = typename RowOffsets::non_const_value_type;
  using PlanType =
      Plan<Scalar, typename ColumnIndices::non_const_value_type, Offset, typename ExecutionSpace::device_type>;
  static_assert(RowOffsets::rank() == 1 && ColumnIndices::rank() == 1 && Values::rank() == 1,
                "Tessera::make_plan: row offsets, column indices and values are rank-1 Kokkos::Views");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename RowOffsets::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename ColumnIndices::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename Values::memory_space>::accessible,
                "Tessera::make_plan: the matrix must be accessible from the execution space");
  if (!row_offsets.span_is_contiguous() || !column_indices.span_is_contiguous() || !values.span_is_contiguous()) {
    throw std::invalid_argument("Tessera::make_plan: row offsets, column indices and values must be contiguous Views");
  }
  using State = typename PlanType::state_type;
  typename State::Input input;
  input.rows = rows;
  input.columns = columns;
  input.row_offsets = reinterpret_cast<const kernel_offset_t<Offset>*>(row_offsets.data());
  input.column_indices = column_indices.data();
  input.block_size = block_size;
  input.values = reinterpret_cast<const kernel_scalar_t<Scalar>*>(values.data());
  input.row_offsets_size = row_offsets.extent(0);
  input.column_indices_size = column_indices.extent(0);
  input.values_size = values.extent(0);
  input.most_entries = most_entries;
  input.most_places = most_places;
  return PlanType(std::make_shared<State>(exec, input, options));
}

}  // namespace Impl

/// Makes a plan from compressed rows given as three Views. Errors and cost are those of the overload for a matrix.
///
/// \param row_offsets    [in] rows + 1 offsets, ascending from 0
/// \param column_indices [in] the column of each entry; rows may be unsorted and hold duplicates, which are summed
/// \param values         [in] the value of each entry
template <class ExecutionSpace, class RowOffsets, class ColumnIndices, class Values>
auto make_plan(const ExecutionSpace& exec, int rows, int columns, const RowOffsets& row_offsets,
               const ColumnIndices& column_indices, const Values& values, const PlanOptions& options = {}) {
  return Impl::make_plan(exec, rows, columns, 1, row_offsets, column_indices, values, options);
}

/// Analyses a matrix and stores it in the format that `options` names or that is predicted to be the fastest.
///
/// A is a KokkosSparse::CrsMatrix, or any type with its members numRows(), numCols(), graph.row_map, graph.entries and
/// values. It may have any shape. Rows may be unsorted; duplicates are summed, explicit zeros are kept.
///
/// Or A is a KokkosSparse::BsrMatrix, or any such type with blockDim() as well. Its rows, columns and entries then
/// count square blocks, and the values are stored block by block, each row-major. The plan counts rows, columns and
/// nonzeros of elements; Plan::update_values() takes the values in the order of the blocks.
///
/// \throws std::invalid_argument that names what is wrong with A (offsets that descend, a column out of range, a row of
///         more than 2^31 - 2^16 entries, ...) or the option that cannot be met
///
/// Cost: a few passes over the nonzeros, a radix sort if a row is unsorted, options.reordering. Fences `exec`.
template <class ExecutionSpace, class Matrix>
requires requires(const Matrix& A) { A.numRows(), A.numCols(), A.graph.row_map, A.graph.entries, A.values; }
auto make_plan(const ExecutionSpace& exec, const Matrix& A, const PlanOptions& options = {}) {
  constexpr auto most = std::numeric_limits<int>::max();
  if (std::cmp_greater(A.numRows(), most) || std::cmp_greater(A.numCols(), most)) {
    throw std::invalid_argument("Tessera::make_plan: A has more than 2^31 - 1 rows or columns");
  }
  int block_size = 1;
  if constexpr (requires { A.blockDim(); }) block_size = static_cast<int>(A.blockDim());
  return Impl::make_plan(exec, static_cast<int>(A.numRows()), static_cast<int>(A.numCols()), block_size,
                         A.graph.row_map, A.graph.entries, A.values, options);
}

}  // namespace Tessera
