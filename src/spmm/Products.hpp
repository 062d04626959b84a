// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/common/Product.hpp>
#include <tessera/format/AnyFormat.hpp>
#include <tessera/portable/Spmm.hpp>
#include <type_traits>
#include <variant>

#include "DeviceKernels.hpp"
#include "Reorder.hpp"

namespace Tessera::Impl {

/// A matrix in a format and an order, with its values and the kernels that multiply it.
template <class Scalar, class Offset, class ExecutionSpace>
struct Products {
  using Memory = typename ExecutionSpace::memory_space;

  AnyFormat<Offset, Memory> format;
  Orders<Memory> orders;  // of the rows and columns in the format
  Kokkos::View<Scalar*, Memory> values;
  DeviceKernels<Scalar, Offset, ExecutionSpace> kernels;

  std::size_t format_bytes() const {
    return std::visit([](const auto& any) { return any.bytes() + any.places() * sizeof(Scalar); }, format) +
           orders.bytes();
  }

  /// For X and Y of any type that the matrix may be multiplied with.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    using Widest = std::conditional_t<std::is_same_v<Scalar, float>, double, Scalar>;
    return std::max(spmm_scratch_bytes<ExecutionSpace, Widest>(x_rows, columns),
                    kernels.scratch_bytes(x_rows, columns));
  }

  /// The product, whose values and orders are those here. Neither alpha nor the matrix is zero.
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
