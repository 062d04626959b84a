// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/bmat/Spmm.hpp>

#include "../launch/Operands.hpp"
#include "../launch/ScratchLayout.hpp"
#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BmatPattern<Offset>& A, const BmatSchedule<Offset>& schedule,
                               const Multivector<const Scalar>& x) {
  const std::size_t slot_rows = std::size_t(schedule.slot_count) * std::size_t(A.window_rows());
  return scratch_layout(padded_bytes<Scalar>(slot_rows, x.columns),
                        rows_can_be_copied(x) ? 0 : padded_bytes<Scalar>(std::size_t(x.rows), x.columns));
}

template <Precision precision, class Offset, class Scalar>
void launch_precision(Stream stream, const BmatArguments<Offset, Scalar>& arguments, Scalar* packed) {
  const std::ptrdiff_t stride = arguments.partials_stride;
  if (arguments.product.x.columns > bmat_narrow_columns) {
    launch_bmat_any<precision, TunedBmatPolicy<Scalar, true>>(stream, arguments, packed, stride);
  } else {
    launch_bmat_any<precision, TunedBmatPolicy<Scalar, false>>(stream, arguments, packed, stride);
  }
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
  expect_scratch("bmat_spmm", layout, workspace);
  BmatArguments<Offset, Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  Scalar* packed = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
  if constexpr (std::is_same_v<Scalar, double>) {
    if (precision == Precision::Native) return launch_precision<Precision::Native>(stream, arguments, packed);
  } else {
    if (precision == Precision::Tf32x3) return launch_precision<Precision::Tf32x3>(stream, arguments, packed);
    if (precision == Precision::Tf32) return launch_precision<Precision::Tf32>(stream, arguments, packed);
  }
  throw std::invalid_argument("bmat_spmm: no " + std::string(to_string(precision)) + " products of these types");
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
