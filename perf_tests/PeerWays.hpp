// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <harness/Curve.hpp>
#include <string>
#include <vector>

#include "DeviceMatrix.hpp"

namespace Tessera::Impl::Benchmarks {

/// Returns the ways of other libraries to compute Y = A X, each with its own set-up, for float and double and both
/// layouts. The arrays must outlive the ways.
///
/// "cusparse", on Kokkos::Cuda if CUDA has it: each algorithm for compressed rows, of SpMV for one column and of SpMM
/// for several, with and without preprocessing, and for one column of SpMVOp, which always preprocesses. The set-up
/// makes new descriptors, because preprocessing leaves its result in them, and allocates the buffer. All share a
/// handle, which a program makes once. A matrix without entries has no such ways. "kokkos_kernels", if Kokkos Kernels
/// was found: KokkosSparse::spmv, whose first call with a handle does the set-up.
template <class Scalar, class Layout>
std::vector<Way> peer_ways(const Space& exec, const DeviceCsr<Scalar, int, Space>& A, const Vectors<Layout, Scalar>& X,
                           const Vectors<Layout, Scalar>& Y);

/// Returns "cuSPARSE 12.6.3", or "none".
std::string cusparse_build();

}  // namespace Tessera::Impl::Benchmarks
