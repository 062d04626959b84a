// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/staged/Spmm.hpp>

#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <class Scalar>
ScratchLayout workspace_layout(const StagedPattern& A, const CondensedSchedule<int>& schedule,
                               const Multivector<const Scalar>& x) {
  return scratch_layout(std::size_t(schedule.slot_count) * std::size_t(A.window_rows), x, rows_are_aligned(x));
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
  StagedArguments<Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  use_scratch("staged_spmm", layout, workspace, arguments);
  auto* const packed = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
  for_precision<Scalar>("staged_spmm", precision, [&]<Precision p>() {
    launch_staged_any<p, DefaultStagedPolicy<Scalar>>(stream, arguments, packed, arguments.partials_stride);
  });
}

template std::size_t staged_workspace_bytes(const StagedPattern&, const CondensedSchedule<int>&,
                                            const Multivector<const double>&);
template void staged_spmm(Stream, const StagedPattern&, Precision, const CondensedSchedule<int>&,
                          const Product<double, double>&, const Scratch&);

}  // namespace Tessera::Cuda
