// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once per instruction set: the including file defines TESSERA_SIMD_NAMESPACE and TESSERA_SIMD_BYTES, the
// width of a vector register. This code must not call inline functions of shared headers (see HostKernels.hpp).
#include <tessera/common/CompiledTypes.hpp>

#include "BitTcfKernels.inl"
#include "CsrKernels.inl"
#include "PackRows.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

template <class MatrixScalar, class VectorScalar>
struct Table {
  static constexpr HostKernels<MatrixScalar, VectorScalar> kernels = {csr_rows, bittcf_windows, pack_rows};
};

template <class MatrixScalar, class VectorScalar>
const HostKernels<MatrixScalar, VectorScalar>& kernels() {
  return Table<MatrixScalar, VectorScalar>::kernels;
}

#define TESSERA_INSTANTIATE(Ignored, M, V) template const HostKernels<M, V>& kernels();
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
