// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/parallel/SimdTarget.hpp>

#include "bittcf/BitTcfView.hpp"

/// The inner loops of the product on a host: the rows of one thread, vectorised over the columns of X.
///
/// The same source (Kernels.inl) is compiled once for each instruction set of SimdTarget.hpp. Its functions only get
/// raw pointers. If they called functions of shared headers, the linker might keep the copies that need AVX-512.
namespace Tessera::Impl {

template <class MatrixScalar, class VectorScalar>
struct HostKernels {
  // X is read by rows: its columns must be adjacent (column_stride 1) unless there is only one, and at most
  // most_columns (HostSpmm.hpp).
  using Dense = Product<MatrixScalar, VectorScalar>;
  /// Multiplies rows [first, last) of a matrix in CSR.
  void (*csr)(const CsrPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Multiplies windows [first, last), of 8 rows each, of a matrix in BitTCF.
  void (*bittcf)(const BitTcfPattern&, const Dense&, Ordinal first, Ordinal last);
  /// Copies rows [first, last) of X to `packed`, with adjacent columns and row stride `packed_stride`.
  void (*pack)(const Multivector<const VectorScalar>& x, VectorScalar* packed, std::ptrdiff_t packed_stride,
               Ordinal first, Ordinal last);
};

template <class MatrixScalar, class VectorScalar>
const HostKernels<MatrixScalar, VectorScalar>& host_kernels(SimdTarget target);

}  // namespace Tessera::Impl
