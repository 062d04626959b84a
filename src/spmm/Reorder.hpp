// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <tessera/PlanOptions.hpp>
#include <tessera/Reordering.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/format/Permute.hpp>
#include <tessera/reorder/ColumnSort.hpp>
#include <tessera/reorder/DataAffinity.hpp>
#include <tessera/reorder/DegreeSort.hpp>
#include <tessera/reorder/JaccardRows.hpp>
#include <tessera/reorder/LocalClusters.hpp>
#include <tessera/reorder/Permutation.hpp>
#include <tessera/reorder/WindowGrowing.hpp>

#include "List.hpp"
#include "bcsr/Bcsr.hpp"

/// The orders in which a plan stores rows and columns.
namespace Tessera::Impl {

template <class MemorySpace>
struct Orders {
  Permutation<MemorySpace> rows;
  Permutation<MemorySpace> columns;

  bool are_identity() const { return rows.is_identity() && columns.is_identity(); }
  bool are_one() const { return rows.order.data() == columns.order.data(); }
  std::size_t bytes() const { return rows.bytes() + (are_one() ? 0 : columns.bytes()); }
};

/// Returns A with rows and columns in these orders. At least one order must not be the identity.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
BuiltCsr<Memory> permute(const ExecutionSpace& exec, const Csr<Memory>& A, const Orders<Memory>& orders) {
  if (orders.columns.is_identity()) return permute_rows(exec, A.view(), A.nonzeros, orders.rows.order);
  if (orders.rows.is_identity()) return permute_columns(exec, A.view(), A.nonzeros, orders.columns.order);
  const auto rows = permute_rows(exec, A.view(), A.nonzeros, orders.rows.order);
  auto result = permute_columns(exec, rows.pattern.view(), A.nonzeros, orders.columns.order);
  result.values = compose(exec, rows.values, result.values);
  return result;
}

/// Returns the inverse orders of rows and columns.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Orders<Memory> inverse(const ExecutionSpace& exec, const Orders<Memory>& orders) {
  return {inverse(exec, orders.rows), inverse(exec, orders.columns)};
}

/// Finds an order in which similar rows share a window. A window is as high as a block. Formats other than BCSR
/// condense the columns of a window, so any columns fill tiles: for these formats, rows are compared by single columns.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Permutation<Memory> similar_rows(const ExecutionSpace& exec, const Csr<Memory>& A, Format format,
                                 const FormatParameters& parameters, std::size_t value_bytes) {
  BlockShape shape{16, 1};
  if (format == Format::Bcsr) shape = bcsr_block_shape(exec, A.view(), A.nonzeros, parameters, value_bytes);
  return jaccard_rows(exec, A.view(), shape.height, shape.width);
}

/// Finds the orders that a reordering gives the rows and columns of a format.
///
/// The order of columns matters only to BCSR, whose blocks have adjacent columns. If A is square and the reordering
/// orders its graph, BCSR's columns get the order of the rows. Other formats gather rows of X from anywhere.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Orders<Memory> find_orders(const ExecutionSpace& exec, const Csr<Memory>& A, Reordering reordering, Format format,
                           const FormatParameters& parameters, std::size_t value_bytes) {
  Orders<Memory> orders;
  switch (reordering) {
    case Reordering::Search:
    case Reordering::Auto:
    case Reordering::None:
      break;
    case Reordering::DegreeSort:
      orders.rows = degree_sort(exec, A.view());
      break;
    case Reordering::ColumnSort:
      if (has_adjacent_columns(format)) orders.columns = column_sort(exec, A.view());
      break;
    case Reordering::DataAffinity:
      orders.rows = data_affinity(exec, A.view());
      if (has_adjacent_columns(format) && A.rows == A.columns) orders.columns = orders.rows;
      break;
    case Reordering::JaccardRows:
      orders.rows = similar_rows(exec, A, format, parameters, value_bytes);
      break;
    case Reordering::WindowGrowing:
      orders.rows = grow_windows(exec, A.view(), 128);
      if (has_adjacent_columns(format) && A.rows == A.columns) orders.columns = orders.rows;
      break;
    case Reordering::LocalClusters:
      orders.rows = local_clusters(exec, A.view());
      break;
  }
  return orders;
}

}  // namespace Tessera::Impl
