// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once per instruction set. The including file defines TESSERA_SIMD_NAMESPACE and TESSERA_SIMD_BYTES, the
// width of a vector register. This code must not call inline functions of shared headers (see DenseKernels.hpp).
#include <tessera/common/CompiledTypes.hpp>

#include "ColumnKernels.inl"
#include "GramKernels.inl"
#include "UpdateKernels.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

template <class Scalar>
struct DenseTable {
  static constexpr DenseKernels<Scalar> kernels = {
      Tall::gram_rows,     Tall::dot_rows, Tall::magnitude_rows,       Tall::greatest_rows,    Tall::pack_matrix,
      Tall::multiply_rows, Tall::add_rows, Tall::scale_rows_by_column, Tall::scale_rows_by_row};
};

template <class Scalar>
const DenseKernels<Scalar>& dense_kernel_table() {
  return DenseTable<Scalar>::kernels;
}

#define TESSERA_INSTANTIATE(Scalar) template const DenseKernels<Scalar>& dense_kernel_table();
TESSERA_IF_FLOAT(TESSERA_INSTANTIATE, float)
TESSERA_IF_DOUBLE(TESSERA_INSTANTIATE, double)

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
