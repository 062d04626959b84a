// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/common/Product.hpp>
#include <tessera/format/AnyFormat.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/portable/Spmm.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <utility>
#include <variant>

#include "DeviceKernels.hpp"
#include "Reorder.hpp"

namespace Tessera::Impl {

/// The options that the transpose of a plan's matrix is stored with.
///
/// \param format [in] the format of the plan's matrix
inline PlanOptions options_of_transpose(PlanOptions options, Format format) {
  options.format = format;
  // The transpose of a block of h x w is a block of w x h.
  std::swap(options.parameters.bcsr_block_rows, options.parameters.bcsr_block_columns);
  return options;
}

/// A, or its transpose, as a plan stores it: in a format and in an order of rows and columns, with its values and the
/// kernels that multiply it.
template <class Scalar, class Offset, class ExecutionSpace>
struct StoredMatrix {
  using Memory = typename ExecutionSpace::memory_space;

  AnyFormat<Offset, Memory> format;
  Orders<Memory> orders;                 // the rows and columns of the format
  ValueMap<Offset, Memory> map;          // place in the format -> canonical entry of A
  Kokkos::View<Scalar*, Memory> values;  // one for each place
  DeviceKernels<Scalar, Offset, ExecutionSpace> kernels;
  Choice choice;
  TileMetrics tiles;

  std::size_t places() const {
    return std::visit([](const auto& any) { return any.places(); }, format);
  }
  std::size_t pattern_bytes() const {
    return std::visit([](const auto& any) { return any.bytes(); }, format);
  }
  std::size_t format_bytes() const { return pattern_bytes() + places() * sizeof(Scalar) + orders.bytes(); }

  /// For X and Y of any type that the matrix may be multiplied with.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return std::max(spmm_scratch_bytes<ExecutionSpace, widest_vector_t<Scalar>>(x_rows, columns),
                    kernels.scratch_bytes(x_rows, columns));
  }

  /// Takes new values of A.
  ///
  /// \param source       [in] canonical entry of A -> entries of the caller's
  /// \param given_values [in] the caller's
  void fill(const ExecutionSpace& exec, const ValueMap<Offset, Memory>& source, const Scalar* given_values) const {
    gather_values(exec, source, map, given_values, values.data(), values.extent(0));
    kernels.refill(exec, values.data());
  }

  /// Computes a product; its values and orders are set here. Neither alpha nor the matrix is zero.
  template <class VectorScalar>
  void multiply(const ExecutionSpace& exec, Product<Scalar, VectorScalar> product, std::size_t nonzeros,
                const Scratch& scratch) const {
    product.values = values.data();
    product.y_rows = orders.rows.is_identity() ? nullptr : orders.rows.order.data();
    product.x_rows = orders.columns.is_identity() ? nullptr : orders.columns.order.data();
    if (kernels.multiply(exec, format, product, scratch)) return;
    std::visit([&](const auto& any) { portable_spmm(exec, any.view(), nonzeros, product, scratch); }, format);
  }
};

}  // namespace Tessera::Impl
