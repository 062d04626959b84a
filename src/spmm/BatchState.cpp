// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>
#include <tessera/spmm/impl/BatchState.hpp>
#include <variant>

#include "BatchSpmm.hpp"
#include "CheckBatch.hpp"
#include "Region.hpp"
#include "RowBlocks.hpp"

namespace Tessera::Impl {

namespace {

/// Returns the entries of the longest row.
template <class ExecutionSpace>
Offset longest_row(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  Offset longest = 0;
  const Offset* const offsets = A.row_offsets;
  Kokkos::parallel_reduce(
      "Tessera::longest_row", IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(A.rows)),
      KOKKOS_LAMBDA(std::size_t row, Offset & most) {
        const Offset length = offsets[row + 1] - offsets[row];
        if (length > most) most = length;
      },
      Kokkos::Max<Offset>(longest));
  return longest;
}

/// The rows of A, or of its transpose, as products use them.
template <class ExecutionSpace>
struct StoredRows {
  using Memory = typename ExecutionSpace::memory_space;

  Csr<Memory> rows;               // columns need not ascend
  Array<Ordinal*, Memory> slots;  // the place of each entry's value; empty: the order of entries
  RowSchedule schedule;

  BatchRows view() const { return {{rows.view()}, slots.data()}; }
  std::size_t bytes() const { return rows.bytes() + slots.extent(0) * sizeof(Ordinal); }
  void choose_schedule(const ExecutionSpace& exec) {
    if (is_host_space<ExecutionSpace> || rows.nonzeros == 0) return;  // hosts have no schedule
    schedule = schedule_of_batch(rows.rows, static_cast<Offset>(rows.nonzeros), longest_row(exec, rows.view()));
  }
};

[[noreturn]] void reject_pattern(const std::string& what) {
  throw std::invalid_argument("Tessera::make_batch_plan: " + what);
}

/// Calls a check of all functions, and names this one in its message.
template <class Check>
void check_pattern(const Check& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    const std::string_view what = error.what(), prefix = "Tessera: ";
    reject_pattern(std::string(what.starts_with(prefix) ? what.substr(prefix.size()) : what));
  }
}

void check_sizes(const UserRows& A) {
  if (A.rows < 0 || A.columns < 0)
    reject_pattern("the pattern is " + shape(A.rows, A.columns) + "; expected numbers that are not negative");
  const auto expected = static_cast<std::size_t>(A.rows) + 1;
  const bool is_empty = A.rows == 0 && A.row_offsets_size == 0;
  if (!is_empty && A.row_offsets_size != expected) {
    reject_pattern("there are " + std::to_string(A.row_offsets_size) +
                   " row offsets; expected rows + 1 = " + std::to_string(expected));
  }
  if (A.column_indices_size > most_entries_of_block) {
    reject_pattern("the pattern has " + std::to_string(A.column_indices_size) + " entries; expected at most " +
                   std::to_string(most_entries_of_block));
  }
  const std::string who = "Tessera::make_batch_plan: ";
  std::visit([&](const auto* data) { check_allocated(who + "row_offsets", data, A.row_offsets_size); }, A.row_offsets);
  check_allocated(who + "column_indices", A.column_indices, A.column_indices_size);
}

/// Copies the user's rows, after a check of offsets and columns.
template <class ExecutionSpace>
Csr<typename ExecutionSpace::memory_space> copy_rows(const ExecutionSpace& exec, const UserRows& A) {
  const std::size_t entries = A.column_indices_size;
  Csr<typename ExecutionSpace::memory_space> rows;
  rows.columns = A.columns;
  if (A.rows > 0) {
    std::visit(
        [&](const auto* offsets) {
          const auto pattern = pattern_of(A, offsets);
          check_pattern([&] { check_row_offsets(exec, pattern, entries); });
          const auto used = static_cast<std::size_t>(read_element(exec, offsets + A.rows));
          if (used != entries) {
            reject_pattern("the last row ends at entry " + std::to_string(used) + "; expected " +
                           std::to_string(entries) + ", the number of column indices");
          }
          check_pattern([&] { check_columns(exec, pattern, entries); });
        },
        A.row_offsets);
    const auto narrow = narrow_rows(exec, A, {0, A.rows, 0, entries});
    rows = trusted_csr(exec, narrow.pattern, entries, nullptr);
    exec.fence("Tessera::make_batch_plan");  // before `narrow` is freed, and the user's arrays change
  } else if (entries > 0) {
    reject_pattern("there are " + std::to_string(entries) + " column indices in no row; expected none");
  }
  return rows;
}

}  // namespace

template <class ExecutionSpace>
struct BatchState<ExecutionSpace>::Members {
  StoredRows<ExecutionSpace> plain, transposed;
  std::atomic<bool> has_transpose{false};
  std::mutex building;

  const StoredRows<ExecutionSpace>& stored(Mode mode) const { return is_transposed(mode) ? transposed : plain; }
};

template <class ExecutionSpace>
BatchState<ExecutionSpace>::BatchState(const ExecutionSpace& exec, const UserRows& A)
    : LiveObject(Kind::Plan), members_(std::make_unique<Members>()) {
  const Region<ExecutionSpace> region("Tessera::make_batch_plan");
  check_sizes(A);
  members_->plain.rows = copy_rows(exec, A);
  members_->plain.choose_schedule(exec);
}

template <class ExecutionSpace>
BatchState<ExecutionSpace>::~BatchState() = default;

template <class ExecutionSpace>
Ordinal BatchState<ExecutionSpace>::rows() const {
  return members_->plain.rows.rows;
}
template <class ExecutionSpace>
Ordinal BatchState<ExecutionSpace>::columns() const {
  return members_->plain.rows.columns;
}
template <class ExecutionSpace>
std::size_t BatchState<ExecutionSpace>::entries() const {
  return members_->plain.rows.nonzeros;
}
template <class ExecutionSpace>
std::size_t BatchState<ExecutionSpace>::bytes() const {
  return members_->plain.bytes() + (members_->has_transpose ? members_->transposed.bytes() : 0);
}
template <class ExecutionSpace>
std::size_t BatchState<ExecutionSpace>::held_bytes() const {
  return is_alive() ? bytes() : 0;
}
template <class ExecutionSpace>
void BatchState<ExecutionSpace>::release() noexcept {
  members_ = nullptr;
}

template <class ExecutionSpace>
void BatchState<ExecutionSpace>::prepare(const ExecutionSpace& exec, Mode mode) const {
  auto& m = *members_;
  if (!is_transposed(mode) || entries() == 0 || m.has_transpose) return;
  const std::lock_guard lock(m.building);
  if (m.has_transpose) return;
  const Region<ExecutionSpace> region("Tessera::transpose");
  StoredRows<ExecutionSpace> transposed;
  auto built = transpose(exec, m.plain.rows.view(), entries());
  transposed.rows = std::move(built.pattern);
  transposed.slots = std::move(built.values.slots);
  transposed.choose_schedule(exec);
  exec.fence("Tessera::transpose");  // products on other instances read it
  m.transposed = std::move(transposed);
  m.has_transpose = true;
}

template <class ExecutionSpace>
template <class Scalar>
void BatchState<ExecutionSpace>::multiply(const ExecutionSpace& exec, Mode mode, Scalar alpha,
                                          const ValueBatch<Scalar>& values, const MultivectorBatch<const Scalar>& X,
                                          Scalar beta, const MultivectorBatch<Scalar>& Y) const {
  const Region<ExecutionSpace> region(batch_caller);
  const Ordinal op_rows = is_transposed(mode) ? columns() : rows(),
                op_columns = is_transposed(mode) ? rows() : columns();
  check_batch(mode, op_rows, op_columns, entries(), values, X, Y);
  if (Y.count == 0 || op_rows == 0 || Y.first.columns == 0) return;
  BatchProduct<Scalar> batch;
  batch.first = {values.data, is_conjugated(mode), alpha, X.first, beta, Y.first};
  batch.value_stride = values.stride;
  batch.x_stride = X.stride;
  batch.y_stride = Y.stride;
  batch.count = Y.count;
  if (alpha == Scalar(0) || entries() == 0) return scale_batch(exec, batch);
  prepare(exec, mode);
  const auto& stored = members_->stored(mode);
  batch_spmm(exec, stored.view(), stored.schedule, batch);
}

#define TESSERA_INSTANTIATE(Exec, Ignored) template class BatchState<Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, S)                                                   \
  template void BatchState<Exec>::multiply(const Exec&, Mode, S, const ValueBatch<S>&, \
                                           const MultivectorBatch<const S>&, S, const MultivectorBatch<S>&) const;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
