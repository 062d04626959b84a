// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/cuda/tall/ColumnSums.hpp>
#include <tessera/cuda/tall/Gram.hpp>
#include <tessera/cuda/tall/Update.hpp>

#include "Panel.hpp"
#include "Workspace.hpp"

/// Products and column sums of tall blocks, with the kernels of layer `cuda`.
namespace Tessera::Impl::OnCuda {

static_assert(panel_columns == Cuda::most_panel_columns);

/// Whether the GPU supports the kernels.
inline bool has_kernels(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().major >= 8 && Cuda::can_update(); }

template <class Scalar>
Cuda::TallPanel<Scalar> panel_for_cuda(const Panel<Scalar>& X) {
  Cuda::TallPanel<Scalar> panel;
  panel.data = X.data;
  panel.rows = X.rows;
  panel.columns = X.columns;
  panel.row_stride = X.row_stride;
  panel.is_listed = X.has_list;
  if (X.has_list) std::copy_n(X.places, X.columns, panel.places);
  return panel;
}

template <class Scalar>
bool are_same(const Panel<const Scalar>& X, const Panel<const Scalar>& Y) {
  return X.data == Y.data && X.columns == Y.columns && X.row_stride == Y.row_stride && X.has_list == Y.has_list &&
         (!X.has_list || std::equal(X.places, X.places + X.columns, Y.places));
}

/// Computes results = X^T Y in row-major order, which is a column-major Y^T X.
template <class Scalar>
void gram_of_panels(const Kokkos::Cuda& exec, const DenseWorkspace<Kokkos::Cuda>& workspace,
                    const Panel<const Scalar>& X, const Panel<const Scalar>& Y, Scalar* results) {
  const std::size_t bytes = Cuda::gram_scratch_bytes(Y.columns, X.columns);
  auto* scratch = workspace.memory().template take_partial<std::byte>(exec, bytes);
  Cuda::gram<Scalar>(exec.cuda_stream(), panel_for_cuda(Y), panel_for_cuda(X), are_same(X, Y), results, Y.columns,
                     {scratch, bytes});
}

/// Computes results[j], a sum over column j.
template <class Scalar>
void column_sums_of_panels(const Kokkos::Cuda& exec, const DenseWorkspace<Kokkos::Cuda>& workspace, ColumnSum kind,
                           const Panel<const Scalar>& X, const Panel<const Scalar>& Y, Scalar* results) {
  const std::size_t bytes = Cuda::column_sums_scratch_bytes(X.columns);
  auto* scratch = workspace.memory().template take_partial<std::byte>(exec, bytes);
  Cuda::column_sums<Scalar>(exec.cuda_stream(), kind, panel_for_cuda(X), panel_for_cuda(Y), results, {scratch, bytes});
}

/// Computes Y = alpha X B + beta Y. write_by_rows(array) writes the `count` elements of B. A small B is passed as a
/// kernel argument, because a copy to the device would take longer than many products.
template <class Scalar, class Write>
void multiply_panels(const Kokkos::Cuda& exec, const DenseWorkspace<Kokkos::Cuda>& workspace, Scalar alpha,
                     const Panel<const Scalar>& X, std::size_t count, const Write& write_by_rows, Scalar beta,
                     const Panel<Scalar>& Y) {
  Scalar small[Cuda::most_host_elements];
  const bool is_on_host = count <= Cuda::most_host_elements;
  const Scalar* B = small;
  if (is_on_host) {
    write_by_rows(small);
  } else {
    B = workspace.memory().template send<Scalar>(exec, count, write_by_rows);
  }
  Cuda::update<Scalar>(exec.cuda_stream(), alpha, panel_for_cuda(X), B, is_on_host, beta, panel_for_cuda(Y));
}

}  // namespace Tessera::Impl::OnCuda
