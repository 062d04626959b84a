// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <tessera/common/CompiledTypes.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "FewerCases.hpp"

/// Lists of types for typed tests.
namespace Tessera::Impl::Test {

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

/// Keeps the cases of a list whose types the library is compiled for.
template <class Case>
struct IfCompiled;
template <template <class...> class Case, class... T>
struct IfCompiled<Case<T...>> {
  static constexpr bool is_compiled =
      ((is_compiled_v<T> || Kokkos::is_execution_space_v<T> || std::is_integral_v<T>)&&...);
  using type = std::conditional_t<is_compiled, ::testing::Types<Case<T...>>, ::testing::Types<>>;
};
template <class List>
struct Compiled;
template <class... Cases>
struct Compiled<::testing::Types<Cases...>> {
  using type = typename Join<typename IfCompiled<Cases>::type..., ::testing::Types<>>::type;
};

template <class Exec>
using OffsetCasesOf = ::testing::Types<Case<Exec, int>>;
template <class Exec>
using UserOffsetCasesOf = ::testing::Types<Case<Exec, int>, Case<Exec, std::size_t>>;
template <class Exec>
using ProductCasesOf = ::testing::Types<Case<Exec, float, float, int>, Case<Exec, double, double, int>,
                                        Case<Exec, float, double, int>, Case<Exec, Complex<float>, Complex<float>, int>,
                                        Case<Exec, Complex<double>, Complex<double>, int>>;
template <class Exec>
using UserProductCasesOf =
    typename Join<ProductCasesOf<Exec>, ::testing::Types<Case<Exec, double, double, std::size_t>>>::type;

#define TESSERA_CASES(ExecutionSpace, List) List<ExecutionSpace>,
template <template <class> class List>
struct EverySpace {
  using type = typename Compiled<
      typename Join<TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_CASES, List)::testing::Types<>>::type>::type;
};
#undef TESSERA_CASES

/// Whether to run the current one of many similar cases. Hosts run all cases. On a GPU each case waits for hundreds of
/// small kernels, so it runs one in `some` cases or, if fewer are wanted, one in 6 some - 1. `some` must be coprime to
/// the lengths of the loops around the case, else some iterations of an inner loop never run. 3, 5 and 7 become 17, 29
/// and 41, which are primes, too.
template <class Exec>
bool is_chosen_on([[maybe_unused]] int some) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible) {
    return true;
  } else {
    static int cases = 0;
    return cases++ % (runs_fewer_cases() && some > 1 ? 6 * some - 1 : some) == 0;
  }
}

/// Every enabled execution space with every offset type that the library stores.
using OffsetCases = EverySpace<OffsetCasesOf>::type;
/// Every enabled execution space with every offset type that users may pass.
using UserOffsetCases = EverySpace<UserOffsetCasesOf>::type;
/// Every enabled execution space with every product that the library is compiled for.
using ProductCases = EverySpace<ProductCasesOf>::type;
/// Every enabled execution space with every compiled product and every offset type that users may pass.
using UserProductCases = EverySpace<UserProductCasesOf>::type;

}  // namespace Tessera::Impl::Test
