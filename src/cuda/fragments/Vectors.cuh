// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../condensed/Policy.hpp"

namespace Tessera::Cuda {

/// The CUDA type of n adjacent scalars that are read or written at once.
template <class Scalar, int n>
struct VectorOf;
template <>
struct VectorOf<float, 1> {
  using type = float;
};
template <>
struct VectorOf<float, 2> {
  using type = float2;
};
template <>
struct VectorOf<float, 4> {
  using type = float4;
};
template <>
struct VectorOf<double, 1> {
  using type = double;
};
template <>
struct VectorOf<double, 2> {
  using type = double2;
};
template <>
struct VectorOf<std::uint32_t, 1> {
  using type = std::uint32_t;
};
template <>
struct VectorOf<std::uint32_t, 2> {
  using type = uint2;
};
template <>
struct VectorOf<std::uint32_t, 4> {
  using type = uint4;
};
template <class Scalar, int n>
using vector_of_t = typename VectorOf<Scalar, n>::type;

/// Reads n scalars that other warps will read again. The address must be a multiple of their size.
template <int n, class Scalar>
__device__ __forceinline__ void load_shared_by_warps(const Scalar* from, Scalar* to) {
  *reinterpret_cast<vector_of_t<Scalar, n>*>(to) = __ldg(reinterpret_cast<const vector_of_t<Scalar, n>*>(from));
}

/// Reads n scalars of X, telling the caches what a policy says.
template <XCaching caching, int n, class Scalar>
__device__ __forceinline__ void load_x(const Scalar* from, Scalar* to) {
  using Vector = vector_of_t<Scalar, n>;
  const auto* source = reinterpret_cast<const Vector*>(from);
  auto& target = *reinterpret_cast<Vector*>(to);
  if constexpr (caching == XCaching::ReadOnly) load_shared_by_warps<n>(from, to);
  if constexpr (caching == XCaching::AllLevels) target = __ldca(source);
  if constexpr (caching == XCaching::PastL1) target = __ldcg(source);
  if constexpr (caching == XCaching::Ordinary) target = *source;
}

/// Writes n scalars of Y, telling the caches what a policy says.
template <YCaching caching, int n, class Scalar>
__device__ __forceinline__ void store_y(Scalar* to, const Scalar* from) {
  using Vector = vector_of_t<Scalar, n>;
  auto* target = reinterpret_cast<Vector*>(to);
  const auto& source = *reinterpret_cast<const Vector*>(from);
  if constexpr (caching == YCaching::Streaming) __stcs(target, source);
  if constexpr (caching == YCaching::WriteThrough) __stwt(target, source);
  if constexpr (caching == YCaching::Ordinary) *target = source;
}

/// Reads n scalars that nobody else will read: they are the first that caches may drop.
template <int n, class Scalar>
__device__ __forceinline__ void load_once(const Scalar* from, Scalar* to) {
  *reinterpret_cast<vector_of_t<Scalar, n>*>(to) = __ldcs(reinterpret_cast<const vector_of_t<Scalar, n>*>(from));
}

/// Writes n scalars that nobody will read soon.
template <int n, class Scalar>
__device__ __forceinline__ void store_once(Scalar* to, const Scalar* from) {
  __stcs(reinterpret_cast<vector_of_t<Scalar, n>*>(to), *reinterpret_cast<const vector_of_t<Scalar, n>*>(from));
}

}  // namespace Tessera::Cuda
