// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <tessera/cuda/ReadableRows.hpp>

#include "../epilogue/PieceSums.cuh"
#include "Kernel.cuh"

namespace Tessera::Cuda {

/// The first step of a product, with a given policy.
template <class Kind, class Policy, bool gathers, class Offset, class Scalar>
void launch_bcsr_items(Stream stream, const BcsrArguments<Offset, Scalar, typename Kind::Operand>& arguments) {
  using Agent = BcsrAgent<Kind, Policy, gathers, Offset, Scalar>;
  constexpr auto kernel = &bcsr_kernel<Kind, Policy, gathers, Offset, Scalar>;
  constexpr std::size_t shared_bytes = std::size_t(Agent::shared_bytes) * Policy::block_warps;
  allow_shared_memory<kernel>("bcsr_kernel: shared memory", static_cast<int>(shared_bytes));
  const unsigned blocks =
      launch_count(std::size_t(window_count(arguments.schedule.item_count, Policy::block_warps)) * arguments.slabs);
  launch("bcsr_kernel", kernel, blocks, 32 * Policy::block_warps, shared_bytes, stream, arguments);
}

/// A whole product with a given policy. Needs what BcsrArguments says of x and values, block sizes that are those of
/// the kind and, if the schedule has slots, partials. may_gather: whether x_rows may be given.
template <class Kind, class Policy, bool may_gather = true, class Offset, class Scalar>
void launch_bcsr(Stream stream, BcsrArguments<Offset, Scalar, typename Kind::Operand> arguments) {
  const Product<Scalar, Scalar>& product = arguments.product;
  const Ordinal columns = product.y.columns;
  if (columns == 0 || arguments.schedule.item_count == 0) return;
  arguments.y_vectors = rows_are_aligned(product.y);
  arguments.slabs = static_cast<unsigned>(slab_count(columns, Policy::columns));
  if (product.x_rows == nullptr) {
    launch_bcsr_items<Kind, Policy, false>(stream, arguments);
  } else if constexpr (may_gather) {
    launch_bcsr_items<Kind, Policy, true>(stream, arguments);
  } else {
    throw std::invalid_argument("launch_bcsr: x_rows must be null with this policy");
  }

  launch_piece_sums(stream, arguments, Kind::height);
}

}  // namespace Tessera::Cuda
