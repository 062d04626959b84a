// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/BcsrView.hpp>
#include <tessera/common/BitTcfView.hpp>
#include <tessera/common/BmatView.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/common/RowGroupsView.hpp>
#include <tessera/common/SortedColumnsView.hpp>
#include <tessera/common/StagedView.hpp>
#include <tessera/parallel/SimdTarget.hpp>

/// The inner loops of the product on a host: the rows of one thread, vectorised over the columns of X.
///
/// The same source (Kernels.inl) is compiled once for each instruction set of SimdTarget.hpp. Only raw pointers pass:
/// the linker keeps one copy of a function of a shared header, and that could be the one compiled with AVX-512.
namespace Tessera::Impl {

template <class MatrixScalar, class VectorScalar, class Offset>
struct HostKernels {
  // X is read by rows: its columns must be adjacent (column_stride 1) unless there is only one, or the kernel says so.
  // It has no more than most_columns columns (HostSpmm.hpp).
  using Dense = Product<MatrixScalar, VectorScalar>;
  /// Rows [first, last) of a matrix in CSR.
  void (*csr)(const CsrPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Windows of 8 rows [first, last) of a matrix in BitTCF.
  void (*bittcf)(const BitTcfPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Windows of 16 rows [first, last) of a matrix in BMat.
  void (*bmat)(const BmatPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Windows [first, last) of a matrix in BCSR.
  void (*bcsr)(const BcsrPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Staged windows [first, last).
  void (*staged)(const StagedWindowsPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Groups [first, last) of a matrix in row groups.
  void (*row_groups)(const RowGroupsPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Y += alpha A X for the columns [first, last) of X and Y, which may have any strides; beta is not used.
  void (*sorted_columns)(const SortedColumnsPattern<Offset>&, const Dense&, Ordinal first, Ordinal last);
  /// Copies rows [first, last) of X to `packed`, with adjacent columns and `packed_stride` elements from row to row.
  void (*pack)(const Multivector<const VectorScalar>& x, VectorScalar* packed, std::ptrdiff_t packed_stride,
               Ordinal first, Ordinal last);
};

template <class MatrixScalar, class VectorScalar, class Offset>
const HostKernels<MatrixScalar, VectorScalar, Offset>& host_kernels(SimdTarget target);

}  // namespace Tessera::Impl
