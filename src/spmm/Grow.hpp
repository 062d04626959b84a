// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/select/SetupSeconds.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "Growth.hpp"
#include "PlanMembers.hpp"
#include "StoreMatrix.hpp"
#include "Transpose.hpp"

/// Plans that begin with compressed rows. begin_growth() decides whether and when a plan is analysed, choose_growth()
/// analyses it and decides when the chosen format is built, and build_growth() builds it.
namespace Tessera::Impl {

/// Returns whether the options leave format and order to predictions.
inline bool leaves_choice_open(const PlanOptions& options) {
  const bool any_format = options.format == Format::Auto || options.format == Format::Csr;
  const bool any_order = options.reordering == Reordering::Auto || options.reordering == Reordering::None;
  return any_format && any_order && options.kernel == Kernel::Auto && options.tuning == Tuning::Predict;
}

/// Returns the seconds of the candidate with a format; infinity if there is none.
inline double seconds_of_format(const Choice& choice, Format format) {
  for (const Candidate& candidate : choice.candidates)
    if (candidate.format == format && !candidate.is_rejected) return candidate.predicted_seconds;
  return std::numeric_limits<double>::infinity();
}

/// Returns the seconds that a product in compressed rows may lose: the difference to the best format, if the matrix
/// suits it as well as any matrix of this size does, or to an order that is just worthwhile. 0 if rows cannot lose.
template <class Scalar, class ExecutionSpace>
double greatest_loss(const ExecutionSpace& exec, const PlanOptions& options, const RowsOfBlock& block,
                     Ordinal columns) {
  if (block.nonzeros == 0 || options.hints.num_vectors == 0) return 0;
  const auto model = Device<Scalar, ExecutionSpace>::model_without_room(exec, options);
  using Model = std::remove_cv_t<decltype(model)>;
  auto m = statistics_of_size<Scalar, Model>(options, block.rows, columns, block.nonzeros);
  m.longest_row = std::ceil(m.nonzeros / m.rows);
  m = in_best_order(m);
  m.is_reordered = false;
  const Choice choice = choose_format(m, model);
  const double rows = seconds_of_format(choice, Format::Csr);
  const double best = options.format == Format::Auto ? choice.candidates.front().predicted_seconds : rows;
  const bool may_be_ordered =
      !is_host_space<ExecutionSpace> && options.reordering == Reordering::Auto && m.nonzeros >= fewest_clustered;
  return std::max(rows - best, may_be_ordered ? (1 - worthwhile_reordering) * rows : 0);
}

template <class Scalar, class ExecutionSpace>
SetupSeconds set_up_seconds_of(const ExecutionSpace& exec, const PlanOptions& options) {
  return set_up_seconds(Device<Scalar, ExecutionSpace>::model_without_room(exec, options));
}

/// What the analysis of a plan's matrix promises.
struct Promise {
  Choice choice;
  double cost = 0;    ///< seconds that building takes
  double saving = 0;  ///< seconds that each product then saves; 0 if rows are the best
  std::string what;   ///< what would be built
};

/// Analyses compressed rows.
///
/// \param rows [in] canonical
template <class Scalar, class ExecutionSpace>
Promise analyse(const ExecutionSpace& exec, const PlanOptions& options,
                const Csr<typename ExecutionSpace::memory_space>& rows, BuildReport& report) {
  Rejections rejections(false);
  const BuiltCsr<typename ExecutionSpace::memory_space> A{rows, {}};
  const Orders<typename ExecutionSpace::memory_space> own_order;
  FormatBuilder<Scalar, ExecutionSpace> builder(exec, options, options.format, A, own_order, rejections, report);
  Promise promise;
  promise.choice = builder.predicted_choice();
  const Choice& choice = promise.choice;
  const SetupSeconds set_up = set_up_seconds_of<Scalar>(exec, options);
  const double own = predicted_seconds(options, options.format, choice);
  const double now = seconds_of_format(choice, Format::Csr);
  double then = own;
  promise.what = to_string(choice.format);
  if (choice.format != Format::Csr) promise.cost += set_up.format.of(choice.statistics.nonzeros);
  const bool tries_order = !reorderings_to_try<ExecutionSpace>(options, options.format, choice).empty() &&
                           may_be_worthwhile<Scalar>(exec, options, options.format, choice, own);
  if (tries_order) {
    then *= worthwhile_reordering;  // an order that saves less is dropped
    promise.what += " in another order";
    promise.cost += set_up.order.of(choice.statistics.nonzeros) + set_up.format.of(choice.statistics.nonzeros);
  }
  promise.saving = std::max(now - then, 0.0);
  return promise;
}

/// Returns the options for the format that a plan grows to.
template <class Members>
PlanOptions options_of_growth(const Members& m) {
  PlanOptions options = m.options;
  const auto& block = m.blocks.front();
  options.hints.follow_values = options.hints.follow_values && block.source.is_identity();
  options.shares_values = options.shares_values && block.plain.reads_in_place();
  if (m.first_columns > 0) options.hints.num_vectors = m.first_columns;
  return options;
}

/// Builds the stored matrix, and the transpose if the plan has one, in the format that the plan chooses. Waits for all
/// products of the device, because other instances may still read the rows, which are freed. If it throws, the plan is
/// unchanged.
///
/// \param m       [in,out] the members of a plan in compressed rows
/// \param counted [in] the statistics of the rows if they are known; otherwise null
template <class Scalar, class ExecutionSpace, class Members>
void grow_block(const ExecutionSpace& exec, Members& m, const MatrixStatistics* counted) {
  using Block = typename Members::Block;
  Block& block = m.blocks.front();
  Block grown;
  static_cast<RowsOfBlock&>(grown) = block;
  BuildReport report, transpose_report;
  const auto rows = [&] { return BuiltCsr<typename ExecutionSpace::memory_space>{*block.plain.engine->csr(), {}}; };
  const PlanOptions options = options_of_growth(m);
  grown.plain = store_matrix<Scalar>(exec, options, rows, false, report, counted);
  timed(exec, "Tessera::fill_values", report.seconds.values,
        [&] { grown.plain.begin(exec, {}, block.plain.current_values()); });
  if (m.has_transpose) {
    // Values that A reads in place may have changed since the transpose was built.
    const bool is_apart = m.is_transpose_apart || block.plain.reads_in_place();
    const auto* const former = is_apart ? &block.transposed.front().matrix : nullptr;
    grown.transposed = store_transpose(exec, m, options, grown, transpose_report, false, former);
  }
  if (!m.has_source) grown.plain.release_source();
  grown.plain.follow_like(exec, block.plain);
  for (auto& part : grown.transposed) part.matrix.follow_like(exec, block.transposed.front().matrix);
  Kokkos::fence("Tessera::grow");
  m.built.add(report);
  if (m.has_transpose) m.transpose_built.add(transpose_report);
  // Nothing below can fail: it moves Views and numbers.
  block.plain = std::move(grown.plain);
  block.transposed = std::move(grown.transposed);
  m.options.hints.num_vectors = options.hints.num_vectors;
  note_memory(m, m.built, block.plain.choice);
  for (auto& part : block.transposed) note_memory(m, m.transpose_built, part.matrix.choice);
}

/// Keeps the rows of a plan that had another choice, for good.
template <class Members>
void keep_rows(Members& m, std::string state) {
  m.blocks.front().plain.choice.reason = "csr is kept";
  m.growth.keep_rows(std::move(state));
}

/// Checks rows that make_plan() trusted.
/// \throws std::invalid_argument if they are not canonical
template <class ExecutionSpace, class Members>
void check_trusted_rows(const ExecutionSpace& exec, Members& m) {
  if (!m.trusts_rows) return;
  const std::string fault = validate(exec, *m.blocks.front().plain.engine->csr());
  if (!fault.empty()) throw std::invalid_argument(fault + ", but the pattern was to be trusted");
  m.trusts_rows = false;
}

/// Replaces the rows by the chosen format before product number `product`. If that fails for want of memory, the plan
/// keeps its rows, and says so.
template <class Scalar, class ExecutionSpace, class Members>
void build_growth(const ExecutionSpace& exec, Members& m, const std::string& when, const MatrixStatistics* counted) {
  try {
    std::string kept = "compressed rows stay: they were chosen " + when;
    std::string replaced = "compressed rows were replaced " + when;
    check_trusted_rows(exec, m);
    grow_block<Scalar>(exec, m, counted);
    const Choice& choice = m.blocks.front().plain.choice;
    if (choice.format == Format::Csr && choice.reordering == Reordering::None)
      m.growth.keep_rows(std::move(kept));
    else
      m.growth.finish(std::move(replaced));
  } catch (const std::exception& failure) {
    keep_rows(m, "compressed rows stay, because the chosen format could not be built " + when + ": " + failure.what());
  }
}

/// Analyses the matrix before product number `product`, and decides when the chosen format is built.
template <class Scalar, class ExecutionSpace, class Members>
void choose_growth(const ExecutionSpace& exec, Members& m, std::uint64_t product) {
  auto& block = m.blocks.front();
  Promise promise;
  const std::string when = "before product " + std::to_string(product);
  try {
    check_trusted_rows(exec, m);
    promise = analyse<Scalar>(exec, options_of_growth(m), *block.plain.engine->csr(), m.built);
  } catch (const std::exception& failure) {
    return keep_rows(m, "compressed rows stay, because the analysis " + when + " failed: " + failure.what());
  }
  block.plain.choice = std::exchange(promise.choice, {});
  Choice& choice = block.plain.choice;
  choice.is_wider = false;
  choice.format = Format::Csr;
  note_memory(m, m.built, choice);
  const std::uint64_t due = product_that_pays(promise.cost, promise.saving);
  if (due == no_product)
    return m.growth.keep_rows("compressed rows stay: the analysis " + when + " found nothing that is faster");
  m.growth.wait_for(
      Growth::Next::Building, std::max(product, due),
      "compressed rows; " + promise.what + " is built before product " + std::to_string(std::max(product, due)));
  choice.reason = "csr multiplies until " + promise.what + " pays";
}

/// Decides for a plan that may replace its compressed rows when it is analysed, if ever.
template <class Scalar, class ExecutionSpace, class Members>
void plan_analysis(const ExecutionSpace& exec, Members& m) {
  const auto& block = m.blocks.front();
  const PlanOptions options = options_of_growth(m);
  const double loss = greatest_loss<Scalar>(exec, options, block, m.columns);
  const double sampled =
      static_cast<double>(block.nonzeros) / static_cast<double>(sampling_stride(block.rows, block.nonzeros));
  const double cost = set_up_seconds_of<Scalar>(exec, options).analysis.of(sampled);
  constexpr double usual = 0.5;  // the share of the greatest loss that most matrices lose at most
  const std::uint64_t product = product_that_pays(cost, usual * loss);
  if (product == no_product)
    return m.growth.keep_rows("compressed rows stay: no format is predicted to be faster for a matrix of this size");
  m.growth.wait_for(Growth::Next::Analysis, product,
                    "compressed rows; the matrix is analysed before product " + std::to_string(product) +
                        "; columns of X: " + std::to_string(options.hints.num_vectors));
}

/// Tells a plan that does not know it how many columns X has. A product without columns tells nothing.
template <class Scalar, class ExecutionSpace, class Members>
void tell_columns(const ExecutionSpace& exec, Members& m, Ordinal columns) {
  if (m.growth.next() != Growth::Next::Columns || columns == 0) return;
  m.first_columns = columns;
  plan_analysis<Scalar>(exec, m);
}

/// Takes the steps that are due before product number `product`.
template <class Scalar, class ExecutionSpace, class Members>
void grow_for(const ExecutionSpace& exec, Members& m, std::uint64_t product) {
  if (m.growth.next() == Growth::Next::Analysis) choose_growth<Scalar>(exec, m, product);
  if (!m.growth.is_due(product)) return;
  const MatrixStatistics counted = m.blocks.front().plain.choice.statistics;
  build_growth<Scalar>(exec, m, "before product " + std::to_string(product), &counted);
}

/// Decides now, for the products that the user expects, what the plan stores for good.
template <class Scalar, class ExecutionSpace, class Members>
void decide_growth(const ExecutionSpace& exec, Members& m) {
  const auto expected = static_cast<std::uint64_t>(m.options.hints.expected_products);
  const std::string products = std::to_string(expected) + " expected products";
  if (m.growth.is_due(expected)) choose_growth<Scalar>(exec, m, 1);
  if (!m.growth.is_open()) return;
  if (!m.growth.is_due(expected))
    return keep_rows(m, "compressed rows stay: " + products + " do not repay another format");
  const MatrixStatistics counted = m.blocks.front().plain.choice.statistics;
  build_growth<Scalar>(exec, m, "by make_plan() for " + products, &counted);
}

/// Decides for a plan that stores compressed rows whether they may be replaced, and when it is analysed.
template <class Scalar, class ExecutionSpace, class Members>
void begin_growth(const ExecutionSpace& exec, Members& m) {
  const bool may_be_ordered = !is_host_space<ExecutionSpace> && m.options.reordering == Reordering::Auto;
  if (m.options.format == Format::Csr && !may_be_ordered)
    return m.growth.keep_rows("compressed rows stay: the options allow nothing else");
  if (m.assumes_columns && m.options.hints.expected_products == 0 && m.nonzeros > 0 && m.blocks.size() == 1) {
    return m.growth.wait_for(Growth::Next::Columns, 1,
                             "compressed rows; the columns of the first product decide when the matrix is analysed");
  }
  plan_analysis<Scalar>(exec, m);
  if (m.growth.is_open() && m.options.hints.expected_products > 0) decide_growth<Scalar>(exec, m);
}

/// Stores what the plan chooses without a count of products.
template <class Scalar, class ExecutionSpace, class Members>
void settle_growth(const ExecutionSpace& exec, Members& m) {
  const MatrixStatistics counted = m.blocks.front().plain.choice.statistics;
  const bool is_counted = m.growth.next() == Growth::Next::Building;
  build_growth<Scalar>(exec, m, "by settle()", is_counted ? &counted : nullptr);
}

}  // namespace Tessera::Impl
