// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/BrpSpmm.hpp>
#include <tessera/cuda/PackRows.hpp>

#include "detail/Operands.hpp"
#include "dispatch/BrpLaunch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr std::size_t workspace_alignment = 256;
constexpr Ordinal narrow_columns = 32;  // of X, that one warp takes

// Rows of scratch are padded so that vectors fit.
std::ptrdiff_t padded(Ordinal columns) { return (static_cast<std::ptrdiff_t>(columns) + 3) / 4 * 4; }

// Where the parts of the workspace lie.
struct WorkspaceLayout {
  std::size_t partials = 0, packed = 0, bytes = 0;
};

template <class Offset, class Scalar>
WorkspaceLayout workspace_layout(const BlockRowPartitionPattern<Offset>& A, const BrpSchedule<Offset>& schedule,
                                 const Multivector<const Scalar>& x) {
  const std::size_t row = static_cast<std::size_t>(padded(x.columns)) * sizeof(Scalar);
  const auto rounded = [](std::size_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
  };
  WorkspaceLayout layout;
  layout.packed = rounded(std::size_t(schedule.slot_count) * std::size_t(A.window_rows()) * row);
  layout.bytes = layout.packed + (x.column_stride == 1 ? 0 : rounded(std::size_t(x.rows) * row));
  return layout;
}

template <Precision precision, int f, class Offset, class Scalar>
void launch_widths(Stream stream, const BrpArguments<Offset, Scalar>& arguments) {
  // One policy for all widths of FP64: not compiled twice.
  if constexpr (std::is_same_v<Scalar, float>) {
    if (arguments.windows.product.x.columns > narrow_columns) {
      return launch_brp<BrpKind<precision, f>, TunedBrpPolicy<Scalar, true>>(stream, arguments);
    }
  }
  launch_brp<BrpKind<precision, f>, TunedBrpPolicy<Scalar, false>>(stream, arguments);
}

template <Precision precision, class Offset, class Scalar>
void launch_kind(Stream stream, const BrpArguments<Offset, Scalar>& arguments) {
  switch (arguments.A.f) {
    case 1:
      return launch_widths<precision, 1>(stream, arguments);
    case 2:
      return launch_widths<precision, 2>(stream, arguments);
    case 4:
      return launch_widths<precision, 4>(stream, arguments);
    default:
      throw std::invalid_argument("brp_spmm: f = " + std::to_string(arguments.A.f) + " is not 1, 2 or 4");
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
  const WorkspaceLayout layout = workspace_layout(A, schedule, product.x);
  if (workspace.bytes < layout.bytes) {
    throw std::invalid_argument("brp_spmm: a workspace of " + std::to_string(workspace.bytes) + " bytes, " +
                                std::to_string(layout.bytes) + " are needed");
  }
  expect_no_x_rows("brp_spmm", product);
  // They are read in pairs.
  if (reinterpret_cast<std::uintptr_t>(A.group_columns) % (2 * sizeof(Ordinal)) != 0) {
    throw std::invalid_argument("brp_spmm: group_columns are not aligned to 8 bytes");
  }

  BrpArguments<Offset, Scalar> arguments = {A, schedule.items, {}};
  CondensedArguments<Offset, Scalar, Scalar>& windows = arguments.windows;
  windows.A.rows = A.rows;
  windows.A.columns = A.columns;
  windows.A.strips = 2;
  windows.schedule.item_count = schedule.item_count;
  windows.schedule.sum_count = schedule.sum_count;
  windows.schedule.slot_count = schedule.slot_count;
  windows.schedule.sums = schedule.sums;
  windows.product = product;
  windows.partials = reinterpret_cast<Scalar*>(workspace.data + layout.partials);
  windows.partials_stride = padded(product.x.columns);
  if (product.x.column_stride != 1) {
    Scalar* rows = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
    pack_rows(stream, product.x, rows, windows.partials_stride);
    windows.product.x = {rows, product.x.rows, product.x.columns, windows.partials_stride, 1};
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
TESSERA_BRP_SPMM(float, std::size_t)
TESSERA_BRP_SPMM(double, int)
TESSERA_BRP_SPMM(double, std::size_t)

}  // namespace Tessera::Cuda
