// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

// The namespace of this unit: one program may hold two, compiled against different headers of Kokkos Kernels.
#ifndef APPLICATION
#define APPLICATION Application
#endif

/// A program that knows Kokkos Kernels alone.
namespace APPLICATION {

/// Products of a matrix of one type.
struct Case {
  std::string name;
  /// Two products with one handle, with an edit of the values between them. Returns the worst error of an element over
  /// its bound.
  ///
  /// \param mode    "N", "T", "C" or "H"
  /// \param columns of X; 0 for vectors of rank 1
  double (*multiply)(const char mode[], int columns);
};
const std::vector<Case>& cases();

/// Each returns the worst error over its bound, as above.
double multiply_doubles(const char mode[], int columns);
double multiply_without_handle();
double multiply_native();
/// A product of rank 2, one of rank 1 and another of rank 2, with handles that share what they keep.
double multiply_both_ranks();
/// One handle for two matrices, which Kokkos Kernels does not promise to be right.
double multiply_two_matrices();
/// One handle for a matrix that is freed, and for one with as many entries that probably gets its memory.
double multiply_where_another_lay();
/// Two products, with calls of these right before and after the first.
double multiply_twice(const std::function<void()>& before, const std::function<void()>& after);
/// A matrix without rows, columns and entries.
double multiply_empty();
/// Kokkos Kernels' GMRES, which multiplies without a handle. Returns the residual over the tolerance.
double solve_with_gmres();

}  // namespace APPLICATION
