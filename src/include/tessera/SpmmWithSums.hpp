// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/dense/SmallMatrixView.hpp>
#include <type_traits>

/// Products that also compute inner products or norms of their result, which block solvers need next.
///
/// They exist for plans of float or double, not for complex plans. X, Y, B and R are Kokkos::Views of rank 1 or 2 and
/// any layout, as for spmm(). Sums are over the rows of this process: a solver on several ranks adds them up. If a row
/// has NaN or infinite elements, sums are not finite.
///
/// The same operands give the same bits in every run and for any number of threads; Y has the bits of spmm(). Each call
/// waits once, for its sums. It allocates memory if the workspace has too little for the sums.
///
/// On a host, each piece of Y is summed while it is in cache if the plan has compressed rows in the order of A and if X
/// and Y are row-major (LayoutRight). This is done for inner products of 4 to 32 columns if X and Y together take 16
/// MiB or more, and for norms of 8 to 128 columns. In all other cases the sums are computed after the product. Operands
/// that are not row-major are first copied to the workspace, which needs memory for the copies.
namespace Tessera {

/// The inner products that a product Y = alpha op(A) X + beta Y also computes: square column-major matrices in host
/// memory, with a row for each column of Y. Matrices that are empty are not computed.
template <class Scalar>
struct InnerProducts {
  /// Any Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::HostSpace> converts to it.
  using Matrix = Impl::SmallMatrixView<Scalar>;

  Matrix XtY = {};  ///< X^T Y; op(A) has to be square
  Matrix YtY = {};  ///< Y^T Y
};

namespace Impl {

template <class Scalar>
Multivector<const Scalar> to_read(const Multivector<Scalar>& v) {
  return {v.data, v.rows, v.columns, v.row_stride, v.column_stride};
}

/// The element type of a View, const or not, in the form that kernels use.
template <class View>
using element_t = std::remove_pointer_t<decltype(multivector("", std::declval<const View&>()).data)>;

template <class Exec, class PlanType, class X, class Y>
constexpr void check_types() {
  using Element = element_t<Y>;
  static_assert(std::is_same_v<Exec, typename PlanType::execution_space>,
                "Tessera: the execution space must be that of the plan");
  static_assert(!std::is_const_v<Element>, "Tessera: what a product writes must not be const");
  static_assert(std::is_floating_point_v<Element>,
                "Tessera: products with sums are for float and double, not for complex numbers or 16 bits");
  static_assert(std::is_same_v<Element, std::remove_const_t<element_t<X>>>,
                "Tessera: all operands must have the same value type");
  static_assert(multiplies_v<kernel_scalar_t<typename PlanType::scalar_type>, Element>,
                "Tessera: operands must have the plan's scalar type, or be double where the plan is float");
  static_assert(is_compiled_v<Element>,
                "Tessera: this Tessera was configured without the type of the operands (TESSERA_SCALARS)");
}

/// Converts a View of a small matrix to the type that compiled functions take.
template <class Matrix>
auto small_matrix(const Matrix& C) {
  return SmallMatrix<typename Matrix::value_type>{C.data(), static_cast<Ordinal>(C.extent(0)),
                                                  static_cast<Ordinal>(C.extent(1)),
                                                  static_cast<std::ptrdiff_t>(C.stride(1))};
}

/// Checks the View for the norms of a residual, and returns its elements.
template <class Scalar, class Norms>
Scalar* norms_of(const Norms& squared_norms, Ordinal columns) {
  static_assert(Kokkos::is_view_v<Norms> && Norms::rank() == 1,
                "Tessera::residual: squared_norms is a rank-1 Kokkos::View");
  static_assert(std::is_same_v<typename Norms::value_type, Scalar>,
                "Tessera::residual: squared_norms must have the value type of R");
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Norms::memory_space>::accessible,
                "Tessera::residual: squared_norms must be accessible from the host");
  if (squared_norms.extent(0) != static_cast<std::size_t>(columns)) {
    throw std::invalid_argument("Tessera::residual: squared_norms has " + std::to_string(squared_norms.extent(0)) +
                                " elements; expected " + std::to_string(columns) + ", the columns of R");
  }
  if (!squared_norms.span_is_contiguous())
    throw std::invalid_argument("Tessera::residual: squared_norms must be contiguous");
  return squared_norms.data();
}

}  // namespace Impl

/// Computes Y = alpha op(A) X + beta Y, and X^T Y, Y^T Y or both.
///
/// ```{.cpp}
///   Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> rho("rho", k, k);
///   Tessera::spmm_with_inner_products(exec, plan, work, Tessera::Mode::NoTranspose, 1, P, 0, Q, {.XtY = rho});
///   // rho = P^T A P of conjugate gradients
/// ```
///
/// \param work [in,out] as for spmm()
/// \param sums [out] at least one of the two matrices
/// \throws std::invalid_argument as spmm(), and if a result does not fit. Y is then unchanged
///
/// Cost in addition to spmm(): for each result 2 k flops per element of Y, half of that for YtY; one pass over X and Y,
/// unless rows are summed in cache.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, class Alpha, class XType, class Beta,
          class YType>
void spmm_with_inner_products(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Workspace<Exec>& work, Mode mode,
                              const Alpha& alpha, const XType& X, const Beta& beta, const YType& Y,
                              const InnerProducts<Impl::element_t<YType>>& sums) {
  Impl::check_types<Exec, Plan<Scalar, PlanExec>, XType, YType>();
  using Element = Impl::element_t<YType>;
  Impl::Access::state(plan).template apply_with_inner_products<Element>(
      exec, work, mode, static_cast<Element>(alpha), Impl::to_read(Impl::multivector("X", X)),
      static_cast<Element>(beta), Impl::multivector("Y", Y), Impl::small_matrix(sums.XtY),
      Impl::small_matrix(sums.YtY));
}
/// Does the same in scratch memory that the plan keeps, like spmm() without a workspace.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, class Alpha, class XType, class Beta,
          class YType>
void spmm_with_inner_products(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Mode mode, const Alpha& alpha,
                              const XType& X, const Beta& beta, const YType& Y,
                              const InnerProducts<Impl::element_t<YType>>& sums) {
  Impl::check_types<Exec, Plan<Scalar, PlanExec>, XType, YType>();
  Impl::BorrowedWorkspace work(Impl::Access::state(plan), exec, mode, Impl::multivector("X", X).columns);
  spmm_with_inner_products(exec, plan, work.get(), mode, alpha, X, beta, Y, sums);
}

/// Computes R = B - op(A) X and, for each column, squared_norms(j) = r_j . r_j.
///
/// \param B             [in] same shape as R; disjoint from R, or R itself, which is then updated in place
/// \param squared_norms [out] a rank-1 View in host memory, an element for each column. Squares overflow for elements
///                            above the square root of the largest number, and underflow below that of the smallest
/// \throws std::invalid_argument as spmm(), with R for Y, and if B or squared_norms do not fit. R is then unchanged
///
/// Cost in addition to spmm(): a pass over B and 2 flops per element of R; passes over R, too, unless rows are summed
/// in cache.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, class XType, class BType, class RType,
          class Norms>
void residual(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Workspace<Exec>& work, Mode mode, const XType& X,
              const BType& B, const RType& R, const Norms& squared_norms) {
  Impl::check_types<Exec, Plan<Scalar, PlanExec>, XType, RType>();
  Impl::check_types<Exec, Plan<Scalar, PlanExec>, BType, RType>();
  using Element = Impl::element_t<RType>;
  const auto r = Impl::multivector("R", R);
  Impl::Access::state(plan).template residual<Element>(exec, work, mode, Impl::to_read(Impl::multivector("X", X)),
                                                       Impl::to_read(Impl::multivector("B", B)), r,
                                                       Impl::norms_of<Element>(squared_norms, r.columns));
}
/// Does the same in scratch memory that the plan keeps, like spmm() without a workspace.
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec, class XType, class BType, class RType,
          class Norms>
void residual(const Exec& exec, const Plan<Scalar, PlanExec>& plan, Mode mode, const XType& X, const BType& B,
              const RType& R, const Norms& squared_norms) {
  Impl::check_types<Exec, Plan<Scalar, PlanExec>, XType, RType>();
  Impl::BorrowedWorkspace work(Impl::Access::state(plan), exec, mode, Impl::multivector("X", X).columns);
  residual(exec, plan, work.get(), mode, X, B, R, squared_norms);
}

}  // namespace Tessera
