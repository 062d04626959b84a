// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <tessera/format/ValueMap.hpp>
#include <tessera/spmm/impl/PlanState.hpp>

#include "BuildReport.hpp"
#include "CheckArguments.hpp"
#include "StoredMatrix.hpp"

namespace Tessera::Impl {

/// A number for each plan of the process: 1, 2, ...
inline std::uint64_t next_plan_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

template <class Scalar, class Offset, class ExecutionSpace>
struct PlanState<Scalar, Offset, ExecutionSpace>::Members {
  using Memory = typename ExecutionSpace::memory_space;

  std::uint64_t id = next_plan_id();  // workspaces keep it, to know their plan
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  std::string made_on = ExecutionSpace::name();  // the execution space of make_plan(), also after loading
  bool is_loaded = false;
  std::size_t source_entries = 0;  // number of values that update_values() expects
  bool has_source = true;          // until release_source()
  PlanOptions options;
  BuildReport built;
  BuildReport transpose_built;
  ValueMap<Offset, Memory> source;  // canonical entry -> entries of the caller's
  StoredMatrix<Scalar, ExecutionSpace> plain;
  StoredMatrix<Scalar, ExecutionSpace> transposed;
  bool has_transpose = false;
  std::atomic<std::uint64_t> products{0};  // products that run at the same time count here
  std::uint64_t updates = 0;

  Ordinal op_rows(Mode mode) const { return is_transposed(mode) ? columns : rows; }
  Ordinal op_columns(Mode mode) const { return is_transposed(mode) ? rows : columns; }
};

/// Checks what a product is given. Messages call the function `who`, and Y `y`.
template <class ExecutionSpace, class Members, class VectorScalar>
void check_product(const char* who, const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                   const Members& plan, Mode mode, const Multivector<const VectorScalar>& X, const char* y,
                   const Multivector<VectorScalar>& Y) {
  check_shapes(who, plan.op_rows(mode), plan.op_columns(mode), mode, X, y, Y);
  check_has_memory(who, "X", X);
  check_has_memory(who, y, Y);
  check_apart(who, "X", X, y, Y);
  check_workspace(who, exec, work, plan.id, mode, X.columns);
}

}  // namespace Tessera::Impl
