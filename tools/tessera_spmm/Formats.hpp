// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/Reordering.hpp>
#include <vector>

#include "Settings.hpp"

namespace Tessera::Impl::Driver {

template <class Enums>
std::vector<std::string> names_of(const Enums& enums) {
  std::vector<std::string> names;
  for (const auto each : enums) names.emplace_back(to_string(each));
  return names;
}

/// Returns the enumerators that a word stands for: all, the one with that name, or the automatic one.
template <class Enum, std::size_t size>
std::vector<Enum> all_or_one(const std::array<Enum, size>& every, const std::string& word) {
  if (word == "all") return {every.begin(), every.end()};
  return {enum_named<Enum>(word).value_or(Enum::Auto)};
}

/// Returns the formats for a value of --format. With published kernels, "all" are the formats that have one.
inline std::vector<Format> formats_named(const std::string& name, Kernel kernel) {
  std::vector<Format> formats = all_or_one(every_format, name);
  if (name == "all" && kernel == Kernel::Published)
    std::erase_if(formats, [](Format format) { return paper_of(format).empty(); });
  return formats;
}

/// The precisions that plans support for some type of matrix.
inline constexpr Precision driver_precisions[] = {Precision::Native, Precision::Tf32x3, Precision::Tf32,
                                                  Precision::Bf16, Precision::Fp16};

/// The plan that a row of the table requests.
struct Request {
  Format format = Format::Auto;
  Reordering reordering = Reordering::None;
};

/// Returns the rows of the table: each format in all orders. A format with its own order is only in that order.
inline std::vector<Request> requests(const Settings& settings) {
  std::vector<Request> rows;
  for (Format format : formats_named(settings.format, settings.kernel)) {
    for (Reordering reordering : all_or_one(every_reordering, settings.reorder)) {
      const bool has_own = format == Format::SortedColumns && reordering != Reordering::None;
      if (!has_own || settings.reorder != "all") rows.push_back({format, reordering});
    }
  }
  return rows;
}

/// Returns the options of a plan. If the user names one reordering, the plan keeps it even if its prediction is slow.
inline PlanOptions plan_options(const Settings& settings, const Request& request, int columns,
                                std::size_t memory_limit) {
  PlanOptions options;
  options.hints.num_vectors = columns;
  options.hints.expected_products = 1000000000;  // set-up and products are measured apart
  options.hints.layout_left = settings.layout == Layout::Left;
  options.format = request.format;
  options.parameters = settings.parameters;
  options.reordering = request.reordering;
  options.always_reorder = request.reordering != Reordering::Search;
  options.precision = settings.precision;
  options.kernel = settings.kernel;
  options.tuning = settings.tune ? Tuning::Measure : Tuning::Predict;
  options.memory_limit = memory_limit;
  return options;
}

}  // namespace Tessera::Impl::Driver
