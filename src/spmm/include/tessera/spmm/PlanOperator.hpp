// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Mode.hpp>
#include <tessera/spmm/SpmmWithSums.hpp>
#include <tessera/spmm/Workspaces.hpp>
#include <utility>

namespace Tessera {

/// An operator for block solvers: a plan of floats or doubles with the memory of its products. It is a callable that
/// computes Y = op(A) X, and has members that add inner products or norms in the same pass.
///
/// ```{.cpp}
///   const Tessera::PlanOperator A(exec, Tessera::make_plan(exec, matrix));
///   A(X, Y);                                                           // Y = A X
///   A.multiply_with_inner_products(P, Q, {rho.data(), k, k, k});       // Q = A P, rho = P^T Q
///   A.residual(X, B, R, squared_norms.data());                         // R = B - A X
/// ```
///
/// Operands are those of SpmmWithSums.hpp. Workspaces grow with the number of columns and never shrink. Calls of an
/// operator run one after the other on its instance; two at the same time need two operators, which may share a plan.
template <class PlanType>
class PlanOperator {
 public:
  using plan_type = PlanType;                                  ///< the plan
  using execution_space = typename PlanType::execution_space;  ///< where products run

  /// \param mode [in] selects op(A)
  PlanOperator(const execution_space& exec, PlanType plan, Mode mode = Mode::NoTranspose)
      : exec_(exec), plan_(std::move(plan)), mode_(mode) {}

  const PlanType& plan() const { return plan_; }             ///< the plan; copies share its values, and update them
  const execution_space& instance() const { return exec_; }  ///< the instance that products run on
  Mode mode() const { return mode_; }                        ///< selects op(A)
  /// Rows of op(A).
  Ordinal rows() const { return is_transposed(mode_) ? plan_.columns() : plan_.rows(); }
  /// Columns of op(A).
  Ordinal columns() const { return is_transposed(mode_) ? plan_.rows() : plan_.columns(); }

  /// Y = op(A) X. Does not wait.
  template <class XType, class YType>
  void operator()(const XType& X, const YType& Y) const {
    Impl::check_types<execution_space, PlanType, XType, YType>();
    using Scalar = Impl::element_t<YType>;
    const auto x = Impl::operand("X", X);
    plan_.state().template apply<Scalar>(exec_, workspace(x.columns), mode_, Scalar(1), Impl::to_read(x), Scalar(0),
                                         Impl::operand("Y", Y));
  }

  /// Q = op(A) P and PtQ = P^T Q; op(A) is square. Waits once. See spmm_with_inner_products().
  template <class PType, class QType>
  void multiply_with_inner_products(const PType& P, const QType& Q,
                                    const SmallMatrix<Impl::element_t<QType>>& PtQ) const {
    spmm_with_inner_products(exec_, plan_, workspace(Impl::operand("P", P).columns), dense_workspace_, mode_, 1, P, 0,
                             Q, {.XtY = PtQ});
  }

  /// R = B - op(A) X and the squares of the norms of its columns. Waits once. See Tessera::residual().
  template <class XType, class BType, class RType>
  void residual(const XType& X, const BType& B, const RType& R, Impl::element_t<RType>* squared_norms) const {
    Tessera::residual(exec_, plan_, workspace(Impl::operand("X", X).columns), dense_workspace_, mode_, X, B, R,
                      squared_norms);
  }

 private:
  Workspace<execution_space>& workspace(Ordinal columns) const { return workspaces_.get(exec_, plan_, mode_, columns); }

  execution_space exec_;
  mutable PlanType plan_;  // prepare() makes the transpose
  Mode mode_;
  mutable Workspaces<execution_space> workspaces_;
  DenseWorkspace<execution_space> dense_workspace_;
};

}  // namespace Tessera
