// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/select/Choice.hpp>
#include <tessera/select/MatrixStatistics.hpp>

namespace Tessera {

/// What one core of a processor does in a second; fitted to products of real matrices on six cores of a Xeon with
/// AVX-512 (perf_tests/models, fit_model).
struct MachineModel {
  static constexpr std::string_view version = "host 2, fitted to a Xeon";

  double bytes = 8.5e9;            ///< streamed from memory
  double gathered_lines = 970e6;   ///< 64-byte lines of X loaded from cache into registers for a nonzero
  double tile_rows = 90e6;         ///< rows of a tile's mask decoded
  double core_cache = 1e6;         ///< in bytes: an X that fits is read once; so is, from memory, one that fits in
  double shared_cache = 32e6;      ///< that of all cores, which
  double cached_bytes = 25e9;      ///< gives so many a second; a larger X is read again for each window
  double scattered_rows = 3;       ///< cost of a row of Y that is written anywhere, over that of the next one
  double decoded_entries = 300e6;  ///< entries that are brought into compressed rows before they are multiplied

  /// As many at work.
  MachineModel times(double cores) const;
};

/// A format as it was built, as far as its product's time depends on it. Plain data.
struct FormatSize {
  Format format = Format::Csr;
  double tiles = 0;
  double bytes = 0;  ///< pattern and values
};

/// A reordering is kept if it is predicted to take less than this share of the time: predictions are not that sharp.
inline constexpr double worthwhile_reordering = 0.85;

/// Predicts a product's time with a format of this size.
Candidate predict(const MatrixStatistics& matrix, const FormatSize& size, const MachineModel& machine = {});

/// Predicts a product's time with CSR and BitTCF, before either is built, and ranks them: on hosts no other format is
/// faster.
Choice choose_format(const MatrixStatistics& matrix, const MachineModel& machine = {});

/// Refuses candidates whose peak_bytes exceed the limit, and takes the fastest of the others.
/// \return whether there are others
bool refuse_beyond(Choice& choice, double limit);

}  // namespace Tessera
