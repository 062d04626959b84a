// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/common/Overlap.hpp>
#include <tessera/spmm/Workspace.hpp>

/// What spmm() refuses: X, Y and workspaces that a product cannot be had with.
namespace Tessera::Impl {

[[noreturn]] inline void refuse_product(const std::string& what) {
  throw std::invalid_argument("Tessera::spmm: " + what);
}

inline std::string shape(Ordinal rows, Ordinal columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

/// \throws std::invalid_argument if X or Y has elements and no memory, or if they share some
template <class Scalar>
void check_memory(const Multivector<const Scalar>& X, const Multivector<Scalar>& Y) {
  const auto check_data = [](const char* name, const auto& v) {
    if (v.data == nullptr && v.rows > 0 && v.columns > 0) {
      refuse_product(std::string(name) + " is " + shape(v.rows, v.columns) +
                     " and has no memory (its data is null); expected allocated memory");
    }
  };
  check_data("X", X);
  check_data("Y", Y);
  if (overlap<Scalar>(X, {Y.data, Y.rows, Y.columns, Y.row_stride, Y.column_stride})) {
    const auto bytes = reinterpret_cast<std::intptr_t>(Y.data) - reinterpret_cast<std::intptr_t>(X.data);
    refuse_product("X (" + shape(X.rows, X.columns) + ") and Y (" + shape(Y.rows, Y.columns) +
                   ") are the same memory, wholly or in part: Y begins " + std::to_string(bytes) +
                   " bytes after X; expected Y apart from X");
  }
}

/// \param plan [in] the number of the plan
/// \throws std::invalid_argument if the workspace is not of that plan, mode and instance, or for fewer columns
template <class ExecutionSpace>
void check_workspace(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, std::uint64_t plan, Mode mode,
                     Ordinal columns) {
  if (!work.belongs_to(plan)) refuse_product("the workspace is not from this plan's prepare()");
  if (work.mode() != mode) {
    refuse_product("the workspace was prepared for mode " + std::string(to_string(work.mode())) +
                   "; expected one for mode " + std::string(to_string(mode)));
  }
  if (work.columns() < columns) {
    refuse_product("the workspace was prepared for " + std::to_string(work.columns()) +
                   " columns; expected at least X's " + std::to_string(columns));
  }
  if (!work.is_of(exec)) {
    refuse_product(std::string("the workspace was prepared for another instance of ") + ExecutionSpace::name() +
                   "; expected a workspace of its own for each instance, or Workspace::move_to() after a fence");
  }
}

}  // namespace Tessera::Impl
