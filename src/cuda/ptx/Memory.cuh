// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/Half.hpp>
#include <tessera/common/Complex.hpp>
#include <type_traits>

#include "Load.cuh"

/// Loads and stores with cache hints: rows of X are read again, A and Y are not.
namespace Tessera::Impl::Cuda {

/// Cache hints of loads of rows of X.
enum class XCaching {
  ReadOnly,  ///< memory that no thread writes (ld.global.nc)
  AllLevels  ///< kept in L1 and in L2 (ld.global.ca)
};

/// Cache hints of stores of rows of Y.
enum class YCaching {
  Streaming,    ///< not read again soon (st.global.cs)
  WriteThrough  ///< through L2 to memory (st.global.wt)
};

/// The CUDA type of n adjacent scalars that are read or written at once.
template <class Scalar, int n>
struct VectorOf {
  using type = std::conditional_t<
      n == 1, Scalar,
      std::conditional_t<std::is_same_v<Scalar, double>, double2,
                         std::conditional_t<std::is_same_v<Scalar, float>, std::conditional_t<n == 2, float2, float4>,
                                            std::conditional_t<n == 2, uint2, uint4>>>>;
};
template <class Scalar, int n>
requires is_half_v<Scalar>
struct VectorOf<Scalar, n> {
  using type = std::conditional_t<n == 1, std::uint16_t, std::conditional_t<n == 2, std::uint32_t, uint2>>;
};
template <class Scalar, int n>
using vector_of_t = typename VectorOf<Scalar, n>::type;

/// Reads n adjacent scalars of X with the cache hint of a policy. Here and below, addresses are multiples of the size
/// of the access.
template <XCaching caching, int n, class Scalar>
__device__ __forceinline__ void load_x(const Scalar* from, Scalar* to) {
  using Vector = vector_of_t<Scalar, n>;
  const auto* source = reinterpret_cast<const Vector*>(from);
  auto& target = *reinterpret_cast<Vector*>(to);
  if constexpr (caching == XCaching::ReadOnly) target = __ldg(source);
  if constexpr (caching == XCaching::AllLevels) target = __ldca(source);
}

/// Writes n scalars of Y with the cache hint of a policy. Rounds them if Y has 16 bits.
template <YCaching caching, int n, class InMemory, class Scalar>
__device__ __forceinline__ void store_y(InMemory* to, const Scalar* from) {
  if constexpr (std::is_same_v<InMemory, Scalar>) {
    using Vector = vector_of_t<Scalar, n>;
    auto* target = reinterpret_cast<Vector*>(to);
    const auto& source = *reinterpret_cast<const Vector*>(from);
    if constexpr (caching == YCaching::Streaming) __stcs(target, source);
    if constexpr (caching == YCaching::WriteThrough) __stwt(target, source);
  } else {
    alignas(vector_of_t<InMemory, n>) InMemory rounded[n];
#pragma unroll
    for (int i = 0; i < n; ++i) rounded[i] = InMemory(from[i]);
    store_y<caching, n>(to, static_cast<const InMemory*>(rounded));
  }
}

/// Reads n scalars that will not be read again, so caches drop them first. Widens 16-bit scalars.
template <int n, class InMemory, class Scalar>
__device__ __forceinline__ void load_once(const InMemory* from, Scalar* to) {
  if constexpr (std::is_same_v<InMemory, Scalar>) {
    *reinterpret_cast<vector_of_t<Scalar, n>*>(to) = __ldcs(reinterpret_cast<const vector_of_t<Scalar, n>*>(from));
  } else {
    alignas(vector_of_t<InMemory, n>) InMemory read[n];
    load_once<n>(from, static_cast<InMemory*>(read));
#pragma unroll
    for (int i = 0; i < n; ++i) to[i] = Scalar(read[i]);
  }
}

/// The part of a row of X or Y that a lane holds: 16 bytes in memory, or one element if memory is not aligned to 16
/// bytes. A lane has a sum for each element. Sums are wider than 16-bit elements.
template <class Scalar, bool aligned, class InMemory = Scalar>
struct Vector {
  static constexpr int size = aligned ? static_cast<int>(16 / sizeof(InMemory)) : 1;
  Scalar at[size];
};

template <class Real>
__device__ inline Real load_reused(const Real* p) {
  if constexpr (is_half_v<Real>) {
    Real value;
    value.bits = __ldg(&p->bits);
    return value;
  } else {
    return __ldg(p);
  }
}
template <class Real>
__device__ inline Complex<Real> load_reused(const Complex<Real>* p) {
  return {__ldg(&p->re), __ldg(&p->im)};
}

template <class Real>
__device__ inline Real load_once(const Real* p) {
  if constexpr (is_half_v<Real>) {
    Real value;
    value.bits = __ldcs(&p->bits);
    return value;
  } else {
    return __ldcs(p);
  }
}
template <class Real>
__device__ inline Complex<Real> load_once(const Complex<Real>* p) {
  return {__ldcs(&p->re), __ldcs(&p->im)};
}

template <class Real>
__device__ inline void store_once(Real* p, Real value) {
  if constexpr (is_half_v<Real>) {
    __stcs(&p->bits, value.bits);
  } else {
    __stcs(p, value);
  }
}
template <class Real>
__device__ inline void store_once(Complex<Real>* p, Complex<Real> value) {
  __stcs(&p->re, value.re);
  __stcs(&p->im, value.im);
}

/// Loads the vector at p from memory that the kernel does not write.
template <bool aligned, class Scalar>
__device__ inline Vector<Scalar, aligned> load_vector(const Scalar* p) {
  Vector<Scalar, aligned> vector;
  if constexpr (aligned) {
    const uint4 words = load_now_16(p);
    std::memcpy(&vector, &words, sizeof(words));
  } else {
    vector.at[0] = load_reused(p);
  }
  return vector;
}

/// Loads the vector at p from memory that the kernel may write, and that is read once.
template <bool aligned, class Scalar>
__device__ inline Vector<Scalar, aligned> load_vector_once(const Scalar* p) {
  Vector<Scalar, aligned> vector;
  if constexpr (aligned) {
    const uint4 words = __ldcs(reinterpret_cast<const uint4*>(p));
    std::memcpy(&vector, &words, sizeof(words));
  } else {
    vector.at[0] = load_once(p);
  }
  return vector;
}

template <class Scalar, bool aligned>
__device__ inline void store_vector_once(Scalar* p, const Vector<Scalar, aligned>& vector) {
  if constexpr (aligned) {
    uint4 words;
    std::memcpy(&words, &vector, sizeof(words));
    __stcs(reinterpret_cast<uint4*>(p), words);
  } else {
    store_once(p, vector.at[0]);
  }
}

/// Stores a vector that will be read again. If it is aligned, the address is a multiple of 16 bytes.
template <class Scalar, bool aligned, class InMemory>
__device__ inline void store_vector(Scalar* p, const Vector<Scalar, aligned, InMemory>& vector) {
  if constexpr (aligned) {
    uint4 words[sizeof(vector) / sizeof(uint4)];
    std::memcpy(&words, &vector, sizeof(words));
#pragma unroll
    for (std::size_t w = 0; w < sizeof(words) / sizeof(uint4); ++w) reinterpret_cast<uint4*>(p)[w] = words[w];
  } else {
    *p = vector.at[0];
  }
}

/// Loads n adjacent elements that will not be read again, up to 16 bytes at a time. Their address is a multiple of
/// these bytes.
template <int n, class T>
__device__ inline void load_block_once(const T* from, T* to) {
  constexpr std::size_t bytes = n * sizeof(T);
  using Word =
      std::conditional_t<bytes % sizeof(uint4) == 0, uint4,
                         std::conditional_t<bytes == sizeof(uint2), uint2,
                                            std::conditional_t<bytes == sizeof(unsigned), unsigned, unsigned short>>>;
  static_assert(bytes % sizeof(Word) == 0 && (bytes == sizeof(Word) || sizeof(Word) == sizeof(uint4)));
  Word words[bytes / sizeof(Word)];
  const auto* word = reinterpret_cast<const Word*>(from);
#pragma unroll
  for (Word& next : words) next = __ldcs(word++);
  std::memcpy(to, words, bytes);
}

/// Loads n adjacent elements that will not be read again, at exactly this point of the program (load_now_once_16()).
/// Their address is a multiple of their bytes, or of 16.
template <class T, int n>
__device__ inline void load_block_now_once(const T* from, T (&to)[n]) {
  if constexpr (sizeof(to) == sizeof(uint2)) {
    const uint2 word = load_now_once_8(from);
    std::memcpy(&to, &word, sizeof(to));
  } else {
    static_assert(sizeof(to) % sizeof(uint4) == 0);
    uint4 words[sizeof(to) / sizeof(uint4)];
    const auto* word = reinterpret_cast<const uint4*>(from);
#pragma unroll
    for (uint4& next : words) next = load_now_once_16(word++);
    std::memcpy(&to, &words, sizeof(to));
  }
}

/// Returns the value whose words are exchange(word) for each 32-bit word of `value`.
template <class T, class Exchange>
__device__ inline T exchanged(const T& value, const Exchange& exchange) {
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  constexpr int words = sizeof(T) / sizeof(std::uint32_t);
  std::uint32_t parts[words];
  std::memcpy(parts, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < words; ++w) parts[w] = exchange(parts[w]);
  T result;
  std::memcpy(&result, parts, sizeof(T));
  return result;
}

// All lanes of the warp must call these functions.

/// Returns the value of lane `source` of the caller's group of `lanes` lanes.
template <class T>
__device__ inline T broadcast(const T& value, int source, int lanes) {
  return exchanged(value, [&](std::uint32_t word) { return __shfl_sync(0xffffffffu, word, source, lanes); });
}
/// Returns the value of the lane whose number is higher by `distance`; the caller's own value if there is none.
template <class T>
__device__ inline T from_higher_lane(const T& value, int distance) {
  return exchanged(value, [&](std::uint32_t word) { return __shfl_down_sync(0xffffffffu, word, distance); });
}

}  // namespace Tessera::Impl::Cuda
