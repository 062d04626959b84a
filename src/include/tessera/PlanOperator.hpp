// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Mode.hpp>
#include <tessera/SpmmWithSums.hpp>
#include <utility>

namespace Tessera {

/// An operator for block solvers: a plan, an instance and a mode. Calling it computes Y = op(A) X. Its members also
/// compute inner products or norms in the same pass.
///
/// ```{.cpp}
///   const Tessera::PlanOperator A(exec, Tessera::make_plan(exec, matrix));
///   A(X, Y);                                      // Y = A X
///   A.multiply_with_inner_products(P, Q, rho);    // Q = A P, rho = P^T Q
///   A.residual(X, B, R, squared_norms);           // R = B - A X
/// ```
///
/// It uses scratch memory of the plan, like spmm() without a workspace. Several host threads may use one operator.
template <class Scalar, class Exec = Kokkos::DefaultExecutionSpace>
class PlanOperator {
 public:
  using plan_type = Plan<Scalar, Exec>;  ///< the type of the plan
  using execution_space = Exec;          ///< where products run

  /// \param mode [in] selects op(A)
  PlanOperator(const Exec& exec, plan_type plan, Mode mode = Mode::NoTranspose)
      : exec_(exec), plan_(std::move(plan)), mode_(mode) {}

  const plan_type& plan() const { return plan_; }  ///< the plan; copies share its values and updates
  const Exec& instance() const { return exec_; }   ///< the instance that products run on
  Mode mode() const { return mode_; }              ///< selects op(A)
  /// Returns the rows of op(A).
  int rows() const { return Impl::is_transposed(mode_) ? plan_.columns() : plan_.rows(); }
  /// Returns the columns of op(A).
  int columns() const { return Impl::is_transposed(mode_) ? plan_.rows() : plan_.columns(); }

  /// Computes Y = op(A) X. Does not wait. X and Y are those of spmm().
  template <Impl::VectorsView XView, Impl::VectorsView YView>
  void operator()(const XView& X, const YView& Y) const {
    spmm(exec_, plan_, mode_, 1, X, 0, Y);
  }

  /// Computes Q = op(A) P and PtQ = P^T Q; op(A) is square. Waits once. See spmm_with_inner_products().
  ///
  /// \param PtQ [out] a View that converts to InnerProducts::Matrix
  template <class PType, class QType>
  void multiply_with_inner_products(const PType& P, const QType& Q,
                                    const typename InnerProducts<Impl::element_t<QType>>::Matrix& PtQ) const {
    spmm_with_inner_products(exec_, plan_, mode_, 1, P, 0, Q, {.XtY = PtQ});
  }

  /// Computes R = B - op(A) X and the squared norms of its columns. Waits once. See Tessera::residual().
  template <class XType, class BType, class RType, class Norms>
  void residual(const XType& X, const BType& B, const RType& R, const Norms& squared_norms) const {
    Tessera::residual(exec_, plan_, mode_, X, B, R, squared_norms);
  }

 private:
  Exec exec_;
  plan_type plan_;
  Mode mode_;
};

}  // namespace Tessera
