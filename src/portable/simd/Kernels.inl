// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once per instruction set: the including file defines TESSERA_SIMD_NAMESPACE and TESSERA_SIMD_BYTES, the
// width of a vector register. Nothing here may call an inline function of a shared header (see HostKernels.hpp).
#include <tessera/common/CompiledTypes.hpp>

#include "BitTcfKernels.inl"
#include "CsrKernels.inl"
#include "PackRows.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

template <class MatrixScalar, class VectorScalar, class Offset>
struct Table {
  static constexpr HostKernels<MatrixScalar, VectorScalar, Offset> kernels = {csr_rows, bittcf_windows, pack_rows};
};

template <class MatrixScalar, class VectorScalar, class Offset>
const HostKernels<MatrixScalar, VectorScalar, Offset>& kernels() {
  return Table<MatrixScalar, VectorScalar, Offset>::kernels;
}

#define TESSERA_INSTANTIATE(Ignored, M, V, Offset) template const HostKernels<M, V, Offset>& kernels();
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
