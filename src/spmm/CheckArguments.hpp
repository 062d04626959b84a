// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/Workspace.hpp>
#include <tessera/common/Overlap.hpp>
#include <tessera/spmm/impl/Access.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <variant>

/// Checks of the arguments that users pass to a plan. They throw std::invalid_argument before anything is changed.
namespace Tessera::Impl {

[[noreturn]] inline void reject_matrix(const std::string& what) {
  throw std::invalid_argument("Tessera::make_plan: " + what);
}

/// \param who [in] name of the function, such as "Tessera::spmm"
[[noreturn]] inline void reject_product(const char* who, const std::string& what) {
  throw std::invalid_argument(who + (": " + what));
}

/// \param argument [in] names of the function and of its argument
inline void check_not_negative(const std::string& argument, int number) {
  if (number >= 0) return;
  throw std::invalid_argument(argument + " is " + std::to_string(number) + "; expected a number that is not negative");
}

/// \param argument [in] names of the function and of its argument
inline void check_allocated(const std::string& argument, const void* data, std::size_t size) {
  if (data != nullptr || size == 0) return;
  throw std::invalid_argument(argument + " has " + std::to_string(size) +
                              " elements and no memory (its data is null); expected allocated memory");
}

/// Checks that Ordinal can count the rows and columns of elements, if the matrix consists of dense blocks.
inline void check_element_rows(const UserRows& A) {
  constexpr auto most = std::numeric_limits<Ordinal>::max();
  const auto check = [&](const char* what, Ordinal count) {
    if (count <= most / A.block_size) return;
    const std::string name(what);
    reject_matrix(std::to_string(count) + ' ' + name + " of blocks of " + std::to_string(A.block_size) +
                  " are more than 2^31 - 1 " + name);
  };
  check("rows", A.rows);
  check("columns", A.columns);
}

/// Checks that the sizes of the three arrays of a matrix fit each other.
template <class Input>
void check_matrix(const Input& input) {
  if (input.rows < 0 || input.columns < 0) {
    reject_matrix("the matrix has " + std::to_string(input.rows) + " rows and " + std::to_string(input.columns) +
                  " columns; expected numbers that are not negative");
  }
  const auto expected = static_cast<std::size_t>(input.rows) + 1;
  // An empty matrix of Kokkos Kernels has an empty row map.
  const bool is_empty = input.rows == 0 && input.row_offsets_size == 0;
  if (!is_empty && input.row_offsets_size != expected) {
    reject_matrix("there are " + std::to_string(input.row_offsets_size) +
                  " row offsets; expected rows + 1 = " + std::to_string(expected));
  }
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (std::holds_alternative<const int*>(input.row_offsets) && input.column_indices_size > most) {
    reject_matrix("there are " + std::to_string(input.column_indices_size) +
                  " entries; expected row offsets of 8 bytes for more than 2^31 - 1");
  }
  if (input.block_size < 1)
    reject_matrix("the blocks have " + std::to_string(input.block_size) + " rows; expected at least 1");
  check_element_rows(input);
  const auto area = static_cast<std::size_t>(input.block_size) * static_cast<std::size_t>(input.block_size);
  if (input.values_size / area != input.column_indices_size || input.values_size % area != 0) {
    reject_matrix("there are " + std::to_string(input.column_indices_size) + " column indices and " +
                  std::to_string(input.values_size) + " values; expected " +
                  (area == 1 ? "the same number" : std::to_string(area) + " values a column index"));
  }
  std::visit(
      [&](const auto* data) { check_allocated("Tessera::make_plan: row_offsets", data, input.row_offsets_size); },
      input.row_offsets);
  check_allocated("Tessera::make_plan: column_indices", input.column_indices, input.column_indices_size);
  check_allocated("Tessera::make_plan: values", input.values, input.values_size);
}

inline std::string shape(Ordinal rows, Ordinal columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

/// Checks that X and Y fit op(A). Messages use the name `y` for Y.
template <class Scalar>
void check_shapes(const char* who, Ordinal op_rows, Ordinal op_columns, Mode mode, const Multivector<const Scalar>& X,
                  const std::string& y, const Multivector<Scalar>& Y) {
  if (X.rows == op_columns && Y.rows == op_rows && X.columns == Y.columns) return;
  reject_product(who, "op(A) is " + shape(op_rows, op_columns) + " in mode " + std::string(to_string(mode)) +
                          ", X is " + shape(X.rows, X.columns) + ", " + y + " is " + shape(Y.rows, Y.columns) +
                          "; expected X with " + std::to_string(op_columns) + " rows, " + y + " with " +
                          std::to_string(op_rows) + " rows, and as many columns in " + y + " as in X");
}

template <class Scalar>
void check_has_memory(const char* who, const char* name, const Multivector<Scalar>& v) {
  if (v.data != nullptr || v.rows == 0 || v.columns == 0) return;
  reject_product(who, std::string(name) + " is " + shape(v.rows, v.columns) +
                          " and has no memory (its data is null); expected allocated memory");
}

/// Checks that X and Y share no memory. Messages use the given names.
template <class Scalar>
void check_apart(const char* who, const char* x, const Multivector<const Scalar>& X, const char* y,
                 const Multivector<Scalar>& Y) {
  if (!overlap<Scalar>(X, {Y.data, Y.rows, Y.columns, Y.row_stride, Y.column_stride})) return;
  const auto bytes = reinterpret_cast<std::intptr_t>(Y.data) - reinterpret_cast<std::intptr_t>(X.data);
  const std::string in(x), out(y);
  reject_product(who, in + " (" + shape(X.rows, X.columns) + ") and " + out + " (" + shape(Y.rows, Y.columns) +
                          ") are the same memory, wholly or in part: " + out + " begins " + std::to_string(bytes) +
                          " bytes after " + in + "; expected " + out + " apart from " + in);
}

/// Checks that a workspace was prepared for this plan, mode and instance, and for enough columns.
///
/// \param plan [in] id of the plan
template <class ExecutionSpace>
void check_workspace(const char* who, const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                     std::uint64_t plan, Mode mode, Ordinal columns) {
  if (!Access::belongs_to(work, plan)) reject_product(who, "the workspace is not from this plan's prepare()");
  if (work.mode() != mode) {
    reject_product(who, "the workspace was prepared for mode " + std::string(to_string(work.mode())) +
                            "; expected one for mode " + std::string(to_string(mode)));
  }
  if (work.num_vectors() < columns) {
    reject_product(who, "the workspace was prepared for " + std::to_string(work.num_vectors()) +
                            " columns; expected at least X's " + std::to_string(columns));
  }
  if (!Access::is_of(work, exec)) {
    reject_product(who,
                   std::string("the workspace was prepared for another instance of ") + ExecutionSpace::name() +
                       "; expected a workspace of its own for each instance, or Workspace::move_to() after a fence");
  }
}

}  // namespace Tessera::Impl
