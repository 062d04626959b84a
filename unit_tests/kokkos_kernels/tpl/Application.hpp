// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

// The namespace of this unit. A program may contain two units, compiled against different headers of Kokkos Kernels.
#ifndef APPLICATION
#define APPLICATION Application
#endif

/// A program that uses only Kokkos Kernels.
namespace APPLICATION {

/// Products of a matrix of one type.
struct Case {
  std::string name;
  /// Multiplies twice with one handle, and changes the values in between. Returns the largest error of an element,
  /// relative to its bound.
  ///
  /// \param mode    "N", "T", "C" or "H"
  /// \param columns the columns of X; 0 for vectors of rank 1
  double (*multiply)(const char mode[], int columns);
};
const std::vector<Case>& cases();

/// Each function returns the largest error relative to its bound, as above.
double multiply_doubles(const char mode[], int columns);
double multiply_without_handle();
double multiply_native();
/// A product of rank 2, one of rank 1 and another of rank 2, with handles that share their state.
double multiply_both_ranks();
/// One handle for two matrices, which Kokkos Kernels does not support.
double multiply_two_matrices();
/// One handle for a matrix that is freed, and for another matrix of equal size that probably gets the same memory.
double multiply_where_another_lay();
/// Two products. Calls before() and after() right before and after the first product.
double multiply_twice(const std::function<void()>& before, const std::function<void()>& after);
/// A matrix without rows, columns and entries.
double multiply_empty();
/// Kokkos Kernels' GMRES, which multiplies without a handle. Returns the residual relative to the tolerance.
double solve_with_gmres();

}  // namespace APPLICATION
