// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// This header must come first: see ExecutionsTest.cpp.
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

#include "SpmvCheck.hpp"
#include "ToolEvents.hpp"

/// Products through a handle of Tessera or of Kokkos Kernels.
namespace Tessera::Impl::Test {

/// The handle type for a CrsCase or BsrCase.
template <class Case, class X, class Y = X>
using HandleFor = SpmvHandle<Exec, typename Case::Matrix, X, Y>;

/// The types of a matrix, for typed tests.
template <class Scalar_, class Offset_>
struct MatrixTypes {
  using Scalar = Scalar_;
  using Offset = Offset_;
};

/// Makes a View of rank 2, or of rank 1 for one column.
template <class View>
View make_view(int rows, int columns) {
  if constexpr (View::rank() == 2) {
    return View("view", rows, columns);
  } else {
    return View("view", rows);
  }
}

/// Checks a handle's product of A with `elements`, entry by entry.
template <class Handle, class Elements, class Matrix, class X, class Y>
void expect_spmv(Handle& handle, const Elements& elements, const Matrix& A, Mode mode, double alpha, double beta,
                 const X& x, const Y& y) {
  expect_right(elements, mode, alpha, beta, x, y,
               [&](auto a, auto b) { KokkosSparse::spmv(Exec(), &handle, letter(mode), a, A, x, b, y); });
}

/// Checks the product and calls watch(events) with the events of the product.
template <class Handle, class Elements, class Matrix, class X, class Y, class Watch>
void expect_spmv(Handle& handle, const Elements& elements, const Matrix& A, Mode mode, double alpha, double beta,
                 const X& x, const Y& y, const Watch& watch) {
  expect_right(elements, mode, alpha, beta, x, y, [&](auto a, auto b) {
    const ToolEvents events;
    KokkosSparse::spmv(Exec(), &handle, letter(mode), a, A, x, b, y);
    watch(events);
  });
}

/// Checks the product with new Views of types X and Y.
template <class X, class Y = X, class Handle, class Elements, class Matrix, class... Watch>
void expect_spmv_with(Handle& handle, const Elements& elements, const Matrix& A, Mode mode, int columns, double alpha,
                      double beta, const Watch&... watch) {
  expect_spmv(handle, elements, A, mode, alpha, beta, make_view<X>(x_rows(elements, mode), columns),
              make_view<Y>(y_rows(elements, mode), columns), watch...);
}

}  // namespace Tessera::Impl::Test
