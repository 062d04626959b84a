// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/Format.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>

/// The precision in which tensor cores multiply: the requested one, or one that is at least as accurate.
namespace Tessera::Impl {

/// Whether tensor cores multiply a matrix in this precision. They do not multiply floats in native precision.
template <class Scalar>
constexpr bool has_tensor_cores(Precision asked) {
  return std::is_same_v<Scalar, double> || (std::is_same_v<Scalar, float> && asked != Precision::Native);
}

/// Returns the precision of kernels without 16-bit operands, which use TF32 if 16 bits are requested. TF32 has as many
/// fraction bits as FP16, and a wider exponent range. Requires has_tensor_cores().
template <class Scalar>
constexpr Precision precision_of_words(Precision asked) {
  if (std::is_same_v<Scalar, double>) return Precision::Native;
  return Cuda::is_half(asked) ? Precision::Tf32 : asked;
}

/// Returns why tensor cores do not multiply a format with these options; empty if they do.
template <class Scalar>
std::string tensor_core_fault(const PlanOptions& options, Format format) {
  if (has_tensor_cores<Scalar>(options.precision)) return {};
  return "tensor cores do not multiply " + std::string(to_string(format)) +
         " of floats in native precision; expected tf32x3 or tf32";
}

}  // namespace Tessera::Impl
