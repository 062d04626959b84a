// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/common/CompiledTypes.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/dense/SmallMatrixView.hpp>
#include <tessera/parallel/OneQueue.hpp>
#include <type_traits>

namespace Tessera {

template <class Scalar>
struct BlockCgOptions;
struct BlockCgResult;
template <class ExecutionSpace, class Scalar>
class BlockCgWorkspace;

namespace Impl {

/// The operators of block_cg() as functions of raw blocks, so the method is compiled once and not for each type of user
/// function. Blocks have no gaps between their rows.
template <class Scalar>
struct BlockCgOperators {
  using Input = TallBlock<const Scalar>;
  using Output = TallBlock<Scalar>;

  std::function<void(const Input& P, const Output& Q)> multiply;
  /// Empty if the operator does not compute inner products.
  std::function<void(const Input& P, const Output& Q, const SmallMatrix<Scalar>& PtQ)> multiply_with_inner_products;
  /// Empty if there is no preconditioner.
  std::function<void(const Input& R, const Output& Z)> precondition;
};

/// The type of a missing preconditioner.
struct NoPreconditioner {};

/// The Views that user functions are given.
template <class ExecutionSpace, class Scalar>
using BlockView =
    Kokkos::View<Scalar**, Kokkos::LayoutRight, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class ExecutionSpace, class Scalar>
BlockView<ExecutionSpace, Scalar> block_view(const TallBlock<Scalar>& block) {
  return BlockView<ExecutionSpace, Scalar>(block.data, block.rows, block.columns);
}

template <class Multiply, class ExecutionSpace, class Scalar>
concept GivesInnerProducts = requires(Multiply& multiply, const BlockView<ExecutionSpace, const Scalar>& P,
                                      const BlockView<ExecutionSpace, Scalar>& Q, const SmallMatrixView<Scalar>& PtQ) {
  multiply.multiply_with_inner_products(P, Q, PtQ);
};

template <class Operator, class ExecutionSpace>
concept SaysItsInstance = requires(Operator& op) {
  requires std::is_same_v<std::remove_cvref_t<decltype(op.instance())>, ExecutionSpace>;
};

/// Throws if an operator runs on another queue: it would read blocks before they are computed.
template <class ExecutionSpace, class Operator>
void check_instance(const char* name, const ExecutionSpace& exec, Operator& op) {
  if constexpr (SaysItsInstance<Operator, ExecutionSpace>) {
    if (are_one_queue(op.instance(), exec)) return;
    throw std::invalid_argument("Tessera::block_cg: `" + std::string(name) + "` runs on another instance of " +
                                ExecutionSpace::name() + " than `exec`; expected one whose work runs in order with it");
  }
}

/// Wraps user functions as functions of raw blocks. The result refers to both arguments, which must outlive it.
template <class ExecutionSpace, class Scalar, class Multiply, class Precondition>
BlockCgOperators<Scalar> block_cg_operators(Multiply& multiply, Precondition& precondition) {
  using Operators = BlockCgOperators<Scalar>;
  using Input = typename Operators::Input;
  using Output = typename Operators::Output;
  Operators operators;
  if constexpr (GivesInnerProducts<Multiply, ExecutionSpace, Scalar>) {
    operators.multiply_with_inner_products = [&multiply](const Input& P, const Output& Q,
                                                         const SmallMatrix<Scalar>& PtQ) {
      multiply.multiply_with_inner_products(block_view<ExecutionSpace>(P), block_view<ExecutionSpace>(Q),
                                            SmallMatrixView<Scalar>(PtQ.data, PtQ.rows, PtQ.columns));
    };
  }
  operators.multiply = [&multiply](const Input& P, const Output& Q) {
    multiply(block_view<ExecutionSpace>(P), block_view<ExecutionSpace>(Q));
  };
  if constexpr (!std::is_same_v<std::remove_cv_t<Precondition>, NoPreconditioner>) {
    operators.precondition = [&precondition](const Input& R, const Output& Z) {
      precondition(block_view<ExecutionSpace>(R), block_view<ExecutionSpace>(Z));
    };
  }
  return operators;
}

/// Returns a View of rank 1 or 2 and any layout as a multivector.
template <class ExecutionSpace, class Element, class View>
Multivector<Element> block_cg_argument(const char* name, const View& view) {
  using Scalar = std::remove_const_t<Element>;
  static_assert(View::rank() == 1 || View::rank() == 2, "Tessera::block_cg: B and X are Kokkos::Views of rank 1 or 2");
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "Tessera::block_cg: X is of float or double");
  static_assert(std::is_same_v<Scalar, typename View::non_const_value_type>,
                "Tessera::block_cg: B and X must have the same value type");
  static_assert(std::is_const_v<Element> || !std::is_const_v<typename View::value_type>,
                "Tessera::block_cg: X must not be const");
  static_assert(is_compiled_v<Scalar>,
                "Tessera::block_cg: this Tessera was configured without the type of B and X (TESSERA_SCALARS)");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename View::memory_space>::accessible,
                "Tessera::block_cg: B and X must be accessible from the execution space");
  std::size_t columns = 1;
  if constexpr (View::rank() == 2) columns = view.extent(1);
  constexpr std::size_t most = std::numeric_limits<Ordinal>::max();
  if (view.extent(0) > most || columns > most) {
    throw std::invalid_argument("Tessera::block_cg: " + std::string(name) + " is " + std::to_string(view.extent(0)) +
                                " x " + std::to_string(columns) + "; expected less than 2^31 rows and columns");
  }
  Multivector<Element> result;
  result.data = view.data();
  result.rows = static_cast<Ordinal>(view.extent(0));
  result.columns = static_cast<Ordinal>(columns);
  result.row_stride = static_cast<std::ptrdiff_t>(view.stride(0));
  if constexpr (View::rank() == 2) result.column_stride = static_cast<std::ptrdiff_t>(view.stride(1));
  return result;
}

/// Runs the method on raw blocks. Compiled for float and double on every backend.
template <class ExecutionSpace, class Scalar>
BlockCgResult solve_by_block_cg(const ExecutionSpace& exec, const BlockCgOperators<Scalar>& operators,
                                const Multivector<const Scalar>& B, const Multivector<Scalar>& X,
                                const BlockCgOptions<Scalar>& options,
                                const BlockCgWorkspace<ExecutionSpace, Scalar>& workspace);

}  // namespace Impl
}  // namespace Tessera
