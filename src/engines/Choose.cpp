// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <tessera/select/Choose.hpp>
#include <tessera/select/GpuModel.hpp>
#include <utility>
#include <vector>

#include "List.hpp"
#include "cost/HostCost.hpp"

/// Predicted times, and the ranking of the engines that a device considers.
namespace Tessera::Impl {

namespace {

using namespace Impl;

/// Returns the bytes that are read to detect changed values. Values in the caller's order are read in place.
template <class Kind>
double watched_bytes(const MatrixStatistics& m) {
  const bool is_read_in_place = Kind::keeps_rows && m.has_given_order;
  return m.follows_values && !is_read_in_place ? m.nonzeros * m.matrix_bytes : 0;
}

std::string reason(const Candidate& best, const Candidate& other) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is predicted to take %.2f of the time of %s",
                std::string(to_string(best.format)).c_str(),
                other.predicted_seconds > 0 ? best.predicted_seconds / other.predicted_seconds : 1.0,
                std::string(to_string(other.format)).c_str());
  return text;
}

constexpr const char* unknown_rates =
    "csr is kept, because the rates of this device are unknown: predictions may be wrong";

/// Sorts the candidates from the fastest to the slowest. Equal ones keep their order. If the rates of the machine are
/// unknown, CSR comes first.
template <class Machine>
Choice ranked(const MatrixStatistics& m, std::vector<Candidate> candidates, const Machine& machine) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted_seconds < b.predicted_seconds; });
  if (!machine.is_known)
    std::stable_partition(candidates.begin(), candidates.end(),
                          [](const Candidate& candidate) { return candidate.format == Format::Csr; });
  Choice choice;
  choice.format = candidates[0].format;
  choice.reason = machine.is_known ? reason(candidates[0], candidates[1]) : unknown_rates;
  choice.candidates = std::move(candidates);
  choice.model = Machine::version;
  choice.statistics = m;
  return choice;
}

/// Calls visit(kind) for each kind that serves Kernel::Auto.
template <class Visit, class... Kind>
void for_each_kind(const Visit& visit, EngineList<Kind...>) {
  const auto call = [&](auto kind) {
    if constexpr (!decltype(kind)::is_paper_alone) visit(kind);
  };
  (call(Kind()), ...);
}

/// Predicts seconds on a GPU. Products without a kernel were rarely faster than CSR with its kernel, so their
/// prediction is at least CSR's.
template <class Kind>
double gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (m.nonzeros == 0) return gpu.rows.launch_s;
  if (const auto own = Kind::gpu_seconds(m, size, gpu)) return *own;
  const double least = gpu.has_rows ? 1.05 * csr_seconds_by_layout(m, CsrCost::bytes(m), gpu) : 0;
  return std::max(least, Kind::portable_seconds(m, size, gpu));
}

template <class Kind>
double predicted_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double watched = watched_bytes<Kind>(m);
  const double look = watched > 0 ? gpu.detect_changes_s + watched / gpu.streamed : 0;
  return gpu_seconds<Kind>(m, size, gpu) + look;
}
template <class Kind>
double predicted_seconds(const MatrixStatistics& m, const FormatSize& size, const MachineModel& machine) {
  return product_seconds(m, machine, size.bytes) + Kind::host_decoding(m, size, machine) +
         watched_bytes<Kind>(m) / machine.streamed_rate;
}

template <class Kind, class Machine>
Candidate predict_of(const MatrixStatistics& m, const FormatSize& size, const Machine& machine) {
  return {size.format, size.tiles, size.bytes, predicted_seconds<Kind>(m, size, machine)};
}

template <class Machine>
Candidate predict_any(const MatrixStatistics& m, const FormatSize& size, const Machine& machine) {
  Candidate candidate;
  for_each_kind(
      [&](auto kind) {
        if (kind.format == size.format) candidate = predict_of<decltype(kind)>(m, size, machine);
      },
      Engines());
  return candidate;
}

}  // namespace

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const MachineModel& machine) {
  return predict_any(m, size, machine);
}

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  return predict_any(m, size, gpu);
}

Choice choose_format(const MatrixStatistics& m, const MachineModel& machine) {
  std::vector<Candidate> candidates;
  for_each_kind(
      [&](auto kind) {
        if (const auto size = kind.on_hosts(m)) candidates.push_back(predict_of<decltype(kind)>(m, *size, machine));
      },
      Engines());
  return ranked(m, std::move(candidates), machine);
}

Choice choose_format(const MatrixStatistics& m, const GpuModel& gpu) {
  std::vector<Candidate> candidates;
  for_each_kind(
      [&](auto kind) {
        if (const auto size = kind.on_gpus(m, gpu)) candidates.push_back(predict_of<decltype(kind)>(m, *size, gpu));
      },
      Engines());
  return ranked(m, std::move(candidates), gpu);
}

}  // namespace Tessera::Impl
