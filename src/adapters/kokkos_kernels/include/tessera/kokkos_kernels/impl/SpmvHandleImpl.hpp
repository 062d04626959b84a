// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_spmv.hpp>
#include <tessera/kokkos_kernels/impl/MatrixPlan.hpp>

namespace Tessera::Impl {

/// The base of SpmvHandle that KokkosSparse::spmv uses. It casts a handle to the handle's ImplType, and strips the
/// types of Views. For one contiguous column it calls itself with get_impl(), so the handle then has type ImplType. All
/// these types are the same, because ImplType depends neither on the type of the matrix nor on those of vectors.
template <class ExecutionSpace, class MemorySpace, class Scalar, class Offset, class Ordinal_>
class SpmvHandleImpl : public MatrixPlan<ExecutionSpace, Scalar, Offset, Ordinal_> {
 public:
  using ExecutionSpaceType = ExecutionSpace;
  using ImplType = SpmvHandleImpl;
  using MatrixPlan<ExecutionSpace, Scalar, Offset, Ordinal_>::MatrixPlan;

  ImplType* get_impl() { return this; }

  /// Returns this algorithm only: with any other, Kokkos Kernels would use its own kernels.
  KokkosSparse::SPMVAlgorithm get_algorithm() const { return KokkosSparse::SPMV_DEFAULT; }
};

template <class DeviceType, class AMatrix>
using spmv_handle_impl_t = SpmvHandleImpl<typename DeviceType::execution_space, typename AMatrix::memory_space,
                                          typename AMatrix::non_const_value_type, typename AMatrix::non_const_size_type,
                                          typename AMatrix::non_const_ordinal_type>;

}  // namespace Tessera::Impl

// Kokkos Kernels dispatches to these four by the type of the handle (checked in 4.5 to 5.0). That type is Tessera's:
// the specialisations collide with none of Kokkos Kernels' own and change none of its products. Its tables have no TPL
// (first bool) and no precompiled kernel (last bool) for this handle, and a forced native kernel has the same values.
// Hence only (false, false) is ever reached, with and without KOKKOSKERNELS_ETI_ONLY. Each function receives mode,
// alpha, A, X, beta and Y, and passes them to the handle in this order.
namespace KokkosSparse::Impl {

template <class E, class... P, class A, class X, class Y>
struct SPMV<E, Tessera::Impl::SpmvHandleImpl<P...>, A, X, Y, false, false> {
  template <class... Arguments>
  static void spmv(const E& exec, Tessera::Impl::SpmvHandleImpl<P...>* handle, const Arguments&... arguments) {
    handle->multiply(exec, arguments...);
  }
};

template <class E, class... P, class A, class X, class Y>
struct SPMV_MV<E, Tessera::Impl::SpmvHandleImpl<P...>, A, X, Y, false, false, false> {
  template <class... Arguments>
  static void spmv_mv(const E& exec, Tessera::Impl::SpmvHandleImpl<P...>* handle, const Arguments&... arguments) {
    handle->multiply(exec, arguments...);
  }
};

template <class E, class... P, class A, class X, class Y>
struct SPMV_BSRMATRIX<E, Tessera::Impl::SpmvHandleImpl<P...>, A, X, Y, false, false> {
  template <class... Arguments>
  static void spmv_bsrmatrix(const E& exec, Tessera::Impl::SpmvHandleImpl<P...>* handle,
                             const Arguments&... arguments) {
    handle->multiply(exec, arguments...);
  }
};

template <class E, class... P, class A, class X, class Y>
struct SPMV_MV_BSRMATRIX<E, Tessera::Impl::SpmvHandleImpl<P...>, A, X, Y, false, false, false> {
  template <class... Arguments>
  static void spmv_mv_bsrmatrix(const E& exec, Tessera::Impl::SpmvHandleImpl<P...>* handle,
                                const Arguments&... arguments) {
    handle->multiply(exec, arguments...);
  }
};

}  // namespace KokkosSparse::Impl
