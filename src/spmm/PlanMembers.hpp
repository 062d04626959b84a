// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/format/ValueMap.hpp>
#include <tessera/parallel/MemoryAccount.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <vector>

#include "BuildReport.hpp"
#include "CheckArguments.hpp"
#include "Growth.hpp"
#include "StoredMatrix.hpp"

namespace Tessera::Impl {

/// Returns the next number for a plan of the process: 1, 2, ...
inline std::uint64_t next_plan_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// The position of a block of rows in the plan's matrix, and of its values in the caller's array.
struct RowsOfBlock {
  Ordinal first_row = 0;
  Ordinal rows = 0;
  std::size_t nonzeros = 0;
  std::size_t first_entry = 0;  // index in the values that update_values() is given
  std::size_t entries = 0;
};

/// Consecutive rows of the transpose of a block of rows, as they are stored. Entries are counted as in the block.
template <class Scalar, class ExecutionSpace>
struct TransposedRows : RowsOfBlock {
  StoredMatrix<Scalar, ExecutionSpace> matrix;
};

/// Consecutive rows of a plan's matrix, as they are stored, and their transpose.
template <class Scalar, class ExecutionSpace>
struct RowBlock : RowsOfBlock {
  using Memory = typename ExecutionSpace::memory_space;
  using Matrix = StoredMatrix<Scalar, ExecutionSpace>;
  using Transpose = std::vector<TransposedRows<Scalar, ExecutionSpace>>;

  ValueMap<Memory> source;  // canonical entry -> index in the caller's array, relative to first_entry
  Matrix plain;
  Transpose transposed;  // all rows, in order; several parts only if the format needs more places than an int counts

  /// Returns the caller's values of these rows.
  const Scalar* values_of(const Scalar* values) const { return first_entry == 0 ? values : values + first_entry; }

  /// Returns the sum of number(part) over the parts of the transpose.
  template <class Number>
  std::size_t sum_of_transpose(const Number& number) const {
    std::size_t result = 0;
    for (const auto& part : transposed) result += number(part.matrix);
    return result;
  }
  /// Returns the sum of number(matrix) over all stored matrices.
  template <class Number>
  std::size_t sum(const Number& number) const {
    return number(plain) + sum_of_transpose(number);
  }
  std::size_t slot_map_bytes() const {
    return source.bytes() + sum([](const Matrix& matrix) { return matrix.map.bytes(); });
  }
  std::size_t kernel_bytes() const {
    return sum([](const Matrix& matrix) { return matrix.kernel_bytes(); });
  }
  std::size_t bytes() const {
    return source.bytes() + sum([](const Matrix& matrix) { return matrix.bytes(); });
  }
};

/// Calls visit(rows, matrix) for each matrix that products in this mode use. With it, products compute `rows` of Y.
///
/// \tparam Block a RowBlock, const or not
template <class Block, class Visit>
void for_each_stored(Block& block, Mode mode, const Visit& visit) {
  if (!is_transposed(mode)) return visit(block, block.plain);
  for (auto& part : block.transposed) visit(part, part.matrix);
}
/// Calls visit(rows, matrix) for all matrices.
template <class Block, class Visit>
void for_each_stored(Block& block, const Visit& visit) {
  for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) for_each_stored(block, mode, visit);
}

template <class Scalar, class ExecutionSpace>
struct PlanState<Scalar, ExecutionSpace>::Members {
  using Block = RowBlock<Scalar, ExecutionSpace>;

  std::uint64_t id = next_plan_id();  // workspaces store it to recognise their plan
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  std::string made_on = ExecutionSpace::name();  // the execution space of make_plan(), also after loading
  bool is_loaded = false;
  std::size_t source_entries = 0;  // number of values that update_values() expects
  bool has_source = true;          // false after release_source()
  bool assumes_columns = false;    // whether the options do not say how many columns X has
  Ordinal first_columns = 0;       // the columns of the first product if it was to tell them; otherwise 0
  bool trusts_rows = false;        // whether compressed rows were taken from the caller without a check
  bool has_transpose = false;
  bool is_transpose_apart = false;  // whether follow_values() may have given A or the transpose values of its own
  PlanOptions options;
  std::shared_ptr<MemoryAccount> account;  // is charged for the arrays of `blocks`
  BuildReport built;
  BuildReport transpose_built;
  // All rows, in order; several blocks only if an int cannot count the matrix's entries or the format's places.
  std::vector<Block> blocks;
  Growth growth;
  std::atomic<std::uint64_t> products{0};  // atomic, because products may run concurrently
  std::uint64_t updates = 0;

  Ordinal op_rows(Mode mode) const { return is_transposed(mode) ? columns : rows; }
  Ordinal op_columns(Mode mode) const { return is_transposed(mode) ? rows : columns; }

  /// Returns the sum of number(block) over the blocks.
  template <class Number>
  std::size_t sum(const Number& number) const {
    std::size_t result = 0;
    for (const Block& block : blocks) result += number(block);
    return result;
  }
  /// Returns the number of bytes that the plan holds.
  std::size_t bytes() const {
    return sum([](const Block& block) { return block.bytes(); });
  }
  /// Returns the bytes of scratch memory of products. A transposed mode needs the transpose.
  std::size_t scratch_bytes(Mode mode, int num_vectors) const {
    std::size_t bytes = 0;
    for (const Block& block : blocks) {
      for_each_stored(block, mode, [&](const RowsOfBlock&, const auto& matrix) {
        const Ordinal x_rows = is_transposed(mode) ? block.rows : columns;
        bytes = std::max(bytes, matrix.scratch_bytes(x_rows, num_vectors, options.half_vectors));
      });
    }
    return bytes;
  }
  std::size_t format_bytes() const {
    return sum([](const Block& block) { return block.plain.held_bytes(); });
  }
  std::size_t slot_map_bytes() const {
    return sum([](const Block& block) { return block.slot_map_bytes(); });
  }
  std::size_t kernel_bytes() const {
    return sum([](const Block& block) { return block.kernel_bytes(); });
  }
};

/// Stores the plan's peak memory, and the bytes that it holds, in a report and in the chosen candidate.
template <class Members>
void note_memory(const Members& m, BuildReport& report, Choice& choice) {
  report.peak_bytes = m.account->peak();
  for (Candidate& candidate : choice.candidates) {
    if (!choice.is_chosen(candidate)) continue;
    candidate.held_bytes = static_cast<double>(m.bytes());
    candidate.peak_bytes = static_cast<double>(m.account->peak());
    candidate.is_rejected = false;  // it fits in this order, or with these kernels
  }
}

/// Checks the arguments of a product. Messages name the function (`who`) and Y (`y`).
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
