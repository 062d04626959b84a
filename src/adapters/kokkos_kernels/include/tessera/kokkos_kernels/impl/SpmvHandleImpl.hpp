// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_spmv.hpp>
#include <tessera/kokkos_kernels/impl/MatrixPlan.hpp>

namespace Tessera::Impl {

/// The part of SpmvHandle that KokkosSparse::spmv sees, which casts a handle to its ImplType and strips the types of
/// Views. A call for one contiguous column returns through get_impl(), with ImplType as the type of the handle.
/// ImplType depends neither on the matrix nor on the vectors, hence all of these are one type.
template <class ExecutionSpace, class MemorySpace, class Scalar, class Offset, class Ordinal_>
class SpmvHandleImpl : public MatrixPlan<ExecutionSpace, Scalar, Offset, Ordinal_> {
 public:
  using ExecutionSpaceType = ExecutionSpace;
  using ImplType = SpmvHandleImpl;
  using MatrixPlan<ExecutionSpace, Scalar, Offset, Ordinal_>::MatrixPlan;

  ImplType* get_impl() { return this; }

  /// Always this algorithm: with any other, Kokkos Kernels would use its own kernels.
  KokkosSparse::SPMVAlgorithm get_algorithm() const { return KokkosSparse::SPMV_DEFAULT; }
};

template <class DeviceType, class AMatrix>
using spmv_handle_impl_t = SpmvHandleImpl<typename DeviceType::execution_space, typename AMatrix::memory_space,
                                          typename AMatrix::non_const_value_type, typename AMatrix::non_const_size_type,
                                          typename AMatrix::non_const_ordinal_type>;

}  // namespace Tessera::Impl

// Kokkos Kernels dispatches to these four (checked in 4.5 to 4.7) by the type of the handle. That type is ours: they
// collide with none of its own specialisations and change none of its products.
// Its tables have no TPL (first bool) and no precompiled kernel (last bool) for our handle, and a forced native kernel
// asks for the same. Only (false, false) is ever reached, with KOKKOSKERNELS_ETI_ONLY or without.
// Each takes mode, alpha, A, X, beta and Y, and passes them to the handle in this order.
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
