// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tessera/common/Batch.hpp>
#include <tessera/common/Overlap.hpp>

#include "CheckArguments.hpp"

/// Checks of the arguments of products of a batch. They throw std::invalid_argument before anything is changed.
namespace Tessera::Impl {

inline constexpr const char* batch_caller = "Tessera::spmm_batch";

/// Checks that there is one X, or one set of values, for each Y, or one for all.
template <class Operand>
void check_count(const char* name, const Operand& operand, Ordinal products) {
  if (operand.is_shared || operand.count == products) return;
  reject_product(batch_caller, std::string(name) + " has " + std::to_string(operand.count) + " of " +
                                   std::to_string(products) +
                                   " products; expected one for each multivector of Y, or a View of one rank less, "
                                   "which all products share");
}

/// Returns whether two elements of the multivectors are the same memory. Returns true also for strides that are not
/// nested: those of which one is smaller than what the smaller ones reach.
template <class Scalar>
bool overlaps_itself(const MultivectorBatch<Scalar>& batch) {
  struct Dimension {
    std::ptrdiff_t stride, extent;
  };
  std::array<Dimension, 3> dimensions{{{batch.stride, batch.count},
                                       {batch.first.row_stride, batch.first.rows},
                                       {batch.first.column_stride, batch.first.columns}}};
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  std::ptrdiff_t reach = 0;  // from an element to the last one that smaller strides lead to
  for (const auto& [stride, extent] : dimensions) {
    if (extent <= 1) continue;
    if (stride <= reach) return true;
    reach += (extent - 1) * stride;
  }
  return false;
}

/// Returns whether some X and some Y share memory. Returns true without a closer check if the ranges of their bytes
/// overlap and their strides differ, or if the multivectors of a batch do not lie one after another.
template <class Scalar>
bool overlap(const MultivectorBatch<const Scalar>& X, const MultivectorBatch<Scalar>& Y) {
  const auto &x = X.first, y = Multivector<const Scalar>{Y.first.data, Y.first.rows, Y.first.columns,
                                                         Y.first.row_stride, Y.first.column_stride};
  if (x.rows == 0 || y.rows == 0 || x.columns == 0 || X.count == 0 || Y.count == 0) return false;
  const auto begin = [](const auto& v) { return reinterpret_cast<std::intptr_t>(v.data); };
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Scalar));
  const auto end = [&](const auto& v, const auto& batch) {
    return begin(v) + (span_of(v) + (batch.count - 1) * batch.stride + 1) * size;
  };
  if (end(x, X) <= begin(y) || end(y, Y) <= begin(x)) return false;
  const Ordinal count = std::max(X.count, Y.count);
  if (count == 1) return overlap<Scalar>(x, y);
  const std::ptrdiff_t stride = Y.stride, between = begin(y) - begin(x);
  if (X.stride != stride || span_of(x) >= stride || span_of(y) >= stride || between % size != 0) return true;
  const std::ptrdiff_t nearest = between / (stride * size);
  for (std::ptrdiff_t q = std::max<std::ptrdiff_t>(nearest - 1, 1 - count); q <= nearest + 1 && q < count; ++q) {
    auto shifted = y;
    shifted.data -= q * stride;
    if (overlap<Scalar>(x, shifted)) return true;
  }
  return false;
}

/// Returns whether the ranges of bytes of values and Y overlap.
template <class Scalar>
bool overlap(const ValueBatch<Scalar>& values, const MultivectorBatch<Scalar>& Y) {
  if (values.entries == 0 || values.count == 0) return false;
  const auto last = static_cast<std::ptrdiff_t>(values.entries) + (values.count - 1) * values.stride;
  const std::ptrdiff_t y_last = span_of(Y.first) + (Y.count - 1) * Y.stride + 1;
  return std::less<>()(values.data, Y.first.data + y_last) && std::less<>()(Y.first.data, values.data + last);
}

/// \param op_rows [in] rows of op(A)
template <class Scalar>
void check_batch(Mode mode, Ordinal op_rows, Ordinal op_columns, std::size_t entries, const ValueBatch<Scalar>& values,
                 const MultivectorBatch<const Scalar>& X, const MultivectorBatch<Scalar>& Y) {
  check_count("values", values, Y.count);
  check_count("X", X, Y.count);
  if (values.entries != entries) {
    reject_product(batch_caller, "values has " + std::to_string(values.entries) + " values for each matrix; expected " +
                                     std::to_string(entries) + ", one for each entry of the pattern");
  }
  check_shapes(batch_caller, op_rows, op_columns, mode, X.first, "Y", Y.first);
  if (Y.count == 0 || Y.first.rows == 0 || Y.first.columns == 0) return;
  check_allocated(batch_caller + std::string(": values"), values.data, entries);
  check_has_memory(batch_caller, "X", X.first);
  check_has_memory(batch_caller, "Y", Y.first);
  if (overlaps_itself(Y)) {
    reject_product(batch_caller, "elements of Y are the same memory: its strides are " + std::to_string(Y.stride) +
                                     ", " + std::to_string(Y.first.row_stride) + " and " +
                                     std::to_string(Y.first.column_stride) + " for " + std::to_string(Y.count) +
                                     " multivectors of " + shape(Y.first.rows, Y.first.columns) +
                                     "; expected multivectors that lie apart");
  }
  if (overlap(values, Y))
    reject_product(batch_caller, "values and Y are the same memory, wholly or in part; expected Y apart from values");
  if (overlap(X, Y))
    reject_product(batch_caller, "X and Y are the same memory, wholly or in part; expected Y apart from X");
}

}  // namespace Tessera::Impl
