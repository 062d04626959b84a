// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/bittcf/Spmm.hpp>

#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BitTcfSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  return scratch_layout(std::size_t(schedule.pieces.slot_count) * BitTcfPattern<Offset>::tile_rows, x,
                        rows_are_readable(x));
}

}  // namespace

template <class Offset, class Scalar>
std::size_t bittcf_workspace_bytes(const BitTcfPattern<Offset>&, const BitTcfSchedule<Offset>& schedule,
                                   const Multivector<const Scalar>& x) {
  return workspace_layout(schedule, x).bytes;
}

template <class Offset, class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern<Offset>& A, Precision precision,
                 const BitTcfSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product,
                 const Scratch& workspace) {
  expect_no_x_rows("bittcf_spmm", product);
  const ScratchLayout layout = workspace_layout(schedule, product.x);
  BitTcfArguments<Offset, Scalar> arguments;
  arguments.A = condensed(A);
  arguments.schedule = schedule.pieces;
  arguments.block_count = schedule.block_count;
  arguments.block_items = schedule.block_items;
  arguments.product = product;
  use_scratch("bittcf_spmm", layout, workspace, arguments);
  arguments.product.x = by_rows(stream, product.x, rows_are_readable(product.x), workspace.data + layout.packed,
                                arguments.partials_stride);
  for_precision<Scalar>("bittcf_spmm", precision, [&]<Precision p>() {
    if (product.x.columns > narrow_columns) return launch_bittcf<p, TunedBitTcfPolicy<Scalar, true>>(stream, arguments);
    launch_bittcf<p, TunedBitTcfPolicy<Scalar, false>>(stream, arguments);
  });
}

#define TESSERA_BITTCF_SPMM(Scalar, Offset)                                                                 \
  template std::size_t bittcf_workspace_bytes(const BitTcfPattern<Offset>&, const BitTcfSchedule<Offset>&,  \
                                              const Multivector<const Scalar>&);                            \
  template void bittcf_spmm(Stream, const BitTcfPattern<Offset>&, Precision, const BitTcfSchedule<Offset>&, \
                            const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_BITTCF_SPMM(float, int)
TESSERA_BITTCF_SPMM(double, int)
#ifndef TESSERA_CUDA_EMULATED  // without them it is compiled in half the time
TESSERA_BITTCF_SPMM(float, std::size_t)
TESSERA_BITTCF_SPMM(double, std::size_t)
#endif

}  // namespace Tessera::Cuda
