// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

/// The types that typed tests run over.
namespace Tessera::Test {

template <class Exec, class... T>
struct Case {
  using ExecutionSpace = Exec;
};
template <class Exec, class Offset_>
struct Case<Exec, Offset_> {
  using ExecutionSpace = Exec;
  using Offset = Offset_;
};
template <class Exec, class MatrixScalar_, class VectorScalar_, class Offset_>
struct Case<Exec, MatrixScalar_, VectorScalar_, Offset_> {
  using ExecutionSpace = Exec;
  using MatrixScalar = MatrixScalar_;
  using VectorScalar = VectorScalar_;
  using Offset = Offset_;
};

template <class... Lists>
struct Join;
template <class... T>
struct Join<::testing::Types<T...>> {
  using type = ::testing::Types<T...>;
};
template <class... T, class... U, class... Rest>
struct Join<::testing::Types<T...>, ::testing::Types<U...>, Rest...> {
  using type = typename Join<::testing::Types<T..., U...>, Rest...>::type;
};

template <class Exec>
using OffsetCasesOf = ::testing::Types<Case<Exec, int>, Case<Exec, std::size_t>>;
template <class Exec>
using ProductCasesOf =
    ::testing::Types<Case<Exec, float, float, int>, Case<Exec, double, double, int>, Case<Exec, float, double, int>,
                     Case<Exec, Complex<float>, Complex<float>, int>, Case<Exec, Complex<double>, Complex<double>, int>,
                     Case<Exec, float, float, std::size_t>, Case<Exec, double, double, std::size_t>,
                     Case<Exec, float, double, std::size_t>, Case<Exec, Complex<float>, Complex<float>, std::size_t>,
                     Case<Exec, Complex<double>, Complex<double>, std::size_t>>;

template <template <class> class List>
struct EverySpace {
  using type = typename Join<
#ifdef KOKKOS_ENABLE_SERIAL
      List<Kokkos::Serial>,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
      List<Kokkos::OpenMP>,
#endif
#ifdef KOKKOS_ENABLE_CUDA
      List<Kokkos::Cuda>,
#endif
      ::testing::Types<>>::type;
};

/// Every enabled execution space with both offsets.
using OffsetCases = EverySpace<OffsetCasesOf>::type;
/// Every enabled execution space with every product of the library.
using ProductCases = EverySpace<ProductCasesOf>::type;

}  // namespace Tessera::Test
