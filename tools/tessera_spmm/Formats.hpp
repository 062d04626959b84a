// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/common/Format.hpp>
#include <tessera/common/Reordering.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <vector>

#include "Settings.hpp"

namespace Tessera::Driver {

inline std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (Format format : every_format) names.emplace_back(to_string(format));
  return names;
}

/// The formats that a value of --format stands for. Of published kernels, "all" are the formats that have one.
inline std::vector<Format> formats_named(const std::string& name, Kernel kernel = Kernel::Automatic) {
  if (name == "all") {
    std::vector<Format> formats;
    for (Format format : every_format)
      if (kernel == Kernel::Automatic || !paper_of(format).empty()) formats.push_back(format);
    return formats;
  }
  for (Format format : every_format) {
    if (name == to_string(format)) return {format};
  }
  return {Format::Automatic};
}

inline std::vector<std::string> reordering_names() {
  std::vector<std::string> names;
  for (Reordering reordering : every_reordering) names.emplace_back(to_string(reordering));
  return names;
}

/// The reorderings that a value of --reorder stands for.
inline std::vector<Reordering> reorderings_named(const std::string& name) {
  if (name == "all") return {std::begin(every_reordering), std::end(every_reordering)};
  for (Reordering reordering : every_reordering) {
    if (name == to_string(reordering)) return {reordering};
  }
  return {Reordering::Automatic};
}

/// Those that plans have for any type of matrix.
inline constexpr Precision every_precision[] = {Precision::Native, Precision::Tf32x3, Precision::Tf32, Precision::Bf16,
                                                Precision::Fp16};

inline std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (Precision precision : every_precision) names.emplace_back(to_string(precision));
  return names;
}

/// Native, if it is the name of none.
inline Precision precision_named(std::string_view name) {
  for (Precision precision : every_precision) {
    if (name == to_string(precision)) return precision;
  }
  return Precision::Native;
}

/// A value of --staged.
constexpr std::string_view to_string(Wish wish) {
  return wish == Wish::Always ? "always" : wish == Wish::Never ? "never" : "auto";
}

inline Wish wish_named(std::string_view name) {
  return name == "always" ? Wish::Always : name == "never" ? Wish::Never : Wish::Automatic;
}

/// What a row of the table asks of its plan.
struct Request {
  Format format = Format::Automatic;
  Reordering reordering = Reordering::None;
  Wish staged = Wish::Automatic;
};

/// The rows of the table: formats in all orders, but one that has an order of its own in that alone. Of all formats,
/// BitTCF is one without staged windows and one with them where there may be some.
inline std::vector<Request> requests(const Settings& settings) {
  const bool may_be_staged = settings.backend == "cuda" && settings.scalar == "double" &&
                             settings.precision == Precision::Native && settings.kernel == Kernel::Automatic;
  const bool both = settings.format == "all" && settings.staged == Wish::Automatic && may_be_staged;
  std::vector<Request> rows;
  for (Format format : formats_named(settings.format, settings.kernel)) {
    for (Reordering reordering : reorderings_named(settings.reorder)) {
      const bool has_own = format == Format::SortedColumns && reordering != Reordering::None;
      if (has_own && settings.reorder == "all") continue;
      const bool is_twice = both && format == Format::BitTcf;
      rows.push_back({format, reordering, is_twice ? Wish::Never : settings.staged});
      if (is_twice) rows.push_back({format, reordering, Wish::Always});
    }
  }
  return rows;
}

/// One reordering is kept whatever is predicted of it: the user wants to see it.
inline PlanOptions plan_options(const Settings& settings, const Request& request, int columns,
                                std::size_t memory_limit) {
  PlanOptions options;
  options.columns = columns;
  options.format = request.format;
  options.parameters = settings.parameters;
  options.staged_windows = request.staged;
  options.reordering = request.reordering;
  options.always_reorder = request.reordering != Reordering::Automatic;
  options.precision = settings.precision;
  options.kernel = settings.kernel;
  options.tuning = settings.tune ? Tuning::Measure : Tuning::Predict;
  options.memory_limit = memory_limit;
  return options;
}

/// Refuses BitTCF that was to have staged windows and has none.
inline void check_staged(const Request& request, const Choice& choice) {
  if (request.staged != Wish::Always || choice.format != Format::BitTcf || choice.is_staged) return;
  throw std::invalid_argument(
      "--staged always: bittcf has no staged windows here; expected double in native precision on cuda, and memory");
}

}  // namespace Tessera::Driver
