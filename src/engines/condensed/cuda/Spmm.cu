// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "condensed/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

template <class MatrixScalar, class Scalar>
void condensed_spmm(Stream stream, const CondensedPattern& A, TileValues values, Precision precision,
                    const CondensedSchedule& schedule, const Product<MatrixScalar, Scalar>& product,
                    const Scratch& workspace, const std::uint16_t* rounded_values) {
  CondensedArguments<MatrixScalar, Scalar> arguments = {{.A = A, .schedule = schedule, .product = product}};
  if (is_half(precision)) {
    expect_no_x_rows("condensed_spmm", product);
    constexpr auto access = condensed_x_access<Scalar>;
    const auto layout = window_scratch(schedule, A.window_rows(), product.x, access(precision), precision);
    std::byte* const packed = use_scratch("condensed_spmm", layout, workspace, arguments);
    const auto set_x = [&](const auto& x) {
      arguments.x = x.data;
      arguments.x_columns = x.columns;
      arguments.x_row_bytes = row_bytes(x);
    };
    is_read_in_place(product.x, access(precision))
        ? set_x(product.x)
        : set_x(rounded_by_rows(stream, precision, HalfOrder::Columns, product.x, packed));
    arguments.rounded_values = rounded_values;
    return launch_condensed_half(stream, values, precision, arguments);
  }
  if constexpr (std::is_same_v<MatrixScalar, Scalar>) {
    prepare_operands("condensed_spmm", stream, A.window_rows(), condensed_x_access<Scalar>(precision), workspace,
                     arguments);
    for_precision<Scalar>("condensed_spmm", precision, [&]<Precision p>() {
      for_kind(values, A.strips, [&]<TileValues v, int strips>() {
        for_width(policy_columns(schedule, product.x.columns), [&]<bool wide>() {
          using Policy = TunedCondensedPolicy<Scalar, strips, wide>;
          launch_condensed<CondensedKind<p, v, strips>, Policy>(stream, arguments);
        });
      });
    });
  } else {
    throw std::invalid_argument("condensed_spmm: the matrix has another type than X; expected a precision of 16 bits");
  }
}

#define TESSERA_CONDENSED_SPMM(MatrixScalar, Scalar)                                                             \
  template void condensed_spmm(Stream, const CondensedPattern&, TileValues, Precision, const CondensedSchedule&, \
                               const Product<MatrixScalar, Scalar>&, const Scratch&, const std::uint16_t*);

TESSERA_CONDENSED_SPMM(float, float)
TESSERA_CONDENSED_SPMM(double, double)
TESSERA_CONDENSED_SPMM(float, double)
TESSERA_CONDENSED_SPMM(float, Half)
TESSERA_CONDENSED_SPMM(float, BFloat16)

}  // namespace Tessera::Impl::Cuda
