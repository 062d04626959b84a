// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>

/// In which precision tensor cores multiply when a plan asks for one: in that, or in one that is at least as accurate.
namespace Tessera::Impl {

/// Whether there are tensor cores for a matrix that is to be multiplied in this precision: float by itself is not for
/// them.
template <class Scalar>
constexpr bool has_tensor_cores(Precision asked) {
  return std::is_same_v<Scalar, double> || (std::is_same_v<Scalar, float> && asked != Precision::Native);
}

/// That of kernels whose operands are no shorter than TF32, which has the bits of binary16 and more exponents. Needs
/// has_tensor_cores.
template <class Scalar>
constexpr Precision precision_of_words(Precision asked) {
  if (std::is_same_v<Scalar, double>) return Precision::Native;
  return Cuda::is_half(asked) ? Precision::Tf32 : asked;
}

/// For Plan::explain(), after the name of a kernel.
inline std::string describe_precision(Precision asked, Precision used) {
  if (asked == Precision::Native) return {};
  return ", in " + std::string(to_string(used)) + (used == Precision::Native ? " precision" : "");
}

}  // namespace Tessera::Impl
