// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <tessera/parallel/TooManyPlaces.hpp>
#include <tessera/select/Choose.hpp>
#include <utility>

#include "BuildReport.hpp"
#include "MatrixCounts.hpp"
#include "Published.hpp"
#include "Rejections.hpp"
#include "StoredMatrix.hpp"
#include "Tune.hpp"

namespace Tessera::Impl {

/// Chooses a format for rows in a given order, and builds it. Values and kernels are added later.
template <class Scalar, class ExecutionSpace>
class FormatBuilder {
 public:
  using Memory = typename ExecutionSpace::memory_space;
  using Rows = BuiltCsr<Memory>;
  using Matrix = StoredMatrix<Scalar, ExecutionSpace>;

  /// \param wanted   [in] the format, or Format::Auto
  /// \param rows     [in] canonical rows in `orders`; rows.values maps their entries to those of A
  /// \param rejections [in,out] the formats that did not fit
  /// \param report   [in,out] gets the times, and a note about a fall-back
  /// \param counted  [in] the statistics of `rows` if they are known; otherwise null
  FormatBuilder(const ExecutionSpace& exec, const PlanOptions& options, Format wanted, const Rows& rows,
                const Orders<Memory>& orders, Rejections& rejections, BuildReport& report,
                const MatrixStatistics* counted = nullptr)
      : exec_(exec),
        options_(options),
        wanted_(wanted),
        rows_(rows),
        orders_(orders),
        rejections_(rejections),
        model_(ThisDevice::model(exec, options)),
        asked_precision_(options.precision),
        report_(report),
        counted_(counted) {}

  /// Returns the choice by predicted times, and builds nothing.
  Choice predicted_choice() {
    timed(exec_, "Tessera::analysis", report_.seconds.analysis, [&] { count(); });
    rank();
    choose();
    return std::move(matrix_.choice);
  }

  /// \throws TooManyPlaces if the chosen format needs too many places and the rows can be cut
  /// \throws FormatTooLarge if no format fits, or if the wanted format does not fit and the options allow no fall-back
  Matrix build() {
    timed(exec_, "Tessera::analysis", report_.seconds.analysis, [&] { count(); });
    rank();
    choose();
    if (wanted_ == Format::Auto && options_.tuning != Tuning::Predict) {
      const double spent = report_.seconds.tuning;
      timed(exec_, "Tessera::tune", report_.seconds.tuning,
            [&] { measured_ = tune<Scalar>(exec_, options_, rows_.pattern, model_, spent, matrix_.choice); });
    }
    timed(exec_, "Tessera::build_format", report_.seconds.format, [&] {
      while (!build_chosen()) choose();
    });
    list_built();
    return std::move(matrix_);
  }

 private:
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  using Model = decltype(ThisDevice::model(std::declval<ExecutionSpace>(), PlanOptions()));

  /// Whether a decision needs predicted times: on the format, on an order, or on a wider precision. Staged windows take
  /// their shape from the statistics.
  bool decides() const {
    const bool tries_no_order = options_.reordering == Reordering::None ||
                                (options_.reordering == Reordering::Auto && is_host_space<ExecutionSpace>);
    return wanted_ == Format::Auto || wanted_ == Format::Staged || !tries_no_order ||
           options_.kernel == Kernel::Published || wider_precision() != options_.precision;
  }

  void count() {
    if (counted_ != nullptr) {
      statistics_ = *counted_;
    } else if (decides()) {
      statistics_ = statistics_of<Scalar>(exec_, options_, wanted_, model_, rows_.pattern);
    } else {
      const Csr<Memory>& A = rows_.pattern;
      statistics_ = statistics_of_size<Scalar, Model>(options_, A.rows, A.columns, A.nonzeros);
    }
    statistics_.is_reordered = !orders_.are_identity();
    statistics_.has_given_order = rows_.values.is_identity();
    options_.parameters = ThisDevice::parameters(exec_, options_, statistics_);
    if (statistics_.bcsr_blocks == 0) return;
    options_.parameters.bcsr_block_rows = static_cast<int>(statistics_.bcsr_block_rows);  // avoids a second search
    options_.parameters.bcsr_block_columns = static_cast<int>(statistics_.bcsr_block_columns);
  }

  /// Ranks the candidates by their predicted times. If nothing depends on them, there are no candidates.
  void rank() {
    Choice& choice = matrix_.choice;
    if (!decides()) {
      choice.statistics = statistics_;
      choice.model = Model::version;
    } else if (options_.kernel == Kernel::Published) {
      choice = choose_published<Scalar>(exec_, options_, wanted_, rows_.pattern, statistics_, model_);
    } else {
      choice = choose_format(statistics_, model_);
    }
    take_wider_precision();
    choice.device = ThisDevice::name(exec_);
  }

  /// Chooses the wanted format, or the fastest format that was not rejected.
  void choose() {
    Choice& choice = matrix_.choice;
    for (Candidate& candidate : choice.candidates) candidate.is_rejected = rejections_.has(candidate.format);
    const bool one_is_left = choose_unrejected(choice);
    if (wanted_ == Format::Auto) {
      if (!one_is_left) rejections_.reject_all();
    } else if (!rejections_.has(wanted_)) {
      choice.format = wanted_;
      choice.reason = std::string(to_string(wanted_)) + " was asked for";
    } else {
      if (options_.on_unsupported == OnUnsupported::Throw || rejections_.has(Format::Csr)) rejections_.reject_all();
      choice.format = Format::Csr;
      choice.reason = std::string(to_string(wanted_)) + " was asked for, but does not fit";
    }
    if (choice.is_wider) {
      choice.reason += ", in " + std::string(to_string(options_.precision)) +
                       ", which is predicted to be faster than " + std::string(to_string(asked_precision_));
    }
  }

  /// Returns the wider precision that may replace the wanted one. With a memory limit none does, because kernels for a
  /// wider one need more memory.
  Precision wider_precision() const {
    return options_.memory_limit == no_memory_limit ? ThisDevice::wider_precision(options_) : options_.precision;
  }

  /// Ranks the candidates again in a wider precision. Uses that precision if it makes the wanted format, or the fastest
  /// one, faster.
  void take_wider_precision() {
    PlanOptions options = options_;
    options.precision = wider_precision();
    if (options.precision == options_.precision) return;
    const Model model = ThisDevice::model(exec_, options);
    Choice choice = choose_format(statistics_, model);
    constexpr double worthwhile = 0.95;
    if (!(seconds_of_wanted(choice) < worthwhile * seconds_of_wanted(matrix_.choice))) return;
    choice.is_wider = true;
    matrix_.choice = std::move(choice);
    model_ = model;
    options_ = options;
  }
  /// Returns the predicted time of the wanted format, or of the fastest one; infinity if it is not a candidate.
  double seconds_of_wanted(const Choice& choice) const {
    for (const Candidate& candidate : choice.candidates)
      if (wanted_ == Format::Auto || candidate.format == wanted_) return candidate.predicted_seconds;
    return std::numeric_limits<double>::infinity();
  }

  /// Builds the chosen format. Returns whether it fits.
  bool build_chosen() {
    const Format format = matrix_.choice.format;
    try {
      auto built = std::exchange(measured_, {});
      if (!built.engine || built.engine->format() != format) {
        built = {};  // makes room
        built = with_engine_of<Scalar, ExecutionSpace>(format, options_.kernel, [&](auto engines) {
          return engines.build(exec_, rows_.pattern, options_.parameters);
        });
      }
      matrix_.map = compose(exec_, rows_.values, built.values);
      matrix_.engine = std::move(built.engine);
      matrix_.tiles = matrix_.engine->tile_metrics(exec_);
    } catch (const FormatTooLarge& rejection) {
      if (rejections_.can_cut() && dynamic_cast<const TooManyPlaces*>(&rejection) != nullptr) throw;
      matrix_.engine.reset();
      matrix_.map = {};
      rejections_.add(format, rejection, format == wanted_ ? &report_.notes : nullptr);
      return false;
    }
    matrix_.orders = orders_;
    return true;
  }

  /// Adds the built format to the candidates, unless it is one of them.
  void list_built() {
    auto& candidates = matrix_.choice.candidates;
    const auto is_chosen = [&](const Candidate& candidate) { return matrix_.choice.is_chosen(candidate); };
    if (std::none_of(candidates.begin(), candidates.end(), is_chosen)) candidates.push_back(built_candidate());
  }

  Candidate built_candidate() {
    if (const BlockShape block = matrix_.engine->block(); block.size() > 0) {
      statistics_.bcsr_block_rows = block.height;  // was not counted earlier
      statistics_.bcsr_block_columns = block.width;
    }
    const auto tiles = static_cast<double>(matrix_.tiles.tiles), bytes = static_cast<double>(matrix_.format_bytes());
    if (!decides()) return {.format = matrix_.choice.format, .tiles = tiles, .format_bytes = bytes};
    return predict(statistics_, {matrix_.choice.format, tiles, bytes}, model_);
  }

  const ExecutionSpace& exec_;
  PlanOptions options_;
  Format wanted_;
  const Rows& rows_;
  const Orders<Memory>& orders_;
  Rejections& rejections_;
  Model model_;
  Precision asked_precision_;
  BuildReport& report_;
  const MatrixStatistics* counted_;
  MatrixStatistics statistics_;
  Matrix matrix_;
  BuiltEngine<Scalar, ExecutionSpace> measured_;  // the fastest that was measured; null if none is kept
};

}  // namespace Tessera::Impl
