// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/Half.hpp>
#include <tessera/common/Complex.hpp>

// The types that the library is compiled for: all scalars, unless CMake's TESSERA_SCALARS names some. For each of the
// other scalars, Tessera's targets then define TESSERA_WITHOUT_..., also for files of users.
//
// Offsets in plans are of type int: a matrix with more entries is stored as several blocks of rows. Users' offsets may
// also be std::size_t.
//
// The lists below expand M for every type, and pass their first argument on to M.
#ifdef TESSERA_WITHOUT_FLOAT
#define TESSERA_IF_FLOAT(M, ...)
#else
#define TESSERA_IF_FLOAT(M, ...) M(__VA_ARGS__)
#endif
#ifdef TESSERA_WITHOUT_DOUBLE
#define TESSERA_IF_DOUBLE(M, ...)
#else
#define TESSERA_IF_DOUBLE(M, ...) M(__VA_ARGS__)
#endif
#if defined(TESSERA_WITHOUT_FLOAT) || defined(TESSERA_WITHOUT_DOUBLE)
#define TESSERA_IF_FLOAT_AND_DOUBLE(M, ...)
#else
#define TESSERA_IF_FLOAT_AND_DOUBLE(M, ...) M(__VA_ARGS__)
#endif
#ifdef TESSERA_WITHOUT_COMPLEX_FLOAT
#define TESSERA_IF_COMPLEX_FLOAT(M, ...)
#else
#define TESSERA_IF_COMPLEX_FLOAT(M, ...) M(__VA_ARGS__)
#endif
#ifdef TESSERA_WITHOUT_COMPLEX_DOUBLE
#define TESSERA_IF_COMPLEX_DOUBLE(M, ...)
#else
#define TESSERA_IF_COMPLEX_DOUBLE(M, ...) M(__VA_ARGS__)
#endif

/// Expands M(Exec, Offset) for every type of users' offsets.
#define TESSERA_FOR_EACH_USER_OFFSET(Exec, M) M(Exec, int) M(Exec, std::size_t)

/// Expands M(Exec, Scalar) for every type of multivectors.
#define TESSERA_FOR_EACH_SCALAR(Exec, M)            \
  TESSERA_IF_FLOAT(M, Exec, float)                  \
  TESSERA_IF_DOUBLE(M, Exec, double)                \
  TESSERA_IF_COMPLEX_FLOAT(M, Exec, Complex<float>) \
  TESSERA_IF_COMPLEX_DOUBLE(M, Exec, Complex<double>)

/// Expands M(Exec, MatrixScalar, VectorScalar) for every pair that may be multiplied, except pairs with 16-bit vectors.
#define TESSERA_FOR_EACH_PRODUCT(Exec, M)                           \
  TESSERA_IF_FLOAT(M, Exec, float, float)                           \
  TESSERA_IF_DOUBLE(M, Exec, double, double)                        \
  TESSERA_IF_FLOAT_AND_DOUBLE(M, Exec, float, double)               \
  TESSERA_IF_COMPLEX_FLOAT(M, Exec, Complex<float>, Complex<float>) \
  TESSERA_IF_COMPLEX_DOUBLE(M, Exec, Complex<double>, Complex<double>)

/// Expands M(Exec, Scalar) for the 16-bit types of vectors, which only matrices of float can be multiplied with.
#define TESSERA_FOR_EACH_HALF(Exec, M) \
  TESSERA_IF_FLOAT(M, Exec, Half)      \
  TESSERA_IF_FLOAT(M, Exec, BFloat16)
/// Expands M(Exec, MatrixScalar, VectorScalar) for every pair with 16-bit vectors.
#define TESSERA_FOR_EACH_HALF_PRODUCT(Exec, M) \
  TESSERA_IF_FLOAT(M, Exec, float, Half)       \
  TESSERA_IF_FLOAT(M, Exec, float, BFloat16)

namespace Tessera::Impl {

/// Whether the library is compiled for a scalar type. Complex numbers must be `Complex<Real>`, not std or Kokkos types.
template <class T>
inline constexpr bool is_compiled_v = false;

#define TESSERA_IS_COMPILED(Ignored, T) \
  template <>                           \
  inline constexpr bool is_compiled_v<T> = true;
TESSERA_FOR_EACH_SCALAR(, TESSERA_IS_COMPILED)
#undef TESSERA_IS_COMPILED

}  // namespace Tessera::Impl
