// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/select/Choice.hpp>
#include <tessera/select/MatrixStatistics.hpp>

namespace Tessera::Impl {

/// The rates of one core of a processor. The numbers were fitted to products of real matrices on six cores of a Xeon
/// with AVX-512 (perf_tests/models, fit_model).
struct MachineModel {
  static constexpr std::string_view version = "host 2, fitted to a Xeon";  ///< name and version of the model
  /// Like GpuModel::ambiguity_ratio. Five choices in a thousand took over 1.05 times the least time, the worst 1.29.
  static constexpr double ambiguity_ratio = 1.3;

  double streamed_rate = 8.5e9;      ///< bytes streamed from memory per second
  double gathered_lines = 970e6;     ///< 64-byte lines of X loaded from cache into registers per second
  double tile_rows = 90e6;           ///< rows of tiles whose masks are decoded per second
  double core_cache_bytes = 1e6;     ///< bytes of a core's cache; an X that fits is read once
  double shared_cache_bytes = 32e6;  ///< bytes of the shared cache; an X that fits is read once from memory
  double cached_rate = 25e9;       ///< bytes read from the shared cache per second; a larger X is read for each window
  double scattered_rows = 3;       ///< time to write a row of Y at any place, divided by that to write the next row
  double decoded_entries = 300e6;  ///< entries converted to compressed rows per second, before these are multiplied
  bool is_known = true;            ///< whether the rates are those of the machine: they are not for devices

  /// Returns the model of `cores` cores that work at the same time.
  MachineModel times(double cores) const;
};

/// Returns the model of a core that plans on hosts use. Only tests change it.
MachineModel& host_core();

/// Whether predictions count on any device, as if its rates had been measured. Only tests change it.
bool& trusts_any_rates();

/// The size of a format. The time of a product depends on it.
struct FormatSize {
  Format format = Format::Csr;  ///< the format
  double tiles = 0;             ///< number of tiles
  double bytes = 0;             ///< bytes of pattern and values
};

/// A reordering is kept if its predicted time is less than this share of the time without it. Predictions are not
/// precise enough for smaller gains.
inline constexpr double worthwhile_reordering = 0.85;

/// Predicts the time of a product with a format of this size on a host.
Candidate predict(const MatrixStatistics& matrix, const FormatSize& size, const MachineModel& machine = {});

/// Ranks CSR and BitTCF by their predicted times, before either is built. On hosts no other format is faster. If rates
/// are unknown, CSR is the first.
Choice choose_format(const MatrixStatistics& matrix, const MachineModel& machine = {});

/// Returns the statistics of the matrix in the best imaginable order of its rows: all rows of a window have the same
/// columns, and tiles are full. No order is predicted to be faster. Blocks of BCSR, which depend on the order of
/// columns as well, are also full.
MatrixStatistics in_best_order(const MatrixStatistics& matrix);

/// Moves rejected candidates to the end, and chooses the fastest of the others. Returns whether any others exist.
bool choose_unrejected(Choice& choice);

}  // namespace Tessera::Impl
