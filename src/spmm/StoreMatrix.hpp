// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "FormatBuilder.hpp"

/// Stores canonical rows in a format and an order. Start reading at store_matrix(), at the end.
namespace Tessera::Impl {

/// Returns the predicted time of a product, to compare orders. If the format may be chosen by measurements, returns the
/// least time of all candidates, because measurements are not made for all orders.
inline double predicted_seconds(const PlanOptions& options, Format wanted, const Choice& choice) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : choice.candidates) {
    if (choice.is_chosen(candidate) && (wanted != Format::Auto || options.tuning == Tuning::Predict))
      return candidate.predicted_seconds;
    if (!candidate.is_rejected) least = std::min(least, candidate.predicted_seconds);
  }
  return std::isinf(least) ? 0 : least;
}

/// The nonzeros of the smallest matrix that an order can help much: a smaller one takes little longer than its launch.
inline constexpr double fewest_clustered = 2e5;

/// Returns whether nearby rows share columns that adjacent rows do not. In the best order, the number of distinct
/// columns of windows of 8 rows would be that of windows of 128 rows, or an eighth of the entries if that is more.
inline bool may_share_more(const MatrixStatistics& m) {
  return m.nonzeros >= fewest_clustered && m.window8_columns > 2 * std::max(m.window128_columns, m.nonzeros / 8);
}

/// Returns whether the format orders itself. Auto does if all of its candidates do.
inline bool orders_itself(Format format, const std::vector<Candidate>& candidates) {
  if (format != Format::Auto) return orders_itself(format);
  return std::ranges::all_of(candidates, [](const Candidate& each) { return orders_itself(each.format); });
}

/// Returns the reorderings to try for a format.
///
/// \param choice [in] the choice for the order of A
template <class ExecutionSpace>
std::vector<Reordering> reorderings_to_try(const PlanOptions& options, Format format, const Choice& choice) {
  if (options.reordering == Reordering::None || orders_itself(format, choice.candidates)) return {};
  const bool clusters = !is_host_space<ExecutionSpace> && may_share_more(choice.statistics);
  if (options.reordering == Reordering::Auto) {
    // Published kernels are compared in the order of A.
    const bool is_published = options.kernel == Kernel::Published;
    return clusters && !is_published ? std::vector{Reordering::LocalClusters} : std::vector<Reordering>();
  }
  if (options.reordering != Reordering::Search) return {options.reordering};
  std::vector<Reordering> reorderings{Reordering::DataAffinity, Reordering::WindowGrowing};
  if (clusters) reorderings.push_back(Reordering::LocalClusters);
  if (has_adjacent_columns(format)) reorderings.push_back(Reordering::JaccardRows);
  return reorderings;
}

/// Returns whether a search for an order may pay off: false if not even the best imaginable order is predicted to be
/// worthwhile. True if there is no prediction: for published kernels, and for formats that are not candidates.
///
/// \param choice [in] the choice for the present order of rows
/// \param own    [in] the predicted time in that order
template <class Scalar, class ExecutionSpace>
bool may_be_worthwhile(const ExecutionSpace& exec, const PlanOptions& options, Format wanted, const Choice& choice,
                       double own) {
  if (options.kernel == Kernel::Published) return true;
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  const auto model = ThisDevice::model(exec, options_of_choice<ThisDevice>(options, choice));
  const auto candidates = choose_format(in_best_order(choice.statistics), model).candidates;
  const auto is_wanted = [&](const Candidate& candidate) {
    return wanted == Format::Auto || candidate.format == wanted;
  };
  const auto best = std::find_if(candidates.begin(), candidates.end(), is_wanted);
  return best == candidates.end() || best->predicted_seconds < worthwhile_reordering * own;
}

/// Rows in the order that a reordering finds.
template <class Scalar, class ExecutionSpace>
struct Reordered {
  bool is_own_order = true;  // that of A
  double seconds = 0;        // the predicted time of a product, if the order is another one
  std::optional<StoredMatrix<Scalar, ExecutionSpace>> stored;
};

/// Stores A in the order that a reordering finds, unless that is the order of A, or is not predicted to be fast.
///
/// \param least   [in] orders whose time is predicted before they are built, and is at least this, are not stored
/// \param can_cut [in] as for store_matrix()
/// \param seconds [in,out] gets the times
/// \throws FormatTooLarge even if fall-backs are allowed, because an order that was found for blocks does not suit CSR
template <class Scalar, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Reordered<Scalar, ExecutionSpace> store_reordered(const ExecutionSpace& exec, PlanOptions options, Format wanted,
                                                  Reordering reordering, const BuiltCsr<Memory>& A, double least,
                                                  bool can_cut, BuildSeconds& seconds) {
  Orders<Memory> orders;
  BuiltCsr<Memory> rows;
  timed(exec, "Tessera::reordering", seconds.reordering, [&] {
    orders = find_orders(exec, A.pattern, reordering, wanted, options.parameters, sizeof(Scalar));
    if (orders.are_identity()) return;
    rows = permute(exec, A.pattern, orders);
    rows.values = compose(exec, A.values, rows.values);
  });
  if (orders.are_identity()) return {};
  options.on_unsupported = OnUnsupported::Throw;
  BuildReport report;  // has no notes, because there are no fall-backs
  report.seconds = seconds;
  Rejections rejections(can_cut);
  using Builder = FormatBuilder<Scalar, ExecutionSpace>;
  const Choice predicted = Builder(exec, options, wanted, rows, orders, rejections, report).predicted_choice();
  Reordered<Scalar, ExecutionSpace> result{false, predicted_seconds(options, wanted, predicted), {}};
  // The times of some formats are predicted only when these are built.
  const bool is_predicted = wanted == Format::Auto || std::ranges::any_of(predicted.candidates, [&](const auto& other) {
                              return other.format == wanted;
                            });
  if (!is_predicted || result.seconds < least) {
    result.stored = Builder(exec, options, wanted, rows, orders, rejections, report, &predicted.statistics).build();
    result.stored->choice.reordering = reordering;
    result.seconds = predicted_seconds(options, wanted, result.stored->choice);
  }
  seconds = report.seconds;
  return result;
}

/// Adds a note that an order does not fit, if the user requested it together with always_reorder.
///
/// \throws FormatTooLarge if the options allow no fall-back
inline void note_rejected_order(const PlanOptions& options, Reordering order, const std::invalid_argument& rejection,
                                std::vector<std::string>& notes) {
  if (!options.always_reorder || options.reordering != order) return;
  const auto text = rejected("a plan in the order " + std::string(to_string(order)), rejection);
  if (options.on_unsupported == OnUnsupported::Throw) throw FormatTooLarge(text);
  notes.push_back(text + "; rows stay in their order");
}

/// Stores A in its own order and in each order to try, and keeps the fastest. If no order can be worthwhile, tries only
/// an order that the user named.
///
/// \param rejections [in,out] the formats and orders that did not fit
/// \param report     [in,out] gets the times, and a note about a fall-back
/// \param counted    [in] the statistics of A in its own order if they are known; otherwise null
template <class Scalar, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
StoredMatrix<Scalar, ExecutionSpace> store_in_best_order(const ExecutionSpace& exec, const PlanOptions& options,
                                                         const BuiltCsr<Memory>& A, Rejections& rejections,
                                                         BuildReport& report, const MatrixStatistics* counted) {
  Format wanted = options.format;
  auto best = FormatBuilder<Scalar, ExecutionSpace>(exec, options, wanted, A, {}, rejections, report, counted).build();
  if (wanted != Format::Auto) wanted = best.choice.format;  // a fall-back may have changed the format
  const double own = predicted_seconds(options, wanted, best.choice);
  const bool is_forced = options.always_reorder && options.reordering != Reordering::Auto;
  double least = is_forced ? std::numeric_limits<double>::infinity() : worthwhile_reordering * own;
  std::vector<ReorderingTrial> trials;
  auto reorderings = reorderings_to_try<ExecutionSpace>(options, wanted, best.choice);
  const bool is_named = options.reordering != Reordering::Search && options.reordering != Reordering::Auto;
  const bool is_optional = !is_forced && !is_named && !reorderings.empty();
  if (is_optional && !may_be_worthwhile<Scalar>(exec, options, wanted, best.choice, own)) {
    reorderings.clear();
    const std::string note = "no order was sought: not even the best imaginable one is predicted to be worthwhile";
    const bool is_said = std::find(report.notes.begin(), report.notes.end(), note) != report.notes.end();
    if (options.reordering == Reordering::Search && !is_said) report.notes.push_back(note);
  }
  for (const Reordering reordering : reorderings) {
    const bool is_rejected = rejections.has(reordering), can_cut = rejections.can_cut() && is_forced && is_named;
    ReorderingTrial trial{reordering, is_rejected ? std::numeric_limits<double>::infinity() : 1};
    try {
      if (!is_rejected) {
        auto other = store_reordered<Scalar>(exec, options, wanted, reordering, A, least, can_cut, report.seconds);
        if (!other.is_own_order && own > 0) trial.relative_seconds = other.seconds / own;
        if (other.stored && other.seconds < least) {
          least = other.seconds;
          best = std::move(*other.stored);
        }
      }
    } catch (const TooManyPlaces&) {
      throw;  // the caller cuts the rows, and reorders each part
    } catch (const std::invalid_argument& rejection) {
      note_rejected_order(options, reordering, rejection, report.notes);
      trial.relative_seconds = std::numeric_limits<double>::infinity();
    }
    trial.peak_bytes = static_cast<double>(CurrentBuild::of_this_thread()->account()->peak());
    trials.push_back(trial);
  }
  best.choice.reorderings = std::move(trials);
  return best;
}

/// Allocates the values, unless products may read the caller's, and builds the kernels in the remaining memory.
template <class Scalar, class ExecutionSpace>
void add_values_and_kernels(const ExecutionSpace& exec, PlanOptions options,
                            StoredMatrix<Scalar, ExecutionSpace>& stored, BuildReport& report) {
  options = options_of_choice<Device<Scalar, ExecutionSpace>>(options, stored.choice);
  if (!options.shares_values || !stored.reads_given({})) stored.make_room(exec);
  timed(exec, "Tessera::build_kernels", report.seconds.kernels,
        [&] { build_kernels(exec, options, stored, report.notes); });
}

/// Stores a matrix in the wanted or chosen format, and in the order that is predicted to be the fastest among the
/// orders that the options allow. Values are filled in later. Frees the rows to make room for values and kernels. If
/// these do not fit, rejects the order (or the format, if the order is that of A) and stores the matrix again.
///
/// \param options [in] read after rows() is called, because rows() may set hints.follow_values and shares_values
/// \param rows    [in] returns A as canonical BuiltCsr, whose map gives the entries of the plan's matrix
/// \param can_cut [in] whether the caller cuts the rows if the chosen format needs too many places. Otherwise such a
///                     format does not fit
/// \param report  [in,out] gets the times, and a note about a fall-back
/// \param counted [in] the statistics of A in its own order if they are known; otherwise null
/// \throws TooManyPlaces if the rows must be cut
template <class Scalar, class ExecutionSpace, class Rows>
StoredMatrix<Scalar, ExecutionSpace> store_matrix(const ExecutionSpace& exec, const PlanOptions& options,
                                                  const Rows& rows, bool can_cut, BuildReport& report,
                                                  const MatrixStatistics* counted = nullptr) {
  Rejections rejections(can_cut);
  for (;;) {
    auto A = rows();
    auto stored = store_in_best_order<Scalar>(exec, options, A, rejections, report, counted);
    A = {};  // makes room for values and kernels
    try {
      add_values_and_kernels(exec, options, stored, report);
      return stored;
    } catch (const FormatTooLarge& rejection) {
      const auto [format, order] = std::pair(stored.choice.format, stored.choice.reordering);
      if (order == Reordering::None) {
        rejections.add(format, rejection, format == options.format ? &report.notes : nullptr);
      } else {
        note_rejected_order(options, order, rejection, report.notes);
        rejections.add(order);
      }
    }
  }
}

/// Stores canonical rows as they are. Counts nothing, and tries neither formats nor orders.
///
/// \param reason [in] why, for Plan::explain()
/// \throws FormatTooLarge if the account has no room for them
template <class Scalar, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
StoredMatrix<Scalar, ExecutionSpace> store_as_rows(const ExecutionSpace& exec, const PlanOptions& options,
                                                   const BuiltCsr<Memory>& A, const std::string& reason,
                                                   BuildReport& report) {
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  const auto model = ThisDevice::model_without_room(exec, options);
  using Model = std::remove_cv_t<decltype(model)>;
  StoredMatrix<Scalar, ExecutionSpace> stored;
  auto built = with_engine_of<Scalar, ExecutionSpace>(
      Format::Csr, Kernel::Auto, [&](auto engines) { return engines.build(exec, A.pattern, options.parameters); });
  stored.engine = std::move(built.engine);
  stored.map = A.values;
  Choice& choice = stored.choice;
  choice.statistics = statistics_of_size<Scalar, Model>(options, A.pattern.rows, A.pattern.columns, A.pattern.nonzeros);
  choice.statistics.has_given_order = A.values.is_identity();
  const double bytes = static_cast<double>(A.pattern.shared_bytes + stored.format_bytes());
  choice.candidates = {predict(choice.statistics, {Format::Csr, 0, bytes}, model)};
  choice.reason = reason;
  choice.model = Model::version;
  choice.device = ThisDevice::name(exec);
  add_values_and_kernels(exec, options, stored, report);
  return stored;
}

}  // namespace Tessera::Impl
