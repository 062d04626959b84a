// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/bmat/Spmm.hpp>

#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BmatPattern<Offset>& A, const BmatSchedule<Offset>& schedule,
                               const Multivector<const Scalar>& x) {
  return scratch_layout(std::size_t(schedule.slot_count) * std::size_t(A.window_rows()), x, rows_are_whole(x));
}

}  // namespace

template <class Offset, class Scalar>
std::size_t bmat_workspace_bytes(const BmatPattern<Offset>& A, const BmatSchedule<Offset>& schedule,
                                 const Multivector<const Scalar>& x) {
  return workspace_layout(A, schedule, x).bytes;
}

template <class Offset, class Scalar>
void bmat_spmm(Stream stream, const BmatPattern<Offset>& A, Precision precision, const BmatSchedule<Offset>& schedule,
               const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  expect_no_x_rows("bmat_spmm", product);
  const ScratchLayout layout = workspace_layout(A, schedule, product.x);
  BmatArguments<Offset, Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  use_scratch("bmat_spmm", layout, workspace, arguments);
  auto* const packed = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
  for_precision<Scalar>("bmat_spmm", precision, [&]<Precision p>() {
    const std::ptrdiff_t stride = arguments.partials_stride;
    if (product.x.columns > narrow_columns) {
      launch_bmat_any<p, TunedBmatPolicy<Scalar, true>>(stream, arguments, packed, stride);
    } else {
      launch_bmat_any<p, TunedBmatPolicy<Scalar, false>>(stream, arguments, packed, stride);
    }
  });
}

#define TESSERA_BMAT_SPMM(Scalar, Offset)                                                             \
  template std::size_t bmat_workspace_bytes(const BmatPattern<Offset>&, const BmatSchedule<Offset>&,  \
                                            const Multivector<const Scalar>&);                        \
  template void bmat_spmm(Stream, const BmatPattern<Offset>&, Precision, const BmatSchedule<Offset>&, \
                          const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_BMAT_SPMM(float, int)
TESSERA_BMAT_SPMM(float, std::size_t)
TESSERA_BMAT_SPMM(double, int)
#ifndef TESSERA_CUDA_EMULATED  // which takes less time to compile without it
TESSERA_BMAT_SPMM(double, std::size_t)
#endif

}  // namespace Tessera::Cuda
