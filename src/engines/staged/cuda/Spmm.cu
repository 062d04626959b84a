// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "staged/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

template <class Scalar>
void staged_spmm(Stream stream, const StagedPattern& A, Precision precision, const CondensedSchedule& schedule,
                 const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  StagedArguments<Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  prepare_operands("staged_spmm", stream, A.window_rows, staged_x_access, workspace, arguments);
  for_precision<Scalar>("staged_spmm", precision,
                        [&]<Precision p>() { launch_staged<p, DefaultStagedPolicy<Scalar>>(stream, arguments); });
}

template void staged_spmm(Stream, const StagedPattern&, Precision, const CondensedSchedule&,
                          const Product<double, double>&, const Scratch&);

}  // namespace Tessera::Impl::Cuda
