// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <stdexcept>
#include <tessera/format/Blocks.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "AvailablePrecision.hpp"
#include "CheckArguments.hpp"
#include "Explain.hpp"
#include "PlanMembers.hpp"
#include "Published.hpp"
#include "Stats.hpp"
#include "StoreMatrix.hpp"
#include "Transpose.hpp"

namespace Tessera::Impl {

namespace {

/// The options with what the device has: a precision, parameters that suit its kernels, and a kernel.
///
/// \param notes [in,out] gets a note about each fall-back
/// \throws std::invalid_argument if something is not available and the options allow no fall-back
template <class Scalar, class Offset, class ExecutionSpace>
PlanOptions available_options(const ExecutionSpace& exec, PlanOptions options, std::vector<std::string>& notes) {
  options.precision = available_precision<Scalar>(exec, options, "Tessera::make_plan", notes);
  options.parameters = Device<Scalar, ExecutionSpace>::parameters(options);
  options.kernel = available_kernel<Scalar>(exec, options, options.format, "Tessera::make_plan", notes);
  return options;
}

/// The canonical rows of the caller's matrix, whose blocks become entries. Their map leads to the caller's values.
template <class Scalar, class Offset, class ExecutionSpace>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> rows_of_input(
    const ExecutionSpace& exec, const typename PlanState<Scalar, Offset, ExecutionSpace>::Input& input,
    const MemoryBudget& budget) {
  const auto canonical = [&](const CsrPattern<Offset>& pattern, std::size_t entries, const MemoryBudget& step) {
    auto rows = build_csr(exec, pattern, entries, step.left());
    step.try_charge(build_csr_bytes<Offset>(exec, rows.pattern.rows, entries, rows.values.is_identity()));
    return rows;
  };
  if (input.block_size == 1) return canonical(input.pattern, input.column_indices_size, budget);
  const auto points = expand_blocks(exec, input.pattern, input.column_indices_size, input.block_size, budget.left());
  const MemoryBudget beside = budget.beside(bytes_of(points));
  auto result = canonical(points.pattern.view(), points.pattern.nonzeros, beside);
  if (!result.values.is_identity()) beside.charge("sorting the blocks", bytes_of(result) + result.values.bytes());
  result.values = compose(exec, points.values, result.values);
  return result;
}

}  // namespace

template <class Scalar, class Offset, class ExecutionSpace>
PlanState<Scalar, Offset, ExecutionSpace>::PlanState(const ExecutionSpace& exec, const Input& input,
                                                     const PlanOptions& options)
    : LiveObject(Kind::Plan), members_(std::make_unique<Members>()) {
  const Region<ExecutionSpace> region("Tessera::make_plan");
  const SteadyTimer timer;
  check_matrix<Offset>(input);
  check_not_negative("Tessera::make_plan: options.columns", options.columns);
  check_not_negative("Tessera::make_plan: options.expected_products", options.expected_products);
  if (options.half_vectors && !std::is_same_v<Scalar, float>)
    refuse_matrix("options.half_vectors is true; expected a matrix of float for vectors of 16 bits");
  Members& m = *members_;
  m.options = available_options<Scalar, Offset>(exec, options, m.built.notes);
  BuildSeconds& seconds = m.built.seconds;
  MemoryBudget budget{m.options.memory_limit, m.built.peak_bytes};
  auto canonical = timed(exec, "Tessera::analysis", seconds.analysis,
                         [&] { return rows_of_input<Scalar, Offset>(exec, input, budget); });
  m.rows = canonical.pattern.rows;
  m.columns = canonical.pattern.columns;
  m.nonzeros = canonical.pattern.nonzeros;
  m.source_entries = input.values_size;
  // The plan keeps this map. To store_matrix(), values come in canonical order.
  m.source = std::exchange(canonical.values, {});
  budget.kept = m.source.bytes();
  PlanOptions wanted = m.options;
  // If the caller's entries come in another order, no format reads their values in place: a look costs all the same.
  wanted.follows_values = wanted.follows_values && m.source.is_identity();
  m.plain = store_matrix<Scalar>(exec, wanted, canonical, budget, m.built);
  timed(exec, "Tessera::fill_values", seconds.values, [&] { m.plain.fill(exec, m.source, input.values); });
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
  return members_->plain.kernel_bytes() + members_->transposed.kernel_bytes();
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
  e.half_vectors = m.options.half_vectors;
  e.execution_space = ExecutionSpace::name();
  e.format_bytes = format_bytes();
  e.transpose_bytes = m.transposed.format_bytes();
  e.slot_map_bytes = slot_map_bytes();
  e.kernel_bytes = kernel_bytes();
  e.peak_bytes = std::max(m.built.peak_bytes, m.transpose_built.peak_bytes);
  e.memory_limit = m.options.memory_limit;
  e.kernels = m.plain.engine->describe();
  if (m.has_transpose) e.transpose_kernels = m.transposed.engine->describe();
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
  const MatrixStats plain{m.plain.choice, m.plain.tiles, m.built.seconds};
  const MatrixStats transposed{m.transposed.choice, m.transposed.tiles, m.transpose_built.seconds};
  return Impl::stats(explanation(), {to_string(m.options.precision), to_string(m.options.kernel)}, plain,
                     m.has_transpose ? &transposed : nullptr, {m.products.load(std::memory_order_relaxed), m.updates});
}

template <class Scalar, class Offset, class ExecutionSpace>
Workspace<ExecutionSpace> PlanState<Scalar, Offset, ExecutionSpace>::prepare(const ExecutionSpace& exec, int columns,
                                                                             Mode mode) {
  const Region<ExecutionSpace> region("Tessera::prepare");
  check_not_negative("Tessera::Plan::prepare: columns", columns);
  Members& m = *members_;
  const Ordinal x_rows = is_transposed(mode) ? m.rows : m.columns;
  const auto workspace = [&](const auto& stored) {
    return Workspace<ExecutionSpace>(exec, m.id, mode, columns,
                                     stored.scratch_bytes(x_rows, columns, m.options.half_vectors));
  };
  if (!is_transposed(mode)) return workspace(m.plain);
  if (m.has_transpose) return workspace(m.transposed);
  BuildReport report;
  auto transposed = [&] {
    try {
      return store_transpose(exec, m, bytes(), report);
    } catch (const std::invalid_argument& refusal) {
      throw std::invalid_argument("Tessera::Plan::prepare: the transpose of A is refused: " +
                                  std::string(refusal.what()));
    }
  }();
  auto result = workspace(transposed);
  // If anything failed until here, the plan is as it was. From here on nothing can: Views, vectors and numbers move.
  m.transposed = std::move(transposed);
  m.transpose_built = std::move(report);
  m.has_transpose = true;
  return result;
}

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::check_new_values(const char* who, const Scalar* values,
                                                                 std::size_t count) const {
  const Members& m = *members_;
  if (m.has_source && count == m.source_entries && (values != nullptr || count == 0)) return;
  const std::string name = std::string("Tessera::Plan::") + who;
  if (!m.has_source) throw std::logic_error(name + ": release_source() was called before; make a new plan");
  if (count != m.source_entries) {
    throw std::invalid_argument(name + ": there are " + std::to_string(count) +
                                " values; expected those of the matrix that the plan was made from, " +
                                std::to_string(m.source_entries));
  }
  check_allocated(name + ": values", values, count);
}

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Scalar* values,
                                                              std::size_t count) {
  const Region<ExecutionSpace> region("Tessera::update_values");
  check_new_values("update_values", values, count);
  Members& m = *members_;
  m.plain.fill(exec, m.source, values);
  if (m.has_transpose) m.transposed.fill(exec, m.source, values);
  ++m.updates;
}

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::follow_values(const ExecutionSpace& exec, Mode mode,
                                                              const Scalar* values, std::size_t count) {
  const Region<ExecutionSpace> region("Tessera::follow_values");
  check_new_values("follow_values", values, count);
  Members& m = *members_;
  if (is_transposed(mode) && !m.has_transpose) {
    throw std::logic_error("Tessera::Plan::follow_values: the mode is " + std::string(to_string(mode)) +
                           ", and the plan has no transpose; expected prepare() for a transposed mode before");
  }
  if (m.nonzeros == 0) return;
  auto& stored = is_transposed(mode) ? m.transposed : m.plain;
  stored.follow(exec, m.source, values, count);
}

/// Copies the values that products read where the caller's lie.
template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::keep_values(const ExecutionSpace& exec) const {
  Members& m = *members_;
  m.plain.keep_values(exec, m.source);
  m.transposed.keep_values(exec, m.source);
}

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::release_source(const ExecutionSpace& exec) {
  const Region<ExecutionSpace> region("Tessera::release_source");
  exec.fence("Tessera::release_source");
  Members& m = *members_;
  keep_values(exec);
  m.source = {};
  m.plain.map = {};
  m.transposed.map = {};
  m.has_source = false;
}

template <class Scalar, class Offset, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, Offset, ExecutionSpace>::apply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                                      Mode mode, sum_of_t<VectorScalar> alpha,
                                                      const Multivector<const VectorScalar>& X,
                                                      sum_of_t<VectorScalar> beta,
                                                      const Multivector<VectorScalar>& Y) const {
  const Region<ExecutionSpace> region("Tessera::spmm");
  check_product("Tessera::spmm", exec, work, *members_, mode, X, "Y", Y);
  if (is_half_v<VectorScalar> && !members_->options.half_vectors)
    refuse_product("Tessera::spmm", "X and Y have 16 bits; expected a plan with PlanOptions::half_vectors");
  members_->products.fetch_add(1, std::memory_order_relaxed);
  if (Y.rows == 0 || Y.columns == 0) return;
  const Members& m = *members_;
  if (alpha == sum_of_t<VectorScalar>(0) || m.nonzeros == 0) return scale(exec, beta, Y);
  const auto& stored = is_transposed(mode) ? m.transposed : m.plain;
  const Product<Scalar, VectorScalar> product{nullptr, is_complex_v<Scalar> && is_conjugated(mode), alpha, X, beta, Y};
  stored.multiply(exec, product, {work.data(), work.bytes()});
}

#define TESSERA_INSTANTIATE_STATE(Exec, Scalar, Offset) template class PlanState<Scalar, Offset, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_MATRIX, TESSERA_INSTANTIATE_STATE)

#define TESSERA_INSTANTIATE_APPLY(Exec, M, V, Offset)                                                                 \
  template void PlanState<M, Offset, Exec>::apply<V>(const Exec&, const Workspace<Exec>&, Mode, sum_of_t<V>,          \
                                                     const Multivector<const V>&, sum_of_t<V>, const Multivector<V>&) \
      const;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE_APPLY)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_HALF_PRODUCT, TESSERA_INSTANTIATE_APPLY)

}  // namespace Tessera::Impl
