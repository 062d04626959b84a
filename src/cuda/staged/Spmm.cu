// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/staged/Spmm.hpp>

#include "../launch/Operands.hpp"
#include "../launch/ScratchLayout.hpp"
#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <class Scalar>
ScratchLayout workspace_layout(const StagedPattern& A, const CondensedSchedule<int>& schedule,
                               const Multivector<const Scalar>& x) {
  const std::size_t slot_rows = std::size_t(schedule.slot_count) * std::size_t(A.window_rows);
  return scratch_layout(padded_bytes<Scalar>(slot_rows, x.columns),
                        rows_are_aligned(x) ? 0 : padded_bytes<Scalar>(std::size_t(x.rows), x.columns));
}

template <Precision precision, class MatrixScalar, class Scalar>
void launch_kind(Stream stream, const StagedArguments<MatrixScalar, Scalar>& arguments, Scalar* packed) {
  const std::ptrdiff_t stride = arguments.partials_stride;
  if (arguments.A.strip_blocks == 1) {
    launch_staged_any<StagedKind<precision, 1>, DefaultStagedPolicy<Scalar>>(stream, arguments, packed, stride);
  } else if (arguments.A.strip_blocks == 2) {
    launch_staged_any<StagedKind<precision, 2>, DefaultStagedPolicy<Scalar>>(stream, arguments, packed, stride);
  } else {
    throw std::invalid_argument("staged_spmm: strips of " + std::to_string(8 * arguments.A.strip_blocks) + " rows");
  }
}

}  // namespace

template <class Scalar>
std::size_t staged_workspace_bytes(const StagedPattern& A, const CondensedSchedule<int>& schedule,
                                   const Multivector<const Scalar>& x) {
  return workspace_layout(A, schedule, x).bytes;
}

template <class MatrixScalar, class Scalar>
void staged_spmm(Stream stream, const StagedPattern& A, Precision precision, const CondensedSchedule<int>& schedule,
                 const Product<MatrixScalar, Scalar>& product, const Scratch& workspace) {
  expect_no_x_rows("staged_spmm", product);
  const ScratchLayout layout = workspace_layout(A, schedule, product.x);
  expect_scratch("staged_spmm", layout, workspace);
  StagedArguments<MatrixScalar, Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  Scalar* packed = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
  if constexpr (std::is_same_v<Scalar, double>) {
    if (precision == Precision::Native) return launch_kind<Precision::Native>(stream, arguments, packed);
  } else {
    if (precision == Precision::Tf32x3) return launch_kind<Precision::Tf32x3>(stream, arguments, packed);
    if (precision == Precision::Tf32) return launch_kind<Precision::Tf32>(stream, arguments, packed);
  }
  throw std::invalid_argument("staged_spmm: no " + std::string(to_string(precision)) + " products of these types");
}

#define TESSERA_STAGED_SPMM(MatrixScalar, Scalar)                                                   \
  template void staged_spmm(Stream, const StagedPattern&, Precision, const CondensedSchedule<int>&, \
                            const Product<MatrixScalar, Scalar>&, const Scratch&);
#define TESSERA_STAGED_WORKSPACE(Scalar)                                                           \
  template std::size_t staged_workspace_bytes(const StagedPattern&, const CondensedSchedule<int>&, \
                                              const Multivector<const Scalar>&);

TESSERA_STAGED_WORKSPACE(float)
TESSERA_STAGED_WORKSPACE(double)
TESSERA_STAGED_SPMM(float, float)
TESSERA_STAGED_SPMM(double, double)
TESSERA_STAGED_SPMM(float, double)

}  // namespace Tessera::Cuda
