// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/Mode.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/Workspace.hpp>
#include <tessera/spmm/impl/Access.hpp>
#include <tessera/spmm/impl/Concepts.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <tessera/spmm/impl/VectorShape.hpp>
#include <type_traits>
#include <utility>

namespace Tessera {

/// A sparse matrix that is prepared for many products Y = alpha op(A) X + beta Y (see spmm()).
///
/// The plan owns a copy of the matrix in the format that it chose. Unless PlanOptions::shares_pattern or shares_values
/// is set, it keeps no reference to the arrays that it was made from: changes in these have no effect until
/// update_values() or follow_values() is called. Copies of a plan share one
/// state, like Kokkos::View.
///
/// A matrix of more than 2^31 - 2^16 entries is stored as several blocks of rows, each with a format of its own.
///
/// Kokkos::finalize() frees the memory of plans and workspaces that still exist, and warns (set_warning_handler()).
/// They may be destroyed later; any other use then throws std::logic_error.
///
/// With default options a plan begins with compressed rows, and stores the format that it chooses when that has paid
/// (PlanOptions::format).
///
/// Thread safety: products of one plan may run concurrently, each without a Workspace or with its own. The members
/// prepare, update_values, follow_values and release_source, and save_plan, must not run beside other uses of the plan.
///
/// \tparam Scalar float, double, or a complex number of these (Kokkos::complex or std::complex)
/// \tparam Exec   the Kokkos execution space where products run
template <class Scalar, class Exec = Kokkos::DefaultExecutionSpace>
class Plan {
 public:
  using scalar_type = Scalar;                        ///< the type of a value of A
  using execution_space = Exec;                      ///< where products run
  using memory_space = typename Exec::memory_space;  ///< where the plan's arrays are
  using workspace_type = Workspace<Exec>;            ///< type of the result of prepare()

  static_assert(Impl::KokkosExecutionSpace<Exec>, "Tessera::Plan: Exec is an execution space of Kokkos");
  static_assert(Impl::KernelScalar<Scalar>::supported && !Impl::is_half_v<Impl::kernel_scalar_t<Scalar>>,
                "Tessera::Plan: Scalar is float, double or a complex of these");
  static_assert(!Impl::KernelScalar<Scalar>::supported || Impl::is_half_v<Impl::kernel_scalar_t<Scalar>> ||
                    Impl::is_compiled_v<Impl::kernel_scalar_t<Scalar>>,
                "Tessera::Plan: this Tessera was configured without this type of Scalar (TESSERA_SCALARS)");

  /// Makes an empty plan, which may only be assigned to.
  Plan() = default;

  int rows() const { return state().rows(); }        ///< rows of A
  int columns() const { return state().columns(); }  ///< columns of A
  /// Returns the number of stored entries. Duplicates of the input count once; explicit zeros count.
  std::size_t nonzeros() const { return state().nonzeros(); }
  /// Returns the chosen format; if the plan has several blocks of rows, the first block's format.
  Format format() const { return state().format(); }
  /// Returns the choice in words: the format, its size, why it was chosen, and the other candidates if there was a
  /// choice. A format that is asked for with Reordering::None, on hosts also with Auto, is built without an analysis:
  /// no times are predicted.
  std::string explain() const { return state().explain(); }
  /// Returns all statistics of the plan, for programs. The result is an object in JSON with these members:
  /// - rows, columns, nonzeros, num_vectors, half_vectors, execution_space, precision, is_wider (whether TF32
  ///   replaces that precision), kernels, duplicates_summed, notes;
  /// - format, model, device, reason, candidates (format, tiles, bytes, predicted_seconds: null if
  ///   no decision needed it, measured_seconds: null if not measured, held_bytes and peak_bytes: 0 unless chosen,
  ///   is_rejected), reordering, reorderings (reordering, relative_seconds: null if rejected, peak_bytes) and tiles
  ///   (count, nonzeros, mean_nonzeros, fill, imbalance: null without windows);
  /// - bytes: format, transpose, slot_maps, kernels and total, like bytes() and its parts; peak, the peak of allocated
  ///   bytes; limit, PlanOptions::memory_limit or null;
  /// - seconds that make_plan took: analysis, tuning, reordering, format, kernels, values, total;
  /// - transpose: null, or format, ..., tiles, seconds and kernels of the transpose (of its first part, if a note says
  ///   that it is stored in parts);
  /// - row_blocks: null; or, if the plan has several blocks of rows, first_row, rows, nonzeros, format, ..., tiles,
  ///   kernels and transpose of each. Then nonzeros, bytes and seconds are sums, and the choice is the first block's;
  /// - growth: null if the plan did not begin with compressed rows; or state (what has happened and is due, in words)
  ///   and due (the number of the product before which the next step is taken, or null);
  /// - products and updates: how often spmm() and update_values() were called, counted over all copies of the plan.
  std::string stats() const { return state().stats(); }
  /// Returns the bytes of device memory that the plan holds for A and, if it exists, the transpose: pattern, values,
  /// slot maps, and the data of kernels.
  std::size_t bytes() const { return state().bytes(); }
  /// Returns the part of bytes() that the format of A itself needs: pattern, values, order.
  std::size_t format_bytes() const { return state().format_bytes(); }
  /// Returns the part of bytes() that only update_values() and follow_values() need; release_source() frees it.
  std::size_t slot_map_bytes() const { return state().slot_map_bytes(); }
  /// Returns the part of bytes() that device kernels keep in addition to the formats of A and of the transpose. On
  /// Kokkos::Cuda these are values as whole tiles or rounded to 16 bits, and lists that assign work to thread blocks.
  std::size_t kernel_bytes() const { return state().kernel_bytes(); }

  /// Allocates everything that products in this mode with up to `num_vectors` columns of X need.
  ///
  /// The first call for a transposed mode also builds the transpose, which takes the time of make_plan() and the memory
  /// of the matrix again. Transposed products then run without atomics, and give the same result on any number of
  /// threads. If this function throws, the plan is unchanged.
  ///
  /// \throws std::invalid_argument if num_vectors is negative, or if plan and transpose together take more than
  ///         PlanOptions::memory_limit
  /// \throws std::bad_alloc, or what Kokkos throws for it, if memory runs out
  workspace_type prepare(const execution_space& exec, int num_vectors, Mode mode = Mode::NoTranspose) {
    return state().prepare(exec, num_vectors, mode);
  }

  /// Replaces the values. The pattern stays the same, and values are in the order of the entries that make_plan() was
  /// given: rows may be unsorted and hold duplicates, which are summed. Cost: one pass, without analysis or allocation,
  /// except that the first call after PlanOptions::shares_values allocates the values.
  ///
  /// Does not wait: change `values`, or start products on other instances, only after fencing `exec`.
  ///
  /// \param values [in] a rank-1 View with one value for each entry of the input, readable on the device
  /// \throws std::invalid_argument if the number of values differs
  /// \throws FormatTooLarge if PlanOptions::memory_limit leaves no room for values that were shared
  /// \throws std::logic_error after release_source(), or if values were shared and a graph is being captured
  template <class Values>
  void update_values(const execution_space& exec, const Values& values) {
    state().update_values(exec, checked_values(values, "update_values"), values.extent(0));
  }

  /// Makes later products in a mode use the values that `values` holds when the products run. If other code may change
  /// the values of A without the plan's knowledge, call this before each product.
  ///
  /// While a plan stores compressed or compact rows, it reads `values` in place, if the columns of each row of A ascend
  /// without duplicates: at no cost. `values` must then exist until the next call of this function in that mode, or of
  /// update_values(): products, prepare(), save_plan() and release_source() read them. Any other plan compares a
  /// fingerprint on the device: one pass over `values`, and an update if they differ from those of the last call. The
  /// fingerprint has 64 bits, hence a change is missed with a probability of 2^-64.
  ///
  /// Does not wait. A CUDA graph that was captured with this call compares the fingerprint each time it runs. The first
  /// call for a mode allocates a few bytes and waits; make it before you capture. If products were captured while the
  /// plan read `values` in place, they keep reading them, even after later calls. On a GPU for which Tessera has no
  /// kernels, the graph uses scratch memory of `exec`. Hence `exec` must exist as long as the graph, and must run
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

  /// Makes a plan that began with compressed rows store the format of its choice now, as if it had been built at once.
  /// Does nothing if the plan has no choice left; explain() tells. Cost: that of make_plan() with
  /// PlanHints::expected_products; waits for all products of the device.
  ///
  /// If memory runs out, the plan keeps its rows, and explain() says so.
  ///
  /// \throws std::logic_error if a graph is being captured from `exec`
  void settle(const execution_space& exec) { state().settle(exec); }

  /// Frees the arrays for update_values() and follow_values(). Values that products read in place are copied first.
  ///
  /// \param exec [in] the instance that was given the values; it makes the copy, and the call waits for it
  /// \throws FormatTooLarge if PlanOptions::memory_limit leaves no room for values that were shared
  void release_source(const execution_space& exec) { state().release_source(exec); }

 private:
  friend struct Impl::Access;
  using State = Impl::PlanState<Impl::kernel_scalar_t<Scalar>, Exec>;

  explicit Plan(std::shared_ptr<State> state) : state_(std::move(state)) {}

  State& state() const {
    if (!state_)
      throw std::logic_error("Tessera::Plan: this plan is empty; assign the result of make_plan() to it first");
    if (!state_->is_alive())
      throw std::logic_error("Tessera::Plan: Kokkos::finalize() freed this plan; expected no use of it afterwards");
    return *state_;
  }

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

  std::shared_ptr<State> state_;
};

namespace Impl {

/// Makes the plan that make_plan() returns, from rows of elements (block_size 1) or rows of blocks.
///
/// \param most_entries [in] upper bound on the entries that the plan stores as one block of rows; smaller in tests
/// \param most_places  [in] upper bound on the places of a block's format; smaller in tests
template <class Exec, class RowOffsets, class ColumnIndices, class Values>
auto plan_of(const Exec& exec, int rows, int columns, int block_size, const RowOffsets& row_offsets,
             const ColumnIndices& column_indices, const Values& values, const PlanOptions& options,
             std::size_t most_entries = most_entries_of_block, std::size_t most_places = most_entries_of_block) {
  static_assert(Kokkos::is_view_v<RowOffsets> && Kokkos::is_view_v<ColumnIndices> && Kokkos::is_view_v<Values> &&
                    RowOffsets::rank() == 1 && ColumnIndices::rank() == 1 && Values::rank() == 1,
                "Tessera::make_plan: row offsets, column indices and values are rank-1 Kokkos::Views");
  using Scalar = typename Values::non_const_value_type;
  using RowOffset = typename RowOffsets::non_const_value_type;
  static_assert(std::is_same_v<typename ColumnIndices::non_const_value_type, int>,
                "Tessera::make_plan: column indices are ints");
  static_assert(std::is_integral_v<RowOffset> && (sizeof(RowOffset) == 4 || sizeof(RowOffset) == 8),
                "Tessera::make_plan: row offsets are integers of 4 or 8 bytes");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename RowOffsets::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename ColumnIndices::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename Values::memory_space>::accessible,
                "Tessera::make_plan: the matrix must be accessible from the execution space");
  if (!row_offsets.span_is_contiguous() || !column_indices.span_is_contiguous() || !values.span_is_contiguous()) {
    throw std::invalid_argument("Tessera::make_plan: row offsets, column indices and values must be contiguous Views");
  }
  using State = PlanState<kernel_scalar_t<Scalar>, Exec>;
  typename State::Input input;
  input.rows = rows;
  input.columns = columns;
  input.row_offsets = reinterpret_cast<const kernel_offset_t<RowOffset>*>(row_offsets.data());
  input.column_indices = column_indices.data();
  input.block_size = block_size;
  input.values = reinterpret_cast<const kernel_scalar_t<Scalar>*>(values.data());
  input.row_offsets_size = row_offsets.extent(0);
  input.column_indices_size = column_indices.extent(0);
  if (options.shares_pattern)
    input.owner = std::make_shared<std::pair<RowOffsets, ColumnIndices>>(row_offsets, column_indices);
  input.values_size = values.extent(0);
  input.most_entries = most_entries;
  input.most_places = most_places;
  return Access::plan<Plan<Scalar, Exec>>(std::make_shared<State>(exec, input, options));
}

/// The number of rows and columns of a matrix, in elements or, if block_size > 1, in blocks.
struct MatrixSizes {
  int rows = 0;
  int columns = 0;
  int block_size = 1;
};

template <SparseMatrix Matrix>
MatrixSizes sizes_of(const Matrix& A) {
  constexpr auto most = std::numeric_limits<int>::max();
  if (std::cmp_greater(A.numRows(), most) || std::cmp_greater(A.numCols(), most)) {
    throw std::invalid_argument("Tessera::make_plan: A has more than 2^31 - 1 rows or columns");
  }
  MatrixSizes sizes{static_cast<int>(A.numRows()), static_cast<int>(A.numCols()), 1};
  if constexpr (requires { A.blockDim(); }) sizes.block_size = static_cast<int>(A.blockDim());
  return sizes;
}

}  // namespace Impl

/// Stores a matrix in the format that `options` names, or in compressed rows until the format that is predicted to be
/// the fastest has paid (PlanOptions::format).
///
/// A is a KokkosSparse::CrsMatrix, or any type with its members numRows(), numCols(), graph.row_map, graph.entries and
/// values. It may have any shape. Rows may be unsorted; duplicates are summed, and explicit zeros are kept.
///
/// A may also be a KokkosSparse::BsrMatrix, or any such type that has blockDim(). Its rows, columns and entries then
/// count square blocks, and its values are stored block by block, row-major within a block. The plan counts rows,
/// columns and nonzeros in elements. Plan::update_values() expects values in the order of the blocks.
///
/// \throws std::invalid_argument that names what is wrong with A (offsets that descend, a column out of range, a row of
///         more than 2^31 - 2^16 entries, ...), or the option that cannot be met
///
/// Cost: two passes over the entries; a radix sort if a row is unsorted; more for a named format or order. Fences
/// `exec`.
template <Impl::KokkosExecutionSpace Exec, Impl::SparseMatrix Matrix>
auto make_plan(const Exec& exec, const Matrix& A, const PlanOptions& options = {}) {
  const auto sizes = Impl::sizes_of(A);
  return Impl::plan_of(exec, sizes.rows, sizes.columns, sizes.block_size, A.graph.row_map, A.graph.entries, A.values,
                       options);
}

/// Makes a plan for products with vectors like X: their number and layout replace the hints of `options`. If their
/// elements have 16 bits, PlanOptions::half_vectors is set.
///
/// \param X [in] a View of rank 1 or 2, with a row for each column of A or, for transposed products, for each row of A.
///               Its elements are not read, and X need not exist afterwards
/// \throws std::invalid_argument also if X has another number of rows
template <Impl::KokkosExecutionSpace Exec, Impl::SparseMatrix Matrix, Impl::VectorsView XView>
auto make_plan(const Exec& exec, const Matrix& A, const XView& X, const PlanOptions& options = {}) {
  const auto sizes = Impl::sizes_of(A);
  return make_plan(exec, A,
                   Impl::options_for(Impl::shape_of(X), std::size_t(sizes.rows) * std::size_t(sizes.block_size),
                                     std::size_t(sizes.columns) * std::size_t(sizes.block_size), options));
}

/// Makes a plan on the default instance of the execution space that A's values belong to.
template <Impl::SparseMatrix Matrix>
auto make_plan(const Matrix& A, const PlanOptions& options = {}) {
  return make_plan(Impl::execution_space_of<Matrix>(), A, options);
}
/// Makes a plan for products with vectors like X, on the default instance.
template <Impl::SparseMatrix Matrix, Impl::VectorsView XView>
auto make_plan(const Matrix& A, const XView& X, const PlanOptions& options = {}) {
  return make_plan(Impl::execution_space_of<Matrix>(), A, X, options);
}

/// Makes a plan from compressed rows given as three Views. Errors and cost are those of the overload for a matrix.
///
/// \param row_offsets    [in] rows + 1 offsets, ascending from 0
/// \param column_indices [in] the column of each entry; rows may be unsorted and hold duplicates, which are summed
/// \param values         [in] the value of each entry
template <Impl::KokkosExecutionSpace Exec, class RowOffsets, class ColumnIndices, class Values>
auto make_plan(const Exec& exec, int rows, int columns, const RowOffsets& row_offsets,
               const ColumnIndices& column_indices, const Values& values, const PlanOptions& options = {}) {
  return Impl::plan_of(exec, rows, columns, 1, row_offsets, column_indices, values, options);
}
/// Makes a plan from three Views, for products with vectors like X.
template <Impl::KokkosExecutionSpace Exec, class RowOffsets, class ColumnIndices, class Values, Impl::VectorsView XView>
auto make_plan(const Exec& exec, int rows, int columns, const RowOffsets& row_offsets,
               const ColumnIndices& column_indices, const Values& values, const XView& X,
               const PlanOptions& options = {}) {
  return Impl::plan_of(exec, rows, columns, 1, row_offsets, column_indices, values,
                       Impl::options_for(Impl::shape_of(X), std::size_t(rows), std::size_t(columns), options));
}

}  // namespace Tessera
