// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/Mode.hpp>
#include <tessera/Spmm.hpp>
#include <tessera/spmm/impl/Access.hpp>
#include <tessera/spmm/impl/BatchState.hpp>
#include <tessera/spmm/impl/Concepts.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <type_traits>
#include <utility>

/// @file
/// Products of many matrices with one pattern, in one launch.

namespace Tessera {

/// The pattern of a sparse matrix that is prepared for batches of products (see spmm_batch()).
///
/// It owns a copy of the pattern, in compressed rows with the entries in the order that they were given, and holds no
/// values. Copies of a BatchPlan share one state, like Kokkos::View.
///
/// Thread safety: all members and products may run concurrently. As for Plan, Kokkos::finalize() frees the memory.
///
/// \tparam Exec the Kokkos execution space where products run
template <class Exec = Kokkos::DefaultExecutionSpace>
class BatchPlan {
 public:
  using execution_space = Exec;                      ///< where products run
  using memory_space = typename Exec::memory_space;  ///< where the pattern is

  static_assert(Impl::KokkosExecutionSpace<Exec>, "Tessera::BatchPlan: Exec is an execution space of Kokkos");

  /// Makes an empty plan, which may only be assigned to.
  BatchPlan() = default;

  int rows() const { return state().rows(); }        ///< rows of each matrix
  int columns() const { return state().columns(); }  ///< columns of each matrix
  /// Returns the number of entries of the pattern, and of values of each matrix. Duplicates count.
  std::size_t entries() const { return state().entries(); }
  /// Returns the bytes of device memory that the plan holds: 4 for each row and entry and, if products in a transposed
  /// mode were prepared, 4 for each column and 8 for each entry.
  std::size_t bytes() const { return state().bytes(); }

  /// Builds what products in a mode need, if nothing has built it before: the transposed pattern. Otherwise the first
  /// product in the mode does so. Call it before a product in a transposed mode is captured in a CUDA graph.
  ///
  /// \throws std::bad_alloc, or what Kokkos throws for it, if memory runs out
  ///
  /// Cost: a radix sort of the entries, and a wait.
  void prepare(const execution_space& exec, Mode mode) const { state().prepare(exec, mode); }

 private:
  friend struct Impl::Access;
  using State = Impl::BatchState<Exec>;

  explicit BatchPlan(std::shared_ptr<State> state) : state_(std::move(state)) {}

  State& state() const {
    if (!state_) {
      throw std::logic_error(
          "Tessera::BatchPlan: this plan is empty; assign the result of make_batch_plan() to it first");
    }
    if (!state_->is_alive())
      throw std::logic_error(
          "Tessera::BatchPlan: Kokkos::finalize() freed this plan; expected no use of it afterwards");
    return *state_;
  }

  std::shared_ptr<State> state_;
};

/// Prepares the pattern that the matrices of a batch have, given as compressed rows in three parts.
///
/// \param rows           [in] rows of each matrix
/// \param columns        [in] columns of each matrix
/// \param row_offsets    [in] rows + 1 offsets of 4 or 8 bytes, ascending from 0
/// \param column_indices [in] the column of each entry, ints; rows may be unsorted and hold duplicates, which add up
/// \throws std::invalid_argument that names what is wrong: sizes that do not fit, the first row whose offsets descend,
///         the first column that is out of range, more than 2^31 - 2^16 entries
///
/// Cost: a pass over the pattern. Fences `exec`. Both arrays may change afterwards.
template <Impl::KokkosExecutionSpace Exec, class RowOffsets, class ColumnIndices>
BatchPlan<Exec> make_batch_plan(const Exec& exec, int rows, int columns, const RowOffsets& row_offsets,
                                const ColumnIndices& column_indices) {
  static_assert(Kokkos::is_view_v<RowOffsets> && Kokkos::is_view_v<ColumnIndices> && RowOffsets::rank() == 1 &&
                    ColumnIndices::rank() == 1,
                "Tessera::make_batch_plan: row offsets and column indices are rank-1 Kokkos::Views");
  using RowOffset = typename RowOffsets::non_const_value_type;
  static_assert(std::is_same_v<typename ColumnIndices::non_const_value_type, int>,
                "Tessera::make_batch_plan: column indices are ints");
  static_assert(std::is_integral_v<RowOffset> && (sizeof(RowOffset) == 4 || sizeof(RowOffset) == 8),
                "Tessera::make_batch_plan: row offsets are integers of 4 or 8 bytes");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename RowOffsets::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename ColumnIndices::memory_space>::accessible,
                "Tessera::make_batch_plan: the pattern must be accessible from the execution space");
  if (!row_offsets.span_is_contiguous() || !column_indices.span_is_contiguous())
    throw std::invalid_argument("Tessera::make_batch_plan: row offsets and column indices must be contiguous Views");
  Impl::UserRows A;
  A.rows = rows;
  A.columns = columns;
  A.row_offsets = reinterpret_cast<const Impl::kernel_offset_t<RowOffset>*>(row_offsets.data());
  A.column_indices = column_indices.data();
  A.row_offsets_size = row_offsets.extent(0);
  A.column_indices_size = column_indices.extent(0);
  return Impl::Access::plan<BatchPlan<Exec>>(std::make_shared<Impl::BatchState<Exec>>(exec, A));
}

/// Prepares the pattern of a matrix: a KokkosSparse::CrsMatrix, or any type with its members. Its values are not read.
template <Impl::KokkosExecutionSpace Exec, Impl::SparseMatrix Matrix>
BatchPlan<Exec> make_batch_plan(const Exec& exec, const Matrix& A) {
  static_assert(
      !requires { A.blockDim(); }, "Tessera::make_batch_plan: batches have no matrices of blocks");
  const auto sizes = Impl::sizes_of(A);
  return make_batch_plan(exec, sizes.rows, sizes.columns, A.graph.row_map, A.graph.entries);
}
/// Prepares the pattern of a matrix on the default instance of the execution space that its values belong to.
template <Impl::SparseMatrix Matrix>
auto make_batch_plan(const Matrix& A) {
  return make_batch_plan(Impl::execution_space_of<Matrix>(), A);
}

namespace Impl {

template <class View>
using batch_element_t =
    std::conditional_t<std::is_const_v<typename View::value_type>, const kernel_scalar_t<typename View::value_type>,
                       kernel_scalar_t<typename View::value_type>>;

inline int extent_of_batch(const char* name, std::size_t extent) {
  if (extent <= std::size_t(std::numeric_limits<int>::max())) return static_cast<int>(extent);
  throw std::invalid_argument(std::string("Tessera::spmm_batch: ") + name + " has an extent of " +
                              std::to_string(extent) + "; expected at most 2^31 - 1");
}

/// Converts a View of rank 3 (products, rows, columns), or of rank 2 (rows, columns), which all products share.
template <class View>
auto multivector_batch(const char* name, const View& view) {
  using Element = batch_element_t<View>;
  constexpr int rank = View::rank();
  MultivectorBatch<Element> batch;
  batch.first = {reinterpret_cast<Element*>(view.data()), extent_of_batch(name, view.extent(rank - 2)),
                 extent_of_batch(name, view.extent(rank - 1)), static_cast<std::ptrdiff_t>(view.stride(rank - 2)),
                 static_cast<std::ptrdiff_t>(view.stride(rank - 1))};
  batch.is_shared = rank == 2;
  batch.count = rank == 2 ? 1 : extent_of_batch(name, view.extent(0));
  batch.stride = rank == 2 ? 0 : static_cast<std::ptrdiff_t>(view.stride(0));
  return batch;
}

/// Converts a View of rank 2 (products, entries), or of rank 1 (entries), which all products share.
template <class View>
auto value_batch(const View& values) {
  constexpr int rank = View::rank();
  ValueBatch<kernel_scalar_t<typename View::value_type>> batch;
  batch.data = reinterpret_cast<decltype(batch.data)>(values.data());
  batch.entries = values.extent(rank - 1);
  batch.is_shared = rank == 1;
  batch.count = rank == 1 ? 1 : extent_of_batch("values", values.extent(0));
  batch.stride = rank == 1 ? 0 : static_cast<std::ptrdiff_t>(values.stride(0));
  if (batch.entries > 1 && values.stride(rank - 1) != 1) {
    throw std::invalid_argument("Tessera::spmm_batch: the values of a matrix are " +
                                std::to_string(values.stride(rank - 1)) +
                                " elements apart; expected adjacent ones (LayoutRight)");
  }
  return batch;
}

}  // namespace Impl

/// Computes Y_b = alpha op(A_b) X_b + beta Y_b for all products b of a batch, in one launch. The matrices A_b have one
/// pattern, and values of their own or one set for all.
///
/// beta = 0 overwrites Y, which may then hold anything, NaN included. alpha = 0 reads neither values nor X. On a host
/// and on a device, a row is summed in an order that depends on the pattern and on whether X has one column: each
/// product has the same bits in any batch, in every run and for any number of threads.
///
/// \param exec   [in]     the instance to run on; the call does not wait for it
/// \param plan   [in]     from make_batch_plan()
/// \param alpha  [in]     a number that converts to the scalar type
/// \param values [in]     a View of rank 2, products x entries, whose rows have adjacent elements (LayoutRight); or of
///                        rank 1, entries, which all matrices share. Values are in the order of the plan's entries and
///                        are read in place: float, double, or a complex number of these
/// \param X      [in]     a View of rank 3, products x columns of op(A) x columns of X, with any strides; or of rank 2,
///                        which all products share. Its value type is that of the values
/// \param beta   [in]     as alpha
/// \param Y      [in,out] a View of rank 3, products x rows of op(A) x columns of X, with any strides and the same
///                        value type. Its elements lie apart, and do not overlap X or values
/// \throws std::invalid_argument if numbers of products, extents or strides do not fit, naming both sides; if an
///         argument has elements but no memory; if X and Y overlap. Y is then unchanged. The check for overlaps is
///         exact if the ranges of bytes are disjoint, or if X and Y have equal strides and their multivectors lie one
///         after another; other ranges that overlap count as an overlap
///
/// Allocates nothing but, on hosts, a packed copy of up to 256 bytes of each row of X if columns are not adjacent (of
/// one X or, if several fit in 512 KiB for each thread, of several), and what BatchPlan::prepare() builds. If memory
/// runs out, it throws std::bad_alloc, or what Kokkos throws for it, and Y is unchanged.
///
/// Cost: a read of each set of values, each X and each Y, and a write of each Y; the pattern is small enough to stay in
/// cache. It is fast if the columns of X are adjacent (LayoutRight) and, on GPUs, if all rows of X and Y begin at
/// multiples of 16 bytes. Transposed products read values in another order than they are stored.
template <Impl::KokkosExecutionSpace Exec, class PlanExec, class Alpha, class Values, class XView, class Beta,
          class YView>
void spmm_batch(const Exec& exec, const BatchPlan<PlanExec>& plan, Mode mode, const Alpha& alpha, const Values& values,
                const XView& X, const Beta& beta, const YView& Y) {
  static_assert(Kokkos::is_view_v<Values> && Kokkos::is_view_v<XView> && Kokkos::is_view_v<YView>,
                "Tessera::spmm_batch: values, X and Y are Kokkos::Views");
  static_assert(Values::rank() == 1 || Values::rank() == 2, "Tessera::spmm_batch: values have rank 2, or 1 if shared");
  static_assert(XView::rank() == 2 || XView::rank() == 3, "Tessera::spmm_batch: X has rank 3, or 2 if shared");
  static_assert(YView::rank() == 3, "Tessera::spmm_batch: Y has rank 3");
  using Value = typename YView::non_const_value_type;
  using Scalar = Impl::kernel_scalar_t<Value>;
  static_assert(std::is_same_v<Exec, PlanExec>, "Tessera::spmm_batch: the execution space must be that of the plan");
  static_assert(!std::is_const_v<typename YView::value_type>, "Tessera::spmm_batch: Y must not be const");
  static_assert(Impl::KernelScalar<Value>::supported && !Impl::is_half_v<Scalar>,
                "Tessera::spmm_batch: Y is of float, double or a complex of these");
  static_assert(std::is_same_v<Scalar, Impl::kernel_scalar_t<typename XView::value_type>> &&
                    std::is_same_v<Scalar, Impl::kernel_scalar_t<typename Values::value_type>>,
                "Tessera::spmm_batch: values, X and Y must have the same value type");
  static_assert(!Impl::KernelScalar<Value>::supported || Impl::is_half_v<Scalar> || Impl::is_compiled_v<Scalar>,
                "Tessera::spmm_batch: this Tessera was configured without the type of Y (TESSERA_SCALARS)");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Values::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename XView::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename YView::memory_space>::accessible,
                "Tessera::spmm_batch: values, X and Y must be accessible from the execution space");
  const Value a(alpha), b(beta);
  const auto x = Impl::multivector_batch("X", X);
  Impl::MultivectorBatch<const Scalar> const_x;
  const_x.first = {x.first.data, x.first.rows, x.first.columns, x.first.row_stride, x.first.column_stride};
  const_x.stride = x.stride;
  const_x.count = x.count;
  const_x.is_shared = x.is_shared;
  Impl::Access::state(plan).template multiply<Scalar>(exec, mode, std::bit_cast<Scalar>(a), Impl::value_batch(values),
                                                      const_x, std::bit_cast<Scalar>(b),
                                                      Impl::multivector_batch("Y", Y));
}

/// Computes Y_b = A_b X_b for all products b of a batch.
template <Impl::KokkosExecutionSpace Exec, class PlanExec, class Values, class XView, class YView>
void spmm_batch(const Exec& exec, const BatchPlan<PlanExec>& plan, const Values& values, const XView& X,
                const YView& Y) {
  spmm_batch(exec, plan, Mode::NoTranspose, 1, values, X, 0, Y);
}

/// Computes Y_b = alpha op(A_b) X_b + beta Y_b on the default instance.
template <class PlanExec, class Alpha, class Values, class XView, class Beta, class YView>
void spmm_batch(const BatchPlan<PlanExec>& plan, Mode mode, const Alpha& alpha, const Values& values, const XView& X,
                const Beta& beta, const YView& Y) {
  Impl::Access::state(plan);  // Kokkos aborts a program that makes an instance after it has ended
  spmm_batch(PlanExec(), plan, mode, alpha, values, X, beta, Y);
}
/// Computes Y_b = A_b X_b on the default instance.
template <class PlanExec, class Values, class XView, class YView>
void spmm_batch(const BatchPlan<PlanExec>& plan, const Values& values, const XView& X, const YView& Y) {
  spmm_batch(plan, Mode::NoTranspose, 1, values, X, 0, Y);
}

}  // namespace Tessera
