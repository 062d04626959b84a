// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <tessera/format/FormatTooLarge.hpp>
#include <tessera/select/Choose.hpp>
#include <utility>

#include "BuildReport.hpp"
#include "MatrixCounts.hpp"
#include "MemoryBudget.hpp"
#include "Published.hpp"
#include "StoredMatrix.hpp"
#include "Tune.hpp"

namespace Tessera::Impl {

/// Chooses a format for rows in an order, and builds it. Values and kernels come later.
template <class Scalar, class Offset, class ExecutionSpace>
class FormatBuilder {
 public:
  using Memory = typename ExecutionSpace::memory_space;
  using Rows = BuiltCsr<Offset, Memory>;
  using Matrix = StoredMatrix<Scalar, ExecutionSpace>;

  /// \param wanted [in] the format, or Format::Automatic
  /// \param rows   [in] canonical, in that order; entry i is the entry rows.values (i) of A
  /// \param budget [in] for what is allocated besides rows and orders
  /// \param report [in,out] gets the times, and a note about a fall-back
  FormatBuilder(const ExecutionSpace& exec, const PlanOptions& options, Format wanted, const Rows& rows,
                const Orders<Memory>& orders, const MemoryBudget& budget, BuildReport& report)
      : exec_(exec),
        options_(options),
        wanted_(wanted),
        rows_(rows),
        orders_(orders),
        budget_(budget),
        beside_rows_(budget.beside(bytes_of(rows) + orders.bytes())),
        estimate_{rows, orders, budget_},
        model_(ThisDevice::model(exec, options)),
        asked_precision_(options.precision),
        report_(report) {}

  /// \throws FormatTooLarge if no format fits, or not the one that is wanted and the options allow no fall-back
  Matrix build() {
    timed(exec_, "Tessera::analysis", report_.seconds.analysis, [&] { count(); });
    choose();
    if (wanted_ == Format::Automatic && options_.tuning != Tuning::Predict) {
      const double spent = report_.seconds.tuning;
      timed(exec_, "Tessera::tune", report_.seconds.tuning,
            [&] { tune<Scalar>(exec_, options_, rows_.pattern, beside_rows_, Model::doubt, spent, matrix_.choice); });
    }
    timed(exec_, "Tessera::build_format", report_.seconds.format, [&] { build_chosen_or_csr(); });
    list_built();
    return std::move(matrix_);
  }

 private:
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  using Model = decltype(ThisDevice::model(std::declval<ExecutionSpace>(), PlanOptions()));

  void count() {
    statistics_ = statistics_of<Scalar>(exec_, options_, model_, rows_.pattern, beside_rows_);
    statistics_.is_reordered = !orders_.are_identity();
    statistics_.has_given_order = rows_.values.is_identity();
    options_.parameters = ThisDevice::parameters(exec_, options_, statistics_);
    if (statistics_.bcsr_blocks == 0) return;
    options_.parameters.bcsr_block_rows = static_cast<int>(statistics_.bcsr_block_rows);  // not to be sought again
    options_.parameters.bcsr_block_columns = static_cast<int>(statistics_.bcsr_block_columns);
  }

  /// Ranks the candidates, refuses those that take too much memory, and chooses the format that is wanted, or the
  /// fastest of the others.
  void choose() {
    Choice& choice = matrix_.choice;
    choice = options_.kernel == Kernel::Published
                 ? choose_published<Scalar>(exec_, options_, wanted_, rows_.pattern, statistics_, model_)
                 : choose_format(statistics_, model_);
    take_wider_precision();
    choice.device = ThisDevice::name(exec_);
    for (Candidate& candidate : choice.candidates) {
      const KernelMemory kernel = kernel_memory<Scalar>(exec_, options_, candidate, choice.statistics);
      estimate_.set_bytes(candidate, memory_of(candidate.format, candidate.tiles), kernel);
    }
    const bool one_fits = refuse_beyond(choice, static_cast<double>(budget_.limit));
    if (wanted_ == Format::Automatic) {
      if (!one_fits) refuse_all();
    } else {
      choice.format = wanted_;
      choice.reason = std::string(to_string(wanted_)) + " was asked for";
    }
    if (choice.is_wider) {
      choice.reason += ", in " + std::string(to_string(options_.precision)) +
                       ", which is predicted to be faster than " + std::string(to_string(asked_precision_));
    }
  }

  /// Ranks the candidates anew in a wider precision, and takes that if the wanted format, or the fastest one, is
  /// faster.
  /// Where memory is limited the precision stays: kernels in a wider one keep more.
  void take_wider_precision() {
    if (budget_.limit != no_memory_limit) return;
    PlanOptions options = options_;
    options.precision = ThisDevice::wider_precision(options_);
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
  /// The predicted time of the wanted format, or of the fastest one; infinity if it is no candidate.
  double seconds_of_wanted(const Choice& choice) const {
    for (const Candidate& candidate : choice.candidates)
      if (wanted_ == Format::Automatic || candidate.format == wanted_) return candidate.predicted_seconds;
    return std::numeric_limits<double>::infinity();
  }

  [[noreturn]] void refuse_all() const {
    const auto& candidates = matrix_.choice.candidates;
    const auto is_smaller = [](const Candidate& a, const Candidate& b) { return a.peak_bytes < b.peak_bytes; };
    const auto smallest = std::min_element(candidates.begin(), candidates.end(), is_smaller);
    budget_.refuse("a plan with the smallest format, " + std::string(to_string(smallest->format)) + ",",
                   static_cast<std::size_t>(smallest->peak_bytes), "a larger limit");
  }

  /// Builds the chosen format, or CSR where that takes too much memory and the options allow a fall-back.
  void build_chosen_or_csr() {
    try {
      return build_chosen();
    } catch (const FormatTooLarge& refusal) {
      if (options_.on_unsupported == OnUnsupported::Throw) throw;
      report_.notes.push_back(std::string(refusal.what()) + "; csr is used");
    }
    matrix_.choice.format = Format::Csr;
    matrix_.choice.reason += ", but takes too much memory";
    build_chosen();
  }

  /// \throws FormatTooLarge before anything is allocated
  void build_chosen() {
    if (budget_.limit != no_memory_limit) charge_chosen();
    auto built = with_engine_of<Scalar, ExecutionSpace>(matrix_.choice.format, options_.kernel, [&](auto engines) {
      return engines.build(exec_, rows_.pattern, options_.parameters);
    });
    matrix_.engine = std::move(built.engine);
    matrix_.orders = orders_;
    matrix_.map = compose(exec_, rows_.values, built.values);
    matrix_.tiles = matrix_.engine->tile_metrics(exec_);
  }

  /// Refuses the chosen format unless it fits with the smallest lists that its kernels need. Copies for faster kernels
  /// get the memory that is left.
  void charge_chosen() const {
    Candidate chosen;
    chosen.format = matrix_.choice.format;
    const FormatMemory memory = memory_of(chosen.format, -1);
    estimate_.set_bytes(chosen, memory, least_of_kernels(chosen.format, memory.tiles));
    if (chosen.peak_bytes > static_cast<double>(budget_.limit)) {
      budget_.refuse("a plan with the format " + std::string(to_string(chosen.format)),
                     static_cast<std::size_t>(chosen.peak_bytes), "a larger limit, or another format");
    }
    budget_.raise_peak(chosen.peak_bytes);
  }

  /// Lists the format that was built if it is not yet a candidate, and raises the peak to that of the chosen one.
  void list_built() {
    auto& candidates = matrix_.choice.candidates;
    const auto is_chosen = [&](const Candidate& candidate) { return matrix_.choice.is_chosen(candidate); };
    if (std::none_of(candidates.begin(), candidates.end(), is_chosen)) candidates.push_back(built_candidate());
    for (const Candidate& candidate : candidates)
      if (is_chosen(candidate) && !candidate.is_refused) budget_.raise_peak(candidate.peak_bytes);
  }

  Candidate built_candidate() {
    const Format format = matrix_.choice.format;
    if (const BlockShape block = matrix_.engine->block(); block.size() > 0) {
      statistics_.bcsr_block_rows = block.height;  // not counted before
      statistics_.bcsr_block_columns = block.width;
    }
    const std::size_t tiles = matrix_.tiles.tiles;
    Candidate built =
        predict(statistics_, {format, static_cast<double>(tiles), static_cast<double>(matrix_.format_bytes())}, model_);
    const auto counted = [&] { return memory_of(format, static_cast<double>(tiles)); };
    estimate_.set_bytes(built, matrix_.engine->memory(counted), least_of_kernels(format, tiles));
    return built;
  }

  /// \param tiles [in] number of the format's tiles; negative: unknown
  FormatMemory memory_of(Format format, double tiles) const {
    if (format == Format::RowGroups && statistics_.row_groups > 0) {
      return RowGroups<Offset, Memory>::memory(
          rows_.pattern.rows,
          {static_cast<std::size_t>(statistics_.row_groups), static_cast<std::size_t>(statistics_.group_columns),
           static_cast<std::size_t>(statistics_.group_values)});
    }
    if (format == Format::Bcsr && statistics_.bcsr_blocks > 0) {
      const BlockShape shape{static_cast<int>(statistics_.bcsr_block_rows),
                             static_cast<int>(statistics_.bcsr_block_columns)};
      return Bcsr<Offset, Memory>::memory(rows_.pattern.rows,
                                          {shape, static_cast<std::size_t>(statistics_.bcsr_blocks)});
    }
    // The memory of staged windows follows from the tiles of BitTCF, which were counted.
    if (format == Format::Staged) tiles = matrix_.choice.statistics.bittcf_tiles;
    return format_memory<Scalar>(exec_, format, rows_.pattern, options_.parameters, tiles);
  }

  KernelMemory least_of_kernels(Format format, std::size_t tiles) const {
    const auto bytes = static_cast<double>(
        least_kernel_bytes<Scalar>(exec_, options_, format, static_cast<double>(tiles), matrix_.choice.statistics));
    return {bytes, bytes, bytes};
  }

  const ExecutionSpace& exec_;
  PlanOptions options_;
  Format wanted_;
  const Rows& rows_;
  const Orders<Memory>& orders_;
  MemoryBudget budget_;
  MemoryBudget beside_rows_;
  MemoryEstimate<Scalar, Offset, Memory> estimate_;
  Model model_;
  Precision asked_precision_;
  BuildReport& report_;
  MatrixStatistics statistics_;
  Matrix matrix_;
};

}  // namespace Tessera::Impl
