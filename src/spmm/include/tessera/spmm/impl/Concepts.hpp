// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// A Kokkos execution space, such as Kokkos::OpenMP.
template <class T>
concept KokkosExecutionSpace = Kokkos::is_execution_space<std::remove_cvref_t<T>>::value;

/// A KokkosSparse::CrsMatrix or BsrMatrix, or any type with the same members.
template <class T>
concept SparseMatrix = requires(const T& A) {
  A.numRows();
  A.numCols();
  A.graph.row_map;
  A.graph.entries;
  A.values;
};

/// A Kokkos::View of rank 1 or 2, such as X or Y.
template <class T>
concept VectorsView = Kokkos::is_view_v<T> &&(T::rank() == 1 || T::rank() == 2);

/// The execution space that the values of a matrix belong to.
template <SparseMatrix Matrix>
using execution_space_of =
    typename std::remove_cvref_t<decltype(std::declval<const Matrix&>().values)>::execution_space;

}  // namespace Tessera::Impl
