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

}  // namespace

template <class Scalar>
std::size_t staged_workspace_bytes(const StagedPattern& A, const CondensedSchedule<int>& schedule,
                                   const Multivector<const Scalar>& x) {
  return workspace_layout(A, schedule, x).bytes;
}

template <class Scalar>
void staged_spmm(Stream stream, const StagedPattern& A, Precision precision, const CondensedSchedule<int>& schedule,
                 const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  expect_no_x_rows("staged_spmm", product);
  const ScratchLayout layout = workspace_layout(A, schedule, product.x);
  expect_scratch("staged_spmm", layout, workspace);
  StagedArguments<Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  Scalar* packed = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
  if (precision == Precision::Native) {
    return launch_staged_any<Precision::Native, DefaultStagedPolicy<Scalar>>(stream, arguments, packed,
                                                                             arguments.partials_stride);
  }
  throw std::invalid_argument("staged_spmm: no " + std::string(to_string(precision)) + " products of these types");
}

template std::size_t staged_workspace_bytes(const StagedPattern&, const CondensedSchedule<int>&,
                                            const Multivector<const double>&);
template void staged_spmm(Stream, const StagedPattern&, Precision, const CondensedSchedule<int>&,
                          const Product<double, double>&, const Scratch&);

}  // namespace Tessera::Cuda
