// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tessera/format/Blocks.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <utility>
#include <variant>

#include "CheckProduct.hpp"
#include "Explain.hpp"
#include "PlanMembers.hpp"
#include "Stats.hpp"

namespace Tessera::Impl {

namespace {

/// \throws std::invalid_argument if the sizes of the three arrays do not fit each other.
template <class Offset, class Input>
void check_sizes(const Input& input) {
  const auto fail = [](const std::string& what) { throw std::invalid_argument("Tessera::make_plan: " + what); };
  if (input.pattern.rows < 0 || input.pattern.columns < 0) {
    fail("the matrix has " + std::to_string(input.pattern.rows) + " rows and " + std::to_string(input.pattern.columns) +
         " columns; expected numbers that are not negative");
  }
  const auto wanted = static_cast<std::size_t>(input.pattern.rows) + 1;
  // Kokkos Kernels makes an empty matrix with an empty row map.
  const bool empty = input.pattern.rows == 0 && input.row_offsets_size == 0;
  if (!empty && input.row_offsets_size != wanted) {
    fail("there are " + std::to_string(input.row_offsets_size) +
         " row offsets; expected rows + 1 = " + std::to_string(wanted));
  }
  if (input.column_indices_size > static_cast<std::size_t>(std::numeric_limits<Offset>::max())) {
    fail("there are " + std::to_string(input.column_indices_size) +
         " entries; expected row offsets of 8 bytes for more than 2^31 - 1");
  }
  if (input.block_size < 1) {
    fail("the blocks have " + std::to_string(input.block_size) + " rows; expected at least 1");
  }
  const auto area = static_cast<std::size_t>(input.block_size) * static_cast<std::size_t>(input.block_size);
  if (input.values_size / area != input.column_indices_size || input.values_size % area != 0) {
    fail("there are " + std::to_string(input.column_indices_size) + " column indices and " +
         std::to_string(input.values_size) + " values; expected " +
         (area == 1 ? "the same number" : std::to_string(area) + " values a column index"));
  }
  const auto check_data = [&](const char* name, const void* data, std::size_t size) {
    if (data == nullptr && size > 0) {
      fail(std::string(name) + " has " + std::to_string(size) +
           " elements and no memory (its data is null); expected allocated memory");
    }
  };
  check_data("row_offsets", input.pattern.row_offsets, input.row_offsets_size);
  check_data("column_indices", input.pattern.column_indices, input.column_indices_size);
  check_data("values", input.values, input.values_size);
}

/// The precision that is asked for; where there are no kernels for it, native if the options allow a fall-back.
///
/// \throws std::invalid_argument if they do not
template <class Scalar, class Offset, class ExecutionSpace>
Precision available_precision(const ExecutionSpace& exec, const PlanOptions& options, std::vector<std::string>& notes) {
  using Kernels = DeviceKernels<Scalar, Offset, ExecutionSpace>;
  if (Kernels::has(exec, options.precision)) return options.precision;
  const std::string name(to_string(options.precision));
  if (options.on_unsupported == OnUnsupported::Throw) {
    std::string expected;
    for (const Precision precision : every_precision)
      if (Kernels::has(exec, precision)) expected += std::string(to_string(precision)) + ", ";
    throw std::invalid_argument("Tessera::make_plan: precision " + name +
                                " is not available for this type of matrix on this execution space; expected " +
                                expected + "or on_unsupported = FallBack");
  }
  notes.push_back("precision " + name + " was asked for and is not available here: native is used");
  return Precision::Native;
}

template <class Scalar, class Offset, class ExecutionSpace>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> rows_of_input(
    const ExecutionSpace& exec, const typename PlanState<Scalar, Offset, ExecutionSpace>::Input& input,
    const MemoryRoom& room) {
  const auto canonical = [&](const CsrPattern<Offset>& pattern, std::size_t entries, const MemoryRoom& beside) {
    auto rows = build_csr(exec, pattern, entries, beside.left());
    beside.take(build_csr_bytes<Offset>(exec, rows.pattern.rows, entries, rows.values.is_identity()));
    return rows;
  };
  if (input.block_size == 1) return canonical(input.pattern, input.column_indices_size, room);
  const auto points = expand_blocks(exec, input.pattern, input.column_indices_size, input.block_size, room.left());
  const MemoryRoom beside = room.beside(bytes_of(points));
  auto result = canonical(points.pattern.view(), points.pattern.nonzeros, beside);
  if (!result.values.is_identity()) beside.take("sorting the blocks", bytes_of(result) + result.values.bytes());
  result.values = compose(exec, points.values, result.values);
  return result;
}

/// The transpose of a plan's matrix, with its values. Waits for `exec`.
///
/// \param plan_bytes [in] that the plan holds
template <class ExecutionSpace, class Members>
auto transposed_side(const ExecutionSpace& exec, const Members& m, std::size_t plan_bytes, BuildReport& report) {
  using Offset = typename std::remove_cvref_t<decltype(m.source.slots)>::value_type;
  const Region<ExecutionSpace> region("Tessera::transpose");
  const SteadyTimer timer;
  MemoryRoom room{m.options.memory_limit, report.peak_bytes, plan_bytes};
  room.take("restoring the rows of A", canonical_rows_bytes(exec, m.plain, m.nonzeros));
  auto rows = timed(exec, "Tessera::analysis", report.seconds.analysis, [&] { return canonical_rows(exec, m.plain); });
  room.beside(bytes_of(rows))
      .take("transposing A", sorted_csr_bytes<Offset>(exec, static_cast<std::size_t>(m.columns), m.nonzeros));
  auto turned = timed(exec, "Tessera::analysis", report.seconds.analysis,
                      [&] { return transpose(exec, rows.pattern.view(), m.nonzeros); });
  rows.pattern = {};
  room.until_filled = rows.values.bytes();
  PlanOptions options = m.options;
  // Blocks of h x w turned are blocks of w x h.
  std::swap(options.parameters.bcsr_block_rows, options.parameters.bcsr_block_columns);
  std::remove_cvref_t<decltype(m.plain)> side;
  side =
      best_side<typename decltype(side.values)::value_type>(exec, options, m.plain.choice.format, turned, room, report);
  timed(exec, "Tessera::fill_values", report.seconds.values,
        [&] { fill(exec, side, rows.values, m.plain.values.data()); });
  if (!m.has_source) side.map = {};
  report.seconds.total = timer.seconds();
  return side;
}

}  // namespace

template <class Scalar, class Offset, class ExecutionSpace>
PlanState<Scalar, Offset, ExecutionSpace>::PlanState(const ExecutionSpace& exec, const Input& input,
                                                     const PlanOptions& options)
    : LiveObject(Kind::Plan), members_(std::make_unique<Members>()) {
  const Region<ExecutionSpace> region("Tessera::make_plan");
  const SteadyTimer timer;
  check_sizes<Offset>(input);
  if (options.columns < 0) {
    throw std::invalid_argument("Tessera::make_plan: options.columns is " + std::to_string(options.columns) +
                                "; expected a number that is not negative");
  }
  Members& m = *members_;
  m.options = options;
  m.options.precision = available_precision<Scalar, Offset>(exec, options, m.built.notes);
  m.options.parameters = DeviceKernels<Scalar, Offset, ExecutionSpace>::parameters(m.options);
  m.options.kernel =
      available_kernel<Scalar, Offset>(exec, m.options, options.format, "Tessera::make_plan", m.built.notes);
  BuildSeconds& seconds = m.built.seconds;
  MemoryRoom room{m.options.memory_limit, m.built.peak_bytes};
  auto canonical = timed(exec, "Tessera::analysis", seconds.analysis,
                         [&] { return rows_of_input<Scalar, Offset>(exec, input, room); });
  m.rows = canonical.pattern.rows;
  m.columns = canonical.pattern.columns;
  m.nonzeros = canonical.pattern.nonzeros;
  m.source_entries = input.values_size;
  m.source = canonical.values;
  room.kept = m.source.bytes();

  canonical.values = {};  // entry i is entry i
  m.plain = best_side<Scalar>(exec, m.options, options.format, canonical, room, m.built);
  timed(exec, "Tessera::fill_values", seconds.values, [&] { fill(exec, m.plain, m.source, input.values); });
  exec.fence("Tessera::make_plan");
  seconds.total = timer.seconds();
}

template <class Scalar, class Offset, class ExecutionSpace>
PlanState<Scalar, Offset, ExecutionSpace>::~PlanState() = default;

template <class Scalar, class Offset, class ExecutionSpace>
std::size_t PlanState<Scalar, Offset, ExecutionSpace>::held_bytes() const {
  return is_alive() ? bytes() : 0;
}
template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::release() noexcept {
  members_.reset();
}

template <class Scalar, class Offset, class ExecutionSpace>
Ordinal PlanState<Scalar, Offset, ExecutionSpace>::rows() const {
  return members_->rows;
}
template <class Scalar, class Offset, class ExecutionSpace>
Ordinal PlanState<Scalar, Offset, ExecutionSpace>::columns() const {
  return members_->columns;
}
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t PlanState<Scalar, Offset, ExecutionSpace>::nonzeros() const {
  return members_->nonzeros;
}
template <class Scalar, class Offset, class ExecutionSpace>
const Choice& PlanState<Scalar, Offset, ExecutionSpace>::choice() const {
  return members_->plain.choice;
}
template <class Scalar, class Offset, class ExecutionSpace>
const TileMetrics& PlanState<Scalar, Offset, ExecutionSpace>::tile_metrics() const {
  return members_->plain.tiles;
}
template <class Scalar, class Offset, class ExecutionSpace>
const Permutation<typename ExecutionSpace::memory_space>& PlanState<Scalar, Offset, ExecutionSpace>::row_order() const {
  return members_->plain.orders.rows;
}
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t PlanState<Scalar, Offset, ExecutionSpace>::format_bytes() const {
  return members_->plain.format_bytes();
}
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t PlanState<Scalar, Offset, ExecutionSpace>::slot_map_bytes() const {
  const Members& m = *members_;
  return m.source.bytes() + m.plain.map.bytes() + m.transposed.map.bytes();
}
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t PlanState<Scalar, Offset, ExecutionSpace>::kernel_bytes() const {
  return members_->plain.kernels.bytes() + members_->transposed.kernels.bytes();
}
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t PlanState<Scalar, Offset, ExecutionSpace>::bytes() const {
  return format_bytes() + members_->transposed.format_bytes() + slot_map_bytes() + kernel_bytes();
}

template <class Scalar, class Offset, class ExecutionSpace>
Explanation PlanState<Scalar, Offset, ExecutionSpace>::explanation() const {
  const Members& m = *members_;
  Explanation e;
  e.rows = m.rows;
  e.columns = m.columns;
  e.nonzeros = m.nonzeros;
  e.vector_columns = m.options.columns;
  e.execution_space = ExecutionSpace::name();
  e.format_bytes = format_bytes();
  e.transpose_bytes = m.transposed.format_bytes();
  e.slot_map_bytes = slot_map_bytes();
  e.kernel_bytes = kernel_bytes();
  e.peak_bytes = std::max(m.built.peak_bytes, m.transpose_built.peak_bytes);
  e.memory_limit = m.options.memory_limit;
  e.kernels = m.plain.kernels.describe();
  if (m.has_transpose) e.transpose_kernels = m.transposed.kernels.describe();
  e.duplicates_summed = m.source.has_duplicates();
  if (m.is_loaded) e.made_on = m.made_on;
  e.notes = m.built.notes;
  for (const std::string& note : m.transpose_built.notes) e.notes.push_back("transpose: " + note);
  return e;
}
template <class Scalar, class Offset, class ExecutionSpace>
std::string PlanState<Scalar, Offset, ExecutionSpace>::explain() const {
  const Members& m = *members_;
  return Impl::explain(explanation(), m.plain.choice, m.has_transpose ? &m.transposed.choice : nullptr);
}
template <class Scalar, class Offset, class ExecutionSpace>
std::string PlanState<Scalar, Offset, ExecutionSpace>::stats() const {
  const Members& m = *members_;
  const SideStats plain{m.plain.choice, m.plain.tiles, m.built.seconds};
  const SideStats transposed{m.transposed.choice, m.transposed.tiles, m.transpose_built.seconds};
  return Impl::stats(explanation(), {to_string(m.options.precision), to_string(m.options.kernel)}, plain,
                     m.has_transpose ? &transposed : nullptr, {m.products.load(std::memory_order_relaxed), m.updates});
}

template <class Scalar, class Offset, class ExecutionSpace>
Workspace<ExecutionSpace> PlanState<Scalar, Offset, ExecutionSpace>::prepare(const ExecutionSpace& exec, int columns,
                                                                             Mode mode) {
  const Region<ExecutionSpace> region("Tessera::prepare");
  if (columns < 0) {
    throw std::invalid_argument("Tessera::Plan::prepare: columns is " + std::to_string(columns) +
                                "; expected a number that is not negative");
  }
  Members& m = *members_;
  const Ordinal x_rows = is_transposed(mode) ? m.rows : m.columns;
  const auto workspace = [&](const auto& side) {
    return Workspace<ExecutionSpace>(exec, m.id, mode, columns, side.scratch_bytes(x_rows, columns));
  };
  if (!is_transposed(mode)) return workspace(m.plain);
  if (m.has_transpose) return workspace(m.transposed);
  BuildReport report;
  auto side = [&] {
    try {
      return transposed_side(exec, m, bytes(), report);
    } catch (const std::invalid_argument& refusal) {
      throw std::invalid_argument("Tessera::Plan::prepare: the transpose of A is refused: " +
                                  std::string(refusal.what()));
    }
  }();
  auto result = workspace(side);
  // Until here the plan is as it was, and from here on nothing can fail: Views, vectors and numbers are moved.
  m.transposed = std::move(side);
  m.transpose_built = std::move(report);
  m.has_transpose = true;
  return result;
}

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Scalar* values,
                                                              std::size_t count) {
  const Region<ExecutionSpace> region("Tessera::update_values");
  Members& m = *members_;
  if (!m.has_source) {
    throw std::logic_error("Tessera::Plan::update_values: release_source() was called before; make a new plan");
  }
  if (count != m.source_entries) {
    throw std::invalid_argument("Tessera::Plan::update_values: there are " + std::to_string(count) +
                                " values; expected those of the matrix that the plan was made from, " +
                                std::to_string(m.source_entries));
  }
  if (values == nullptr && count > 0) {
    throw std::invalid_argument("Tessera::Plan::update_values: values has " + std::to_string(count) +
                                " elements and no memory (its data is null); expected allocated memory");
  }
  fill(exec, m.plain, m.source, values);
  if (m.has_transpose) fill(exec, m.transposed, m.source, values);
  ++m.updates;
}

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::release_source() {
  Members& m = *members_;
  m.source = {};
  m.plain.map = {};
  m.transposed.map = {};
  m.has_source = false;
}

template <class Scalar, class Offset, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, Offset, ExecutionSpace>::check_product(const ExecutionSpace& exec,
                                                              const Workspace<ExecutionSpace>& work, Mode mode,
                                                              const Multivector<const VectorScalar>& X,
                                                              const Multivector<VectorScalar>& Y) const {
  const Members& m = *members_;
  const Ordinal op_rows = is_transposed(mode) ? m.columns : m.rows;
  const Ordinal op_columns = is_transposed(mode) ? m.rows : m.columns;
  if (X.rows != op_columns || Y.rows != op_rows || X.columns != Y.columns) {
    refuse_product("op(A) is " + shape(op_rows, op_columns) + " in mode " + std::string(to_string(mode)) + ", X is " +
                   shape(X.rows, X.columns) + ", Y is " + shape(Y.rows, Y.columns) + "; expected X with " +
                   std::to_string(op_columns) + " rows, Y with " + std::to_string(op_rows) +
                   " rows, and as many columns in Y as in X");
  }
  check_memory(X, Y);
  check_workspace(exec, work, m.id, mode, X.columns);
}

template <class Scalar, class Offset, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, Offset, ExecutionSpace>::apply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                                      Mode mode, VectorScalar alpha,
                                                      const Multivector<const VectorScalar>& X, VectorScalar beta,
                                                      const Multivector<VectorScalar>& Y) const {
  const Region<ExecutionSpace> region("Tessera::spmm");
  check_product(exec, work, mode, X, Y);
  members_->products.fetch_add(1, std::memory_order_relaxed);
  if (Y.rows == 0 || Y.columns == 0) return;
  const Members& m = *members_;
  if (alpha == VectorScalar(0) || m.nonzeros == 0) return scale(exec, beta, Y);
  const auto& side = is_transposed(mode) ? m.transposed : m.plain;
  const Product<Scalar, VectorScalar> product{nullptr, is_complex_v<Scalar> && is_conjugated(mode), alpha, X, beta, Y};
  side.multiply(exec, product, m.nonzeros, {work.data(), work.bytes()});
}

#define TESSERA_INSTANTIATE_STATE(Exec, Scalar, Offset) template class PlanState<Scalar, Offset, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_MATRIX, TESSERA_INSTANTIATE_STATE)

#define TESSERA_INSTANTIATE_APPLY(Exec, M, V, Offset)                                           \
  template void PlanState<M, Offset, Exec>::apply(const Exec&, const Workspace<Exec>&, Mode, V, \
                                                  const Multivector<const V>&, V, const Multivector<V>&) const;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE_APPLY)

}  // namespace Tessera::Impl
