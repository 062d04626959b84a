// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "voltrix/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

template <class Scalar>
void bmat_spmm(Stream stream, const BmatWords& A, Precision precision, const BmatSchedule& schedule,
               const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  BmatArguments<Scalar> arguments = {{.A = A, .schedule = schedule, .product = product}};
  prepare_operands("bmat_spmm", stream, A.window_rows(), bmat_x_access, workspace, arguments);
  for_precision<Scalar>("bmat_spmm", precision, [&]<Precision p>() {
    for_width(policy_columns(schedule, product.x.columns),
              [&]<bool wide>() { launch_bmat<p, TunedBmatPolicy<Scalar, wide>>(stream, arguments); });
  });
}

#define TESSERA_BMAT_SPMM(Scalar)                                                                                   \
  template void bmat_spmm(Stream, const BmatWords&, Precision, const BmatSchedule&, const Product<Scalar, Scalar>&, \
                          const Scratch&);

TESSERA_BMAT_SPMM(float)
TESSERA_BMAT_SPMM(double)

}  // namespace Tessera::Impl::Cuda
