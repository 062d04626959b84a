// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/condensed/Spmm.hpp>

#include "../launch/Operands.hpp"
#include "../launch/ScratchLayout.hpp"
#include "Half.hpp"
#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr Ordinal narrow_columns = 32;  // of X, that one warp takes

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const CondensedPattern<Offset>& A, Precision precision,
                               const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  const auto rows = static_cast<std::size_t>(x.rows);
  std::size_t packed = rows_are_readable(x) ? 0 : padded_bytes<Scalar>(rows, x.columns);
  if (is_half(precision)) packed = rows * std::size_t(rounded_row_stride(x.columns)) * sizeof(std::uint16_t);
  return scratch_layout(
      padded_bytes<Scalar>(std::size_t(schedule.slot_count) * std::size_t(A.window_rows()), x.columns), packed);
}

template <Precision precision, class Offset, class MatrixScalar, class Scalar>
void launch_kind(Stream stream, TileValues values, const CondensedArguments<Offset, MatrixScalar, Scalar>& arguments) {
  const auto launch = [&]<int strips, bool wide>() {
    using Policy = TunedCondensedPolicy<Scalar, strips, wide>;
    if (values == TileValues::Dense) {
      launch_condensed<CondensedKind<precision, TileValues::Dense, strips>, Policy>(stream, arguments);
    } else {
      launch_condensed<CondensedKind<precision, TileValues::Compact, strips>, Policy>(stream, arguments);
    }
  };
  // One policy for all widths of FP64: not compiled twice.
  const bool wide = std::is_same_v<Scalar, float> && arguments.product.x.columns > narrow_columns;
  if (arguments.A.strips == 1) {
    wide ? launch.template operator()<1, std::is_same_v<Scalar, float>>() : launch.template operator()<1, false>();
  } else if (arguments.A.strips == 2) {
    wide ? launch.template operator()<2, std::is_same_v<Scalar, float>>() : launch.template operator()<2, false>();
  } else {
    throw std::invalid_argument("condensed_spmm: windows of " + std::to_string(arguments.A.strips) + " strips");
  }
}

}  // namespace

template <class Offset, class Scalar>
std::size_t condensed_workspace_bytes(const CondensedPattern<Offset>& A, Precision precision,
                                      const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  return workspace_layout(A, precision, schedule, x).bytes;
}

template <class Offset, class MatrixScalar, class Scalar>
void condensed_spmm(Stream stream, const CondensedPattern<Offset>& A, TileValues values, Precision precision,
                    const CondensedSchedule<Offset>& schedule, const Product<MatrixScalar, Scalar>& product,
                    const Scratch& workspace) {
  expect_no_x_rows("condensed_spmm", product);
  const ScratchLayout layout = workspace_layout(A, precision, schedule, product.x);
  expect_scratch("condensed_spmm", layout, workspace);
  CondensedArguments<Offset, MatrixScalar, Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(product.x.columns);
  if (is_half(precision)) {
    auto* const rows = reinterpret_cast<std::uint16_t*>(workspace.data + layout.packed);
    round_rows(stream, precision, HalfOrder::Columns, product.x, rows);
    arguments.x = rows;
    arguments.x_row_bytes = static_cast<unsigned>(rounded_row_stride(product.x.columns)) * sizeof(std::uint16_t);
    return launch_condensed_half(stream, values, precision, arguments);
  }
  if (!rows_are_readable(product.x)) {
    Scalar* rows = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
    pack_rows(stream, product.x, rows, arguments.partials_stride);
    arguments.product.x = {rows, product.x.rows, product.x.columns, arguments.partials_stride, 1};
  }
  if constexpr (std::is_same_v<MatrixScalar, Scalar>) {
    if constexpr (std::is_same_v<Scalar, double>) {
      if (precision == Precision::Native) return launch_kind<Precision::Native>(stream, values, arguments);
    } else {
      if (precision == Precision::Tf32x3) return launch_kind<Precision::Tf32x3>(stream, values, arguments);
      if (precision == Precision::Tf32) return launch_kind<Precision::Tf32>(stream, values, arguments);
    }
  }
  throw std::invalid_argument("condensed_spmm: no " + std::string(to_string(precision)) + " products of these types");
}

#define TESSERA_CONDENSED_SPMM(MatrixScalar, Scalar, Offset)                                           \
  template void condensed_spmm(Stream, const CondensedPattern<Offset>&, TileValues, Precision,         \
                               const CondensedSchedule<Offset>&, const Product<MatrixScalar, Scalar>&, \
                               const Scratch&);
#define TESSERA_CONDENSED_WORKSPACE(Scalar, Offset)                                          \
  template std::size_t condensed_workspace_bytes(const CondensedPattern<Offset>&, Precision, \
                                                 const CondensedSchedule<Offset>&, const Multivector<const Scalar>&);

TESSERA_CONDENSED_WORKSPACE(float, int)
TESSERA_CONDENSED_WORKSPACE(double, int)
TESSERA_CONDENSED_WORKSPACE(double, std::size_t)
TESSERA_CONDENSED_SPMM(float, float, int)
TESSERA_CONDENSED_SPMM(double, double, int)
TESSERA_CONDENSED_SPMM(double, double, std::size_t)
TESSERA_CONDENSED_SPMM(float, double, int)
#ifndef TESSERA_CUDA_EMULATED  // which takes less time to compile without them
TESSERA_CONDENSED_WORKSPACE(float, std::size_t)
TESSERA_CONDENSED_SPMM(float, float, std::size_t)
TESSERA_CONDENSED_SPMM(float, double, std::size_t)
#endif

}  // namespace Tessera::Cuda
