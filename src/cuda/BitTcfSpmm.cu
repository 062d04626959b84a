// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/BitTcfSpmm.hpp>
#include <tessera/cuda/PackRows.hpp>

#include "detail/Operands.hpp"
#include "dispatch/BitTcfLaunch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr std::size_t workspace_alignment = 256;
constexpr Ordinal narrow_columns = 32;  // of X, that two warps of a block take

// Rows of scratch are padded so that vectors fit.
std::ptrdiff_t padded(Ordinal columns) { return (static_cast<std::ptrdiff_t>(columns) + 3) / 4 * 4; }

// Where the parts of the workspace lie: partial sums first.
struct WorkspaceLayout {
  std::size_t packed = 0, bytes = 0;
};

template <class Offset, class Scalar>
WorkspaceLayout workspace_layout(const BitTcfSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  const std::size_t row = static_cast<std::size_t>(padded(x.columns)) * sizeof(Scalar);
  const auto rounded = [](std::size_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
  };
  WorkspaceLayout layout;
  layout.packed = rounded(std::size_t(schedule.pieces.slot_count) * BitTcfPattern<Offset>::tile_rows * row);
  layout.bytes = layout.packed + (x.column_stride == 1 ? 0 : rounded(std::size_t(x.rows) * row));
  return layout;
}

template <Precision precision, class Offset, class MatrixScalar, class Scalar>
void launch_width(Stream stream, const BitTcfArguments<Offset, MatrixScalar, Scalar>& arguments) {
  if (arguments.product.x.columns > narrow_columns) {
    launch_bittcf<precision, TunedBitTcfPolicy<Scalar, true>>(stream, arguments);
  } else {
    launch_bittcf<precision, TunedBitTcfPolicy<Scalar, false>>(stream, arguments);
  }
}

}  // namespace

template <class Offset, class Scalar>
std::size_t bittcf_workspace_bytes(const BitTcfPattern<Offset>&, const BitTcfSchedule<Offset>& schedule,
                                   const Multivector<const Scalar>& x) {
  return workspace_layout(schedule, x).bytes;
}

template <class Offset, class MatrixScalar, class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern<Offset>& A, Precision precision,
                 const BitTcfSchedule<Offset>& schedule, const Product<MatrixScalar, Scalar>& product,
                 const Scratch& workspace) {
  expect_no_x_rows("bittcf_spmm", product);
  const WorkspaceLayout layout = workspace_layout(schedule, product.x);
  if (workspace.bytes < layout.bytes) {
    throw std::invalid_argument("bittcf_spmm: a workspace of " + std::to_string(workspace.bytes) + " bytes, " +
                                std::to_string(layout.bytes) + " are needed");
  }
  BitTcfArguments<Offset, MatrixScalar, Scalar> arguments;
  arguments.A = condensed(A);
  arguments.schedule = schedule.pieces;
  arguments.block_count = schedule.block_count;
  arguments.block_items = schedule.block_items;
  arguments.product = product;
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  if (product.x.column_stride != 1) {
    Scalar* rows = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
    pack_rows(stream, product.x, rows, arguments.partials_stride);
    arguments.product.x = {rows, product.x.rows, product.x.columns, arguments.partials_stride, 1};
  }
  if constexpr (std::is_same_v<Scalar, double>) {
    if (precision == Precision::Native) return launch_width<Precision::Native>(stream, arguments);
  } else {
    if (precision == Precision::Tf32x3) return launch_width<Precision::Tf32x3>(stream, arguments);
    if (precision == Precision::Tf32) return launch_width<Precision::Tf32>(stream, arguments);
  }
  throw std::invalid_argument("bittcf_spmm: no " + std::string(to_string(precision)) + " products of these types");
}

#define TESSERA_BITTCF_SPMM(Scalar, Offset)                                                                 \
  template std::size_t bittcf_workspace_bytes(const BitTcfPattern<Offset>&, const BitTcfSchedule<Offset>&,  \
                                              const Multivector<const Scalar>&);                            \
  template void bittcf_spmm(Stream, const BitTcfPattern<Offset>&, Precision, const BitTcfSchedule<Offset>&, \
                            const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_BITTCF_SPMM(float, int)
TESSERA_BITTCF_SPMM(float, std::size_t)
TESSERA_BITTCF_SPMM(double, int)
TESSERA_BITTCF_SPMM(double, std::size_t)

}  // namespace Tessera::Cuda
