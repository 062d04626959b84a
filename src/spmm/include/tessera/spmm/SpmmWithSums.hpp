// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/spmm/Spmm.hpp>
#include <type_traits>

/// Products that also compute inner products or norms of their result, which block solvers need next.
///
/// They are for plans of float or double; complex plans do not have them. X, Y, B and R are Kokkos::Views of rank 1 or
/// 2 and any layout, as for spmm(), or TallBlocks with adjacent columns. Sums are those of this process: a solver on
/// several ranks adds them up. Rows that are NaN or infinite make sums that are not finite.
///
/// The same operands give the same bits in every run and for any number of threads; Y has the bits of spmm(). Each call
/// waits once, for its sums. It allocates when a workspace has to grow.
///
/// On a host, a plan in compressed rows in their own order sums each piece of Y while it is in cache, where that pays
/// and columns are adjacent (LayoutRight): inner products of 4 to 32 columns if X and Y take 16 MiB or more together,
/// norms of 8 to 128 columns. Everything else, and devices, compute the product and then the sums. For the sums,
/// operands whose columns are not adjacent are copied to the dense workspace, which then needs their memory again.
namespace Tessera {

/// The inner products of a product Y = alpha op(A) X + beta Y: square matrices with a row for each column of Y. Empty
/// ones are not computed.
template <class Scalar>
struct InnerProducts {
  SmallMatrix<Scalar> XtY = {};  ///< X^T Y; op(A) has to be square
  SmallMatrix<Scalar> YtY = {};  ///< Y^T Y
};

namespace Impl {

/// A View or a block as the kernels see it.
template <class View>
auto operand(const char* name, const View& view) {
  return multivector(name, view);
}
template <class Scalar>
Multivector<Scalar> operand(const char* name, const TallBlock<Scalar>& block) {
  for (Ordinal j = 1; j < block.columns; ++j) {
    if (block.place(j) == block.place(0) + j) continue;
    throw std::invalid_argument(std::string("Tessera: the column list of ") + name + " has " +
                                std::to_string(block.place(j)) + " at place " + std::to_string(j) +
                                "; expected adjacent columns, as products have no lists");
  }
  return {block.data + (block.rows > 0 && block.columns > 0 ? block.place(0) : 0), block.rows, block.columns,
          block.row_stride, 1};
}

template <class Scalar>
Multivector<const Scalar> to_read(const Multivector<Scalar>& v) {
  return {v.data, v.rows, v.columns, v.row_stride, v.column_stride};
}

/// The type of the elements of a View or a TallBlock.
template <class Operand>
using element_t = std::remove_pointer_t<decltype(operand("", std::declval<const Operand&>()).data)>;

template <class ExecutionSpace, class PlanType, class X, class Y>
constexpr void check_types() {
  using Element = element_t<Y>;
  static_assert(std::is_same_v<ExecutionSpace, typename PlanType::execution_space>,
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

}  // namespace Impl

/// Y = alpha op(A) X + beta Y, with X^T Y, Y^T Y or both.
///
/// ```{.cpp}
///   std::vector<double> rho(k * k);
///   Tessera::spmm_with_inner_products(exec, plan, work, dense_work, Tessera::Mode::NoTranspose, 1, P, 0, Q,
///                                     {.XtY = {rho.data(), k, k, k}});  // P^T A P of conjugate gradients
/// ```
///
/// \param work        [in,out] as for spmm()
/// \param dense_work  [in,out] one for each instance
/// \param sums        [out] host memory, at least one of the two
/// \throws std::invalid_argument as spmm(), and if a result does not fit. Y is then as it was
///
/// Cost on top of spmm(): 2 k flops for each element of Y and result, half of that for YtY; no pass over memory where
/// rows are summed in cache, otherwise one over X and Y.
template <class ExecutionSpace, class PlanType, class Alpha, class XType, class Beta, class YType>
void spmm_with_inner_products(const ExecutionSpace& exec, const PlanType& plan, Workspace<ExecutionSpace>& work,
                              const DenseWorkspace<ExecutionSpace>& dense_work, Mode mode, const Alpha& alpha,
                              const XType& X, const Beta& beta, const YType& Y,
                              const InnerProducts<Impl::element_t<YType>>& sums) {
  Impl::check_types<ExecutionSpace, PlanType, XType, YType>();
  using Scalar = Impl::element_t<YType>;
  plan.state().template apply_with_inner_products<Scalar>(
      exec, work, dense_work, mode, static_cast<Scalar>(alpha), Impl::to_read(Impl::operand("X", X)),
      static_cast<Scalar>(beta), Impl::operand("Y", Y), sums.XtY, sums.YtY);
}

/// R = B - op(A) X and squared_norms[j] = r_j . r_j for each column.
///
/// \param B             [in] shape of R; either disjoint from R, or R itself, which is then overwritten in place
/// \param squared_norms [out] host memory, one for each column. Squares overflow for elements above the square root of
///                            the largest number, and underflow below that of the smallest
/// \throws std::invalid_argument as spmm(), where Y is called R, and if B or squared_norms do not fit. R is then as it
///         was
///
/// Cost on top of spmm(): a pass over B and 2 flops for each element of R; without pieces (see above), passes over R
/// too.
template <class ExecutionSpace, class PlanType, class XType, class BType, class RType>
void residual(const ExecutionSpace& exec, const PlanType& plan, Workspace<ExecutionSpace>& work,
              const DenseWorkspace<ExecutionSpace>& dense_work, Mode mode, const XType& X, const BType& B,
              const RType& R, Impl::element_t<RType>* squared_norms) {
  Impl::check_types<ExecutionSpace, PlanType, XType, RType>();
  Impl::check_types<ExecutionSpace, PlanType, BType, RType>();
  using Scalar = Impl::element_t<RType>;
  plan.state().template residual<Scalar>(exec, work, dense_work, mode, Impl::to_read(Impl::operand("X", X)),
                                         Impl::to_read(Impl::operand("B", B)), Impl::operand("R", R), squared_norms);
}

}  // namespace Tessera
