// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../condensed/Launch.cuh"
#include "Kernel.cuh"

namespace Tessera::Cuda {

/// Columns first, first + 1, ..., last - 1 of a product.
template <class Kind, class Policy, int access, class Offset, class Scalar>
void launch_brp_columns(Stream stream, BrpArguments<Offset, Scalar> arguments, Ordinal first, Ordinal last) {
  CondensedArguments<Offset, Scalar, Scalar>& windows = arguments.windows;
  if (first == last || windows.schedule.item_count == 0) return;
  choose_columns<Kind::precision>(windows, first, last);
  windows.slabs = slab_count(last - first, Policy::columns);
  const unsigned blocks = launch_count(std::size_t(window_count(windows.schedule.item_count, Policy::block_warps)) *
                                       static_cast<unsigned>(windows.slabs));
  launch("brp_kernel", brp_kernel<Kind, Policy, access, Offset, Scalar>, blocks, 32 * Policy::block_warps, 0, stream,
         arguments);
}

template <class Kind, class Policy, class Offset, class Scalar>
void launch_brp_part(Stream stream, const BrpArguments<Offset, Scalar>& arguments) {
  using Operands = CondensedOperands<Kind::precision, Scalar, Policy::columns, Policy::reads>;
  constexpr int vector = Operands::Elements::vector;
  const Ordinal columns = arguments.windows.product.y.columns;
  const Ordinal wide = vector_columns<Operands>(arguments.windows.product, vector);
  launch_brp_columns<Kind, Policy, vector>(stream, arguments, 0, wide);
  launch_brp_columns<Kind, NarrowBrpPolicy<Policy>, 1>(stream, arguments, wide, columns);
  launch_piece_sums(stream, arguments.windows, arguments.A.window_rows());
}

/// A whole product with a given policy. Needs product.x.column_stride == 1 and, if the schedule has slots, partials.
template <class Kind, class Policy, class Offset, class Scalar>
void launch_brp(Stream stream, BrpArguments<Offset, Scalar> arguments) {
  if constexpr (Policy::residual == BrpResidual::SecondKernel) {
    launch_brp_part<typename Kind::template with_part<BrpPart::Groups>, Policy>(stream, arguments);
    arguments.windows.product.beta = 1;
    launch_brp_part<typename Kind::template with_part<BrpPart::Residual>, Policy>(stream, arguments);
  } else {
    launch_brp_part<Kind, Policy>(stream, arguments);
  }
}

}  // namespace Tessera::Cuda
