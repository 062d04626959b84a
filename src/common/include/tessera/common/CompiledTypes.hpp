// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Half.hpp>

// The types that the library is compiled for: all, unless TESSERA_SCALARS and TESSERA_OFFSETS of CMake name some.
// Tessera's targets then define TESSERA_WITHOUT_... for each of the others, also for users' files.
//
// The lists below expand M for every type. They pass their first argument on to M.
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
#ifdef TESSERA_WITHOUT_INT
#define TESSERA_IF_INT(M, ...)
#else
#define TESSERA_IF_INT(M, ...) M(__VA_ARGS__)
#endif
#ifdef TESSERA_WITHOUT_SIZE_T
#define TESSERA_IF_SIZE_T(M, ...)
#else
#define TESSERA_IF_SIZE_T(M, ...) M(__VA_ARGS__)
#endif

/// M(..., Offset) for every type of offsets.
#define TESSERA_WITH_OFFSETS(M, ...)  \
  TESSERA_IF_INT(M, __VA_ARGS__, int) \
  TESSERA_IF_SIZE_T(M, __VA_ARGS__, std::size_t)
#define TESSERA_FOR_EACH_OFFSET(Exec, M) TESSERA_WITH_OFFSETS(M, Exec)

/// M(Exec, Scalar) for every type of multivectors.
#define TESSERA_FOR_EACH_SCALAR(Exec, M)            \
  TESSERA_IF_FLOAT(M, Exec, float)                  \
  TESSERA_IF_DOUBLE(M, Exec, double)                \
  TESSERA_IF_COMPLEX_FLOAT(M, Exec, Complex<float>) \
  TESSERA_IF_COMPLEX_DOUBLE(M, Exec, Complex<double>)

/// M(Exec, Scalar, Offset) for every type of matrix.
#define TESSERA_FOR_EACH_MATRIX(Exec, M)                                  \
  TESSERA_IF_FLOAT(TESSERA_WITH_OFFSETS, M, Exec, float)                  \
  TESSERA_IF_DOUBLE(TESSERA_WITH_OFFSETS, M, Exec, double)                \
  TESSERA_IF_COMPLEX_FLOAT(TESSERA_WITH_OFFSETS, M, Exec, Complex<float>) \
  TESSERA_IF_COMPLEX_DOUBLE(TESSERA_WITH_OFFSETS, M, Exec, Complex<double>)

/// M(Exec, MatrixScalar, VectorScalar, Offset) for every pair that may be multiplied, but for vectors of 16 bits.
#define TESSERA_FOR_EACH_PRODUCT(Exec, M)                                                 \
  TESSERA_IF_FLOAT(TESSERA_WITH_OFFSETS, M, Exec, float, float)                           \
  TESSERA_IF_DOUBLE(TESSERA_WITH_OFFSETS, M, Exec, double, double)                        \
  TESSERA_IF_FLOAT_AND_DOUBLE(TESSERA_WITH_OFFSETS, M, Exec, float, double)               \
  TESSERA_IF_COMPLEX_FLOAT(TESSERA_WITH_OFFSETS, M, Exec, Complex<float>, Complex<float>) \
  TESSERA_IF_COMPLEX_DOUBLE(TESSERA_WITH_OFFSETS, M, Exec, Complex<double>, Complex<double>)

/// M(Exec, Scalar) for vectors of 16 bits, which float matrices may be multiplied with.
#define TESSERA_FOR_EACH_HALF(Exec, M) \
  TESSERA_IF_FLOAT(M, Exec, Half)      \
  TESSERA_IF_FLOAT(M, Exec, BFloat16)
/// M(Exec, MatrixScalar, VectorScalar, Offset) for every such pair.
#define TESSERA_FOR_EACH_HALF_PRODUCT(Exec, M)                 \
  TESSERA_IF_FLOAT(TESSERA_WITH_OFFSETS, M, Exec, float, Half) \
  TESSERA_IF_FLOAT(TESSERA_WITH_OFFSETS, M, Exec, float, BFloat16)

namespace Tessera {

/// Whether the library is compiled for a type of scalars (`Complex<double>`, not a user's name for it) or of offsets.
template <class T>
inline constexpr bool is_compiled_v = false;

#define TESSERA_IS_COMPILED(Ignored, T) \
  template <>                           \
  inline constexpr bool is_compiled_v<T> = true;
TESSERA_FOR_EACH_SCALAR(, TESSERA_IS_COMPILED)
TESSERA_FOR_EACH_OFFSET(, TESSERA_IS_COMPILED)
#undef TESSERA_IS_COMPILED

}  // namespace Tessera
