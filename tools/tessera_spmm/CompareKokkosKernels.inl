// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files include that compile Kokkos Kernels' product for one type of values each: its spmv takes most of a
// minute for each type and layout.
#include <memory>
#include <stdexcept>
#include <string>

#include "CompareKokkosKernels.hpp"

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#endif

namespace Tessera::Driver {

#ifdef TESSERA_HAVE_KOKKOS_KERNELS

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

}  // namespace Tessera::Driver
