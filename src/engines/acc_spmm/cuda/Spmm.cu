// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "acc_spmm/cuda/Spmm.hpp"

namespace Tessera::Cuda {

template <class Offset, class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern<Offset>& A, Precision precision,
                 const BitTcfSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product,
                 const Scratch& workspace) {
  BitTcfArguments<Offset, Scalar> arguments;
  arguments.A = condensed(A);
  arguments.schedule = schedule.pieces;
  arguments.product = product;
  arguments.block_count = schedule.block_count;
  arguments.block_items = schedule.block_items;
  take_operands("bittcf_spmm", stream, A.window_rows(), bittcf_x_access, workspace, arguments);
  for_precision<Scalar>("bittcf_spmm", precision, [&]<Precision p>() {
    for_width(policy_columns(schedule.pieces, product.x.columns),
              [&]<bool wide>() { launch_bittcf<p, TunedBitTcfPolicy<Scalar, wide>>(stream, arguments); });
  });
}

#define TESSERA_BITTCF_SPMM(Scalar, Offset)                                                                 \
  template void bittcf_spmm(Stream, const BitTcfPattern<Offset>&, Precision, const BitTcfSchedule<Offset>&, \
                            const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_BITTCF_SPMM(float, int)
TESSERA_BITTCF_SPMM(double, int)

}  // namespace Tessera::Cuda
