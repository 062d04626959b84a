// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that includes Kokkos Kernels, whose spmv takes most of a minute to compile for each type and layout.
#include "CompareKokkosKernels.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
#include <KokkosKernels_config.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#endif

namespace Tessera::Driver {

#ifdef TESSERA_HAVE_KOKKOS_KERNELS

bool has_kokkos_kernels() { return true; }

std::string kokkos_kernels_build() {
  constexpr int version = KOKKOSKERNELS_VERSION;
  return "Kokkos Kernels " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100) + ", compiled with " TESSERA_KOKKOS_KERNELS_BUILD;
}

template <class Value, class KokkosLayout>
std::function<void()> kokkos_kernels_product(const DefaultSpace& exec, const DeviceCsr<Value, int, DefaultSpace>& a,
                                             Mode mode, Value alpha,
                                             const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                             const DeviceDense<Value, KokkosLayout, DefaultSpace>& y) {
  using Matrix = KokkosSparse::CrsMatrix<Value, int, typename DefaultSpace::device_type, void, int>;
  using Dense = DeviceDense<Value, KokkosLayout, DefaultSpace>;
  using Handle = KokkosSparse::SPMVHandle<DefaultSpace, Matrix, Dense, Dense>;
  const Matrix matrix("A", a.rows, a.columns, static_cast<int>(a.values.extent(0)), a.values, a.row_offsets,
                      a.column_indices);
  return [=, handle = std::make_shared<Handle>(), letter = std::string(to_string(mode))] {
    KokkosSparse::spmv(exec, handle.get(), letter.c_str(), alpha, matrix, x, beta, y);
  };
}

#else

bool has_kokkos_kernels() { return false; }

std::string kokkos_kernels_build() { return "none"; }

template <class Value, class KokkosLayout>
std::function<void()> kokkos_kernels_product(const DefaultSpace&, const DeviceCsr<Value, int, DefaultSpace>&, Mode,
                                             Value, const DeviceDense<Value, KokkosLayout, DefaultSpace>&, Value,
                                             const DeviceDense<Value, KokkosLayout, DefaultSpace>&) {
  throw std::invalid_argument("--compare kokkoskernels: this program was built without Kokkos Kernels");
}

#endif

#define TESSERA_INSTANTIATE_LAYOUT(Value, KokkosLayout)                                                               \
  template std::function<void()> kokkos_kernels_product(const DefaultSpace&,                                          \
                                                        const DeviceCsr<Value, int, DefaultSpace>&, Mode, Value,      \
                                                        const DeviceDense<Value, KokkosLayout, DefaultSpace>&, Value, \
                                                        const DeviceDense<Value, KokkosLayout, DefaultSpace>&);
#define TESSERA_INSTANTIATE(Value)                      \
  TESSERA_INSTANTIATE_LAYOUT(Value, Kokkos::LayoutLeft) \
  TESSERA_INSTANTIATE_LAYOUT(Value, Kokkos::LayoutRight)
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)

}  // namespace Tessera::Driver
