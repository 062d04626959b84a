// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"

namespace Tessera::Impl::Cuda {

template <class MatrixScalar, class Scalar>
void launch_condensed_half(Stream stream, TileValues values, Precision precision,
                           const CondensedArguments<MatrixScalar, Scalar>& arguments) {
  const auto launch = [&]<Precision p>() {
    for_kind<TileValues::Rounded>(values, arguments.A.strips, [&]<TileValues v, int strips>() {
      using Kind = CondensedKind<p, v, strips>;
      const Ordinal columns = policy_columns(arguments.schedule, arguments.product.x.columns);
      if (columns <= 32) return launch_condensed<Kind, HalfCondensedPolicy<strips, 32>>(stream, arguments);
      if (columns <= 64) return launch_condensed<Kind, HalfCondensedPolicy<strips, 64>>(stream, arguments);
      launch_condensed<Kind, HalfCondensedPolicy<strips, 128>>(stream, arguments);
    });
  };
  precision == Precision::Fp16 ? launch.template operator()<Precision::Fp16>()
                               : launch.template operator()<Precision::Bf16>();
}

#define TESSERA_CONDENSED_HALF(MatrixScalar, Scalar) \
  template void launch_condensed_half(Stream, TileValues, Precision, const CondensedArguments<MatrixScalar, Scalar>&);
TESSERA_CONDENSED_HALF(float, float)
TESSERA_CONDENSED_HALF(double, double)
TESSERA_CONDENSED_HALF(float, double)
TESSERA_CONDENSED_HALF(float, Half)
TESSERA_CONDENSED_HALF(float, BFloat16)

}  // namespace Tessera::Impl::Cuda
