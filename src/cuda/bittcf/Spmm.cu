// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/bittcf/Spmm.hpp>

#include "../launch/Operands.hpp"
#include "../launch/ScratchLayout.hpp"
#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr Ordinal narrow_columns = 32;  // of X, that two warps of a block take

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BitTcfSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  const std::size_t slot_rows = std::size_t(schedule.pieces.slot_count) * BitTcfPattern<Offset>::tile_rows;
  return scratch_layout(padded_bytes<Scalar>(slot_rows, x.columns),
                        rows_are_readable(x) ? 0 : padded_bytes<Scalar>(std::size_t(x.rows), x.columns));
}

template <Precision precision, class Offset, class Scalar>
void launch_width(Stream stream, const BitTcfArguments<Offset, Scalar>& arguments) {
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

template <class Offset, class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern<Offset>& A, Precision precision,
                 const BitTcfSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product,
                 const Scratch& workspace) {
  expect_no_x_rows("bittcf_spmm", product);
  const ScratchLayout layout = workspace_layout(schedule, product.x);
  expect_scratch("bittcf_spmm", layout, workspace);
  BitTcfArguments<Offset, Scalar> arguments;
  arguments.A = condensed(A);
  arguments.schedule = schedule.pieces;
  arguments.block_count = schedule.block_count;
  arguments.block_items = schedule.block_items;
  arguments.product = product;
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  if (!rows_are_readable(product.x)) {
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
TESSERA_BITTCF_SPMM(double, int)
#ifndef TESSERA_CUDA_EMULATED  // without them it is compiled in half the time
TESSERA_BITTCF_SPMM(float, std::size_t)
TESSERA_BITTCF_SPMM(double, std::size_t)
#endif

}  // namespace Tessera::Cuda
