// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KokkosKernelsProduct.hpp"

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
#include <KokkosKernels_config.h>

#include <KokkosSparse_spmv.hpp>
#include <memory>

#include "Context.hpp"
#include "KokkosKernelsMatrix.hpp"
#endif

namespace Tessera::Benchmarks {

namespace {

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
template <class View>
std::function<void(const Space&)> product(const DeviceMatrix& A, const View& X, const View& Y) {
  const auto handle = std::make_shared<KokkosSparse::SPMVHandle<Space, Matrix, View, View>>();
  return [matrix = kokkos_kernels_matrix(A), handle, X, Y](const Space& exec) {
    KokkosSparse::spmv(exec, handle.get(), "N", 1.0, matrix, X, 0.0, Y);
  };
}
#else
template <class View>
std::function<void(const Space&)> product(const DeviceMatrix&, const View&, const View&) {
  return {};
}
#endif

}  // namespace

std::string kokkos_kernels_build() {
#ifdef TESSERA_HAVE_KOKKOS_KERNELS
  constexpr int version = KOKKOSKERNELS_VERSION;
  return version_text(version) + ", " + TESSERA_KOKKOS_KERNELS_BUILD;
#else
  return "none";
#endif
}

std::function<void(const Space&)> kokkos_kernels_product(const DeviceMatrix& A, const Vectors<Kokkos::LayoutLeft>& X,
                                                         const Vectors<Kokkos::LayoutLeft>& Y) {
  return product(A, X, Y);
}

std::function<void(const Space&)> kokkos_kernels_product(const DeviceMatrix& A, const Vectors<Kokkos::LayoutRight>& X,
                                                         const Vectors<Kokkos::LayoutRight>& Y) {
  return product(A, X, Y);
}

}  // namespace Tessera::Benchmarks
