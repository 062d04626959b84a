// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
#include <cstddef>
#include <tessera/Half.hpp>
#include <tessera/common/CompiledTypes.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// The scalar type of kernels for a scalar type of the user. Both have the same representation.
template <class Scalar>
struct KernelScalar {
  static constexpr bool supported = false;
  using type = void;
};
template <class Kernel>
struct SupportedScalar {
  static constexpr bool supported = true;
  using type = Kernel;
};
template <>
struct KernelScalar<float> : SupportedScalar<float> {};
template <>
struct KernelScalar<double> : SupportedScalar<double> {};
template <class Real>
struct KernelScalar<Kokkos::complex<Real>> : SupportedScalar<Complex<Real>> {};
template <class Real>
struct KernelScalar<std::complex<Real>> : SupportedScalar<Complex<Real>> {};
/// Kokkos' 16-bit types. In builds of Kokkos without 16-bit types, they are float and have 4 bytes.
template <class Scalar>
requires(std::is_same_v<Scalar, Half> || (std::is_same_v<Scalar, Kokkos::Experimental::half_t> &&
                                          sizeof(Scalar) == sizeof(Half))) struct KernelScalar<Scalar>
    : SupportedScalar<Half> {
};
template <class Scalar>
requires(std::is_same_v<Scalar, BFloat16> || (std::is_same_v<Scalar, Kokkos::Experimental::bhalf_t> &&
                                              sizeof(Scalar) == sizeof(BFloat16))) struct KernelScalar<Scalar>
    : SupportedScalar<BFloat16> {
};
template <class Scalar>
using kernel_scalar_t = typename KernelScalar<std::remove_cv_t<Scalar>>::type;

/// The offset type of kernels for an offset type of 4 or 8 bytes: int or std::size_t. Offsets are never negative.
template <class Offset>
using kernel_offset_t = std::conditional_t<sizeof(Offset) == 4, int, std::size_t>;

/// Whether a matrix multiplies multivectors of a type: its own or, for a float matrix, also double and 16-bit types.
template <class MatrixScalar, class VectorScalar>
inline constexpr bool multiplies_v = (std::is_same_v<MatrixScalar, VectorScalar> && !is_half_v<MatrixScalar>) ||
                                     (std::is_same_v<MatrixScalar, float> &&
                                      (std::is_same_v<VectorScalar, double> || is_half_v<VectorScalar>));

/// The widest type of vectors that a matrix may be multiplied with.
template <class MatrixScalar>
using widest_vector_t = std::conditional_t<multiplies_v<MatrixScalar, double>, double, MatrixScalar>;

}  // namespace Tessera::Impl
