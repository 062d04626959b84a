// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/select/Choose.hpp>
#include <utility>
#include <vector>

#include "List.hpp"
#include "StoredMatrix.hpp"
#include "bcsr/Bcsr.hpp"

/// Kernel::Published: whether it is available, and the choice of a format that has such a kernel.
namespace Tessera::Impl {

/// Returns why the kernel of the format's paper is not available with these options; empty if it is. For Format::Auto:
/// empty if any format has an available kernel, otherwise the reason for the first format with a paper.
template <class Scalar, class ExecutionSpace>
std::string why_not_published(const ExecutionSpace& exec, const PlanOptions& options, Format format) {
  const auto fault_of = [&](Format each) {
    return with_engine_of<Scalar, ExecutionSpace>(
        each, Kernel::Published, [&](auto engines) { return engines.why_not_published(exec, options); });
  };
  if (format != Format::Auto) return fault_of(format);
  std::string first;
  for (const Format each : every_format) {
    if (paper_of(each).empty()) continue;
    const std::string fault = fault_of(each);
    if (fault.empty()) return {};
    if (first.empty()) first = fault;
  }
  return first;
}

/// Returns the kernel that the options request, or Kernel::Auto if that is a published kernel that is not available and
/// the options allow a fall-back.
///
/// \param who [in] the beginning of error messages
/// \throws std::invalid_argument if the options allow no fall-back
template <class Scalar, class ExecutionSpace>
Kernel available_kernel(const ExecutionSpace& exec, const PlanOptions& options, Format format, const std::string& who,
                        std::vector<std::string>& notes) {
  if (options.kernel == Kernel::Auto) return Kernel::Auto;
  const std::string fault = why_not_published<Scalar>(exec, options, format);
  if (fault.empty()) return Kernel::Published;
  if (options.on_unsupported == OnUnsupported::Throw) {
    throw std::invalid_argument(who + ": a published kernel was asked for, and " + fault +
                                ", or kernel = Auto, or on_unsupported = FallBack");
  }
  notes.push_back("a published kernel was asked for, and " + fault + ": an automatic one is used");
  return Kernel::Auto;
}

/// Predicts and ranks the times of a product in the formats that have a published kernel; none if a format is wanted.
/// Rows in another order than that of A have no format that orders itself.
/// NOTE: published kernels have no model. The predicted times are those of the kernels of Kernel::Auto.
///
/// \param rows [in] canonical
///
/// Cost: builds each format, because its size is not known otherwise.
template <class Scalar, class ExecutionSpace, class Machine>
Choice choose_published(const ExecutionSpace& exec, const PlanOptions& options, Format wanted,
                        const Csr<typename ExecutionSpace::memory_space>& rows, MatrixStatistics statistics,
                        const Machine& machine) {
  Choice choice;
  for (const Format format : every_format) {
    if (wanted != Format::Auto || !why_not_published<Scalar>(exec, options, format).empty()) continue;
    if (statistics.is_reordered && orders_itself(format)) continue;
    try {
      const auto engine = with_engine_of<Scalar, ExecutionSpace>(
          format, options.kernel, [&](auto engines) { return engines.build(exec, rows, options.parameters).engine; });
      const auto tiles = static_cast<double>(engine->tile_metrics(exec).tiles);
      if (const BlockShape block = engine->block(); block.size() > 0) {
        statistics.bcsr_block_rows = block.height;
        statistics.bcsr_block_columns = block.width;
        statistics.bcsr_blocks = tiles;
      }
      const auto bytes = static_cast<double>(engine->bytes() + engine->places() * sizeof(Scalar));
      choice.candidates.push_back(predict(statistics, {format, tiles, bytes}, machine));
    } catch (const FormatTooLarge&) {
      // not a candidate
    }
  }
  choice.statistics = statistics;
  choice.model = Machine::version;
  if (choice.candidates.empty()) return choice;
  std::stable_sort(choice.candidates.begin(), choice.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted_seconds < b.predicted_seconds; });
  choice.format = choice.candidates[0].format;
  choice.reason = std::string(to_string(choice.format)) +
                  " is predicted to be the fastest of the formats with a published kernel, each multiplied by an "
                  "automatic one";
  return choice;
}

/// Builds the kernels of a format. Its values are allocated, but not filled in yet. If the requested published kernel
/// cannot be built and the options allow a fall-back, builds the kernel of Kernel::Auto.
///
/// \param notes   [in,out] gets a note about a fall-back
/// \throws std::invalid_argument if the options allow no fall-back
template <class Scalar, class ExecutionSpace>
void build_kernels(const ExecutionSpace& exec, PlanOptions options, StoredMatrix<Scalar, ExecutionSpace>& stored,
                   std::vector<std::string>& notes) {
  const auto build = [&] {
    stored.engine = with_engine_of<Scalar, ExecutionSpace>(stored.engine->format(), options.kernel,
                                                           [&](auto engines) { return engines.take(*stored.engine); });
    stored.engine->build_kernel(exec, options);
  };
  build();
  const bool has_entries = stored.engine->nonzeros() > 0;
  if (options.kernel == Kernel::Auto || stored.engine->is_published() || !has_entries) return;
  std::string fault = why_not_published<Scalar>(exec, options, stored.choice.format);
  if (fault.empty()) {
    fault = "the one of " + std::string(to_string(stored.choice.format)) +
            " cannot be built: there is none for the parameters of the format, or no room for what it keeps; expected "
            "other parameters or a larger memory_limit";
  }
  if (options.on_unsupported == OnUnsupported::Throw)
    throw std::invalid_argument("Tessera: a published kernel was asked for, and " + fault);
  notes.push_back("a published kernel was asked for, and " + fault + ": an automatic one is used");
  options.kernel = Kernel::Auto;
  build();
}

}  // namespace Tessera::Impl
