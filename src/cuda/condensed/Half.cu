// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>

#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

template <Precision precision, TileValues values, class Arguments>
void launch_strips(Stream stream, const Arguments& arguments) {
  const auto launch = [&]<int strips>() {
    using Kind = CondensedKind<precision, values, strips>;
    const Ordinal columns = arguments.product.x.columns;
    if (columns <= 32) return launch_condensed<Kind, HalfCondensedPolicy<strips, 32>>(stream, arguments);
    if (columns <= 64) return launch_condensed<Kind, HalfCondensedPolicy<strips, 64>>(stream, arguments);
    launch_condensed<Kind, HalfCondensedPolicy<strips, 128>>(stream, arguments);
  };
  if (arguments.A.strips == 1) return launch.template operator()<1>();
  if (arguments.A.strips == 2) return launch.template operator()<2>();
  throw std::invalid_argument("condensed_spmm: windows of " + std::to_string(arguments.A.strips) + " strips");
}

}  // namespace

template <class Offset, class MatrixScalar, class Scalar>
void launch_condensed_half(Stream stream, TileValues values, Precision precision,
                           const CondensedArguments<Offset, MatrixScalar, Scalar>& arguments) {
  const auto launch = [&]<Precision p>() {
    if (values == TileValues::Dense) {
      launch_strips<p, TileValues::Dense>(stream, arguments);
    } else {
      launch_strips<p, TileValues::Compact>(stream, arguments);
    }
  };
  precision == Precision::Fp16 ? launch.template operator()<Precision::Fp16>()
                               : launch.template operator()<Precision::Bf16>();
}

#define TESSERA_CONDENSED_HALF(Offset, MatrixScalar, Scalar)         \
  template void launch_condensed_half(Stream, TileValues, Precision, \
                                      const CondensedArguments<Offset, MatrixScalar, Scalar>&);
TESSERA_CONDENSED_HALF(int, float, float)
TESSERA_CONDENSED_HALF(int, double, double)
TESSERA_CONDENSED_HALF(int, float, double)
TESSERA_CONDENSED_HALF(std::size_t, double, double)
#ifndef TESSERA_CUDA_EMULATED  // which takes less time to compile without them
TESSERA_CONDENSED_HALF(std::size_t, float, float)
TESSERA_CONDENSED_HALF(std::size_t, float, double)
#endif

}  // namespace Tessera::Cuda
