// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/condensed/Spmm.hpp>

#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const CondensedPattern<Offset>& A, Precision precision,
                               const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  return scratch_layout(std::size_t(schedule.slot_count) * std::size_t(A.window_rows()), x, rows_are_readable(x),
                        precision);
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
  CondensedArguments<Offset, MatrixScalar, Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  use_scratch("condensed_spmm", layout, workspace, arguments);
  std::byte* const packed = workspace.data + layout.packed;
  if (is_half(precision)) {
    const auto x = rounded_by_rows(stream, precision, HalfOrder::Columns, product.x, packed);
    arguments.x = x.data;
    arguments.x_row_bytes = row_bytes(x);
    return launch_condensed_half(stream, values, precision, arguments);
  }
  if constexpr (std::is_same_v<MatrixScalar, Scalar>) {
    arguments.product.x = by_rows(stream, product.x, rows_are_readable(product.x), packed, arguments.partials_stride);
    for_precision<Scalar>("condensed_spmm", precision,
                          [&]<Precision p>() { launch_kind<p>(stream, values, arguments); });
  } else {
    throw std::invalid_argument(
        "condensed_spmm: a matrix of another type than "
        "X is multiplied in 16 bits alone");
  }
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
