// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/Plan.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/spmm/impl/BorrowedWorkspace.hpp>
#include <type_traits>

namespace Tessera {

namespace Impl {

/// Converts a View of rank 1 or 2 and any layout to the type that kernels use.
template <class View>
auto multivector(const char* name, const View& view) {
  static_assert(VectorsView<View>, "Tessera: X and Y are Kokkos::Views of rank 1 or 2");
  using Value = kernel_scalar_t<typename View::value_type>;
  using Element = std::conditional_t<std::is_const_v<typename View::value_type>, const Value, Value>;
  const std::size_t rows = view.extent(0);
  const std::size_t columns = View::rank() == 2 ? view.extent(1) : 1;
  if (rows > std::size_t(std::numeric_limits<int>::max()) || columns > std::size_t(std::numeric_limits<int>::max())) {
    throw std::invalid_argument(std::string("Tessera::spmm: ") + name + " has more than 2^31 - 1 rows or columns");
  }
  Multivector<Element> result;
  result.data = reinterpret_cast<Element*>(view.data());
  result.rows = static_cast<int>(rows);
  result.columns = static_cast<int>(columns);
  result.row_stride = static_cast<std::ptrdiff_t>(view.stride(0));
  if constexpr (View::rank() == 2) result.column_stride = static_cast<std::ptrdiff_t>(view.stride(1));
  return result;
}

/// Returns the default instance for a product of this plan. Checks the plan first, because Kokkos ends a program that
/// makes an instance after Kokkos::finalize().
template <class Scalar, class Exec>
Exec default_instance(const Plan<Scalar, Exec>& plan) {
  Access::state(plan);
  return Exec();
}

}  // namespace Impl

/// Computes Y = alpha op(A) X + beta Y on the instance `exec`.
///
/// X has one row for each column of op(A), and Y one for each row. Both have the same number of columns. Each has rank
/// 1 or 2, and LayoutLeft, LayoutRight or LayoutStride. beta = 0 overwrites Y, which may then hold anything, NaN
/// included. alpha = 0 reads neither A nor X.
///
/// Sums have the type of Y or the plan's precision; if Y has 16 bits, sums, alpha and beta are float. The order of
/// summation depends on the matrix, and on the format and the kernels of the plan (Plan::explain). A column of Y has
/// the same bits in every run, whatever the other columns of X are, and for any number of threads. A column without
/// others may have other bits on a GPU, unless PlanOptions::same_bits_alone. On a GPU the choice of kernels, and the
/// pieces that long rows are cut into, depend on PlanHints::num_vectors and on the memory that is free when the plan is
/// made.
///
/// Formats agree within rounding if alpha and beta are finite. If alpha is infinite, the elements of Y that become NaN
/// depend on the format, because some formats add alpha times a part of a row at a time.
///
/// \param exec  [in]     the instance to run on; the call does not wait for it
/// \param plan  [in]     from make_plan()
/// \param work  [in,out] from plan.prepare() for the same mode, instance and at least as many columns
/// \param alpha [in]     a number that converts to the type of sums
/// \param X     [in]     its value type is that of the plan. A float plan also takes double and, with
///                       PlanOptions::half_vectors, Tessera::Half, BFloat16, Kokkos::Experimental::half_t and bhalf_t
/// \param beta  [in]     as alpha
/// \param Y     [in,out] its value type is that of X; must not overlap X
/// \throws std::invalid_argument if extents, mode, instance or workspace do not fit, naming both sides; if X or Y has
///         elements but no memory; if X and Y overlap; if they have 16 bits and the plan was made without
///         PlanOptions::half_vectors. Y is then unchanged. The check for overlaps is exact if the ranges of bytes are
///         disjoint or the strides are equal; ranges that overlap with different strides count as an overlap
///
/// Allocates nothing and does not wait, but for the products before which the plan is analysed and built, and the next
/// one with each older workspace (PlanOptions::format). On Kokkos::Cuda it can be captured after a first product of the
/// same kind, which loads the kernels. Cost: one pass over the format and over Y, and a gather of rows of X. A
/// LayoutLeft X is copied to row-major order during the product if that is faster.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, class Alpha, Impl::VectorsView XView,
          class Beta, Impl::VectorsView YView>
void spmm(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Workspace<Exec>& work, Mode mode, const Alpha& alpha,
          const XView& X, const Beta& beta, const YView& Y) {
  using Value = typename YView::non_const_value_type;
  using VectorScalar = Impl::kernel_scalar_t<Value>;
  static_assert(std::is_same_v<Exec, PlanExec>, "Tessera::spmm: the execution space must be that of the plan");
  static_assert(!std::is_const_v<typename YView::value_type>, "Tessera::spmm: Y must not be const");
  static_assert(std::is_same_v<VectorScalar, Impl::kernel_scalar_t<typename XView::value_type>>,
                "Tessera::spmm: X and Y must have the same value type");
  static_assert(Impl::multiplies_v<Impl::kernel_scalar_t<Scalar>, VectorScalar>,
                "Tessera::spmm: X and Y must have the plan's scalar type, or be double or of 16 bits where the plan is "
                "float");
  static_assert(!Impl::KernelScalar<Value>::supported || Impl::is_compiled_v<Impl::sum_of_t<VectorScalar>>,
                "Tessera::spmm: this Tessera was configured without the type of X and Y (TESSERA_SCALARS)");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename XView::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename YView::memory_space>::accessible,
                "Tessera::spmm: X and Y must be accessible from the execution space");
  using Sum = Impl::sum_of_t<VectorScalar>;
  using UserSum = std::conditional_t<Impl::is_half_v<VectorScalar>, float, Value>;
  const UserSum a(alpha), b(beta);
  const auto x = Impl::multivector("X", X);
  Impl::Multivector<const VectorScalar> const_x{x.data, x.rows, x.columns, x.row_stride, x.column_stride};
  Impl::Access::state(plan).template apply<VectorScalar>(exec, work, mode, std::bit_cast<Sum>(a), const_x,
                                                         std::bit_cast<Sum>(b), Impl::multivector("Y", Y));
}

/// Computes Y = A X with a workspace that Plan::prepare() made for Mode::NoTranspose.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, Impl::VectorsView XView,
          Impl::VectorsView YView>
void spmm(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Workspace<Exec>& work, const XView& X, const YView& Y) {
  spmm(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y);
}

/// Computes Y = alpha op(A) X + beta Y in scratch memory that the plan keeps and Plan::bytes() does not count.
///
/// The first product of an instance in a mode allocates that memory, and so does a product with more columns than any
/// before. The first transposed product also builds the transpose, as Plan::prepare() does. All other products allocate
/// nothing and do not wait. Several host threads may call this with one plan. Memory is kept for up to 16 pairs of
/// instance and mode; an instance must not be destroyed while its products run.
///
/// A product that is captured in a CUDA graph needs a Workspace that lives as long as the graph: use the overload
/// above.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, class Alpha, Impl::VectorsView XView,
          class Beta, Impl::VectorsView YView>
void spmm(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Mode mode, const Alpha& alpha, const XView& X,
          const Beta& beta, const YView& Y) {
  static_assert(std::is_same_v<Exec, PlanExec>, "Tessera::spmm: the execution space must be that of the plan");
  Impl::BorrowedWorkspace work(Impl::Access::state(plan), exec, mode, Impl::multivector("X", X).columns);
  spmm(exec, plan, work.get(), mode, alpha, X, beta, Y);
}
/// Computes Y = A X in scratch memory that the plan keeps.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, Impl::VectorsView XView,
          Impl::VectorsView YView>
void spmm(const Exec& exec, const Plan<Scalar, PlanExec>& plan, const XView& X, const YView& Y) {
  spmm(exec, plan, Mode::NoTranspose, 1, X, 0, Y);
}

/// Computes Y = alpha op(A) X + beta Y on the default instance, in scratch memory that the plan keeps.
template <class Scalar, class PlanExec, class Alpha, Impl::VectorsView XView, class Beta, Impl::VectorsView YView>
void spmm(const Plan<Scalar, PlanExec>& plan, Mode mode, const Alpha& alpha, const XView& X, const Beta& beta,
          const YView& Y) {
  spmm(Impl::default_instance(plan), plan, mode, alpha, X, beta, Y);
}
/// Computes Y = A X on the default instance, in scratch memory that the plan keeps.
template <class Scalar, class PlanExec, Impl::VectorsView XView, Impl::VectorsView YView>
void spmm(const Plan<Scalar, PlanExec>& plan, const XView& X, const YView& Y) {
  spmm(Impl::default_instance(plan), plan, X, Y);
}

}  // namespace Tessera
