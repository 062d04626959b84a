// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/brp/Spmm.hpp>

#include "../launch/Operands.hpp"
#include "../launch/ScratchLayout.hpp"
#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr Ordinal narrow_columns = 32;  // of X, that one warp takes

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BlockRowPartitionPattern<Offset>& A, const BrpSchedule<Offset>& schedule,
                               const Multivector<const Scalar>& x) {
  const std::size_t slot_rows = std::size_t(schedule.slot_count) * std::size_t(A.window_rows());
  return scratch_layout(padded_bytes<Scalar>(slot_rows, x.columns),
                        rows_are_readable(x) ? 0 : padded_bytes<Scalar>(std::size_t(x.rows), x.columns));
}

template <Precision precision, int f, class Offset, class Scalar>
void launch_widths(Stream stream, const BrpArguments<Offset, Scalar>& arguments) {
  // One policy for all widths of FP64: not compiled twice.
  if constexpr (std::is_same_v<Scalar, float>) {
    if (arguments.product.x.columns > narrow_columns) {
      return launch_brp<BrpKind<precision, f>, TunedBrpPolicy<Scalar, true>>(stream, arguments);
    }
  }
  launch_brp<BrpKind<precision, f>, TunedBrpPolicy<Scalar, false>>(stream, arguments);
}

template <Precision precision, class Offset, class Scalar>
void launch_kind(Stream stream, const BrpArguments<Offset, Scalar>& arguments) {
  switch (arguments.partition.f) {
    case 1:
      return launch_widths<precision, 1>(stream, arguments);
    case 2:
      return launch_widths<precision, 2>(stream, arguments);
    case 4:
      return launch_widths<precision, 4>(stream, arguments);
    default:
      throw std::invalid_argument("brp_spmm: f = " + std::to_string(arguments.partition.f) + " is not 1, 2 or 4");
  }
}

}  // namespace

template <class Offset, class Scalar>
std::size_t brp_workspace_bytes(const BlockRowPartitionPattern<Offset>& A, const BrpSchedule<Offset>& schedule,
                                const Multivector<const Scalar>& x) {
  return workspace_layout(A, schedule, x).bytes;
}

template <class Offset, class Scalar>
void brp_spmm(Stream stream, const BlockRowPartitionPattern<Offset>& A, Precision precision,
              const BrpSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  const ScratchLayout layout = workspace_layout(A, schedule, product.x);
  expect_scratch("brp_spmm", layout, workspace);
  expect_no_x_rows("brp_spmm", product);
  // They are read in pairs.
  if (reinterpret_cast<std::uintptr_t>(A.group_columns) % (2 * sizeof(Ordinal)) != 0) {
    throw std::invalid_argument("brp_spmm: group_columns are not aligned to 8 bytes");
  }

  BrpArguments<Offset, Scalar> arguments;
  arguments.A.rows = A.rows;
  arguments.A.columns = A.columns;
  arguments.A.strips = 2;
  arguments.partition = A;
  arguments.items = schedule.items;
  arguments.schedule = {schedule.item_count, schedule.sum_count, schedule.slot_count, nullptr, schedule.sums};
  arguments.product = product;
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  if (!rows_are_readable(product.x)) {
    Scalar* rows = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
    pack_rows(stream, product.x, rows, arguments.partials_stride);
    arguments.product.x = {rows, product.x.rows, product.x.columns, arguments.partials_stride, 1};
  }
  if constexpr (std::is_same_v<Scalar, double>) {
    if (precision == Precision::Native) return launch_kind<Precision::Native>(stream, arguments);
  } else {
    if (precision == Precision::Tf32x3) return launch_kind<Precision::Tf32x3>(stream, arguments);
    if (precision == Precision::Tf32) return launch_kind<Precision::Tf32>(stream, arguments);
  }
  throw std::invalid_argument("brp_spmm: no " + std::string(to_string(precision)) + " products of these types");
}

#define TESSERA_BRP_SPMM(Scalar, Offset)                                                                         \
  template std::size_t brp_workspace_bytes(const BlockRowPartitionPattern<Offset>&, const BrpSchedule<Offset>&,  \
                                           const Multivector<const Scalar>&);                                    \
  template void brp_spmm(Stream, const BlockRowPartitionPattern<Offset>&, Precision, const BrpSchedule<Offset>&, \
                         const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_BRP_SPMM(float, int)
TESSERA_BRP_SPMM(double, int)
#ifndef TESSERA_CUDA_EMULATED  // without them it is compiled in half the time
TESSERA_BRP_SPMM(float, std::size_t)
TESSERA_BRP_SPMM(double, std::size_t)
#endif

}  // namespace Tessera::Cuda
