// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "acc_spmm/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

template <class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern& A, Precision precision, const BitTcfSchedule& schedule,
                 const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  BitTcfArguments<Scalar> arguments;
  arguments.A = condensed(A);
  arguments.schedule = schedule.pieces;
  arguments.product = product;
  arguments.block_count = schedule.block_count;
  arguments.block_items = schedule.block_items;
  prepare_operands("bittcf_spmm", stream, A.window_rows(), bittcf_x_access, workspace, arguments);
  for_precision<Scalar>("bittcf_spmm", precision, [&]<Precision p>() {
    for_width(policy_columns(schedule.pieces, product.x.columns),
              [&]<bool wide>() { launch_bittcf<p, TunedBitTcfPolicy<Scalar, wide>>(stream, arguments); });
  });
}

#define TESSERA_BITTCF_SPMM(Scalar)                                                         \
  template void bittcf_spmm(Stream, const BitTcfPattern&, Precision, const BitTcfSchedule&, \
                            const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_BITTCF_SPMM(float)
TESSERA_BITTCF_SPMM(double)

}  // namespace Tessera::Impl::Cuda
