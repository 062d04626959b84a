// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <harness/Statistics.hpp>
#include <map>
#include <optional>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/common/Reordering.hpp>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <vector>

#include "Settings.hpp"

namespace Tessera::Driver {

using namespace Harness;

/// The sizes and the lengths of rows of the matrix.
struct MatrixSummary {
  std::string name;
  int rows = 0;
  int columns = 0;
  std::size_t nonzeros = 0;
  RowLengths row_lengths;
  std::array<WindowColumns, 5> windows;  ///< of 8 to 128 rows
};

/// The measurement of one way to multiply: one of Tessera's formats, or another library.
struct Measurement {
  std::string name;
  std::size_t bytes = 0;                    ///< of the matrix: pattern and values
  double bytes_over_csr = 1;                ///< over compressed rows of the same types
  std::vector<double> seconds;              ///< of each timed product
  double gigaflops = 0;                     ///< at the median: 2 operations a nonzero and column, 8 if complex
  double gigabytes = 0;                     ///< a second at the median, of compulsory traffic (see tools/README.md)
  double error = 0;                         ///< the worst |y - reference| / bound over all entries of Y
  Precision precision = Precision::Native;  ///< in which it multiplies, whose bound that is
  std::string refused;  ///< why it could not be built: then nothing else is measured; empty otherwise

  double median() const { return spread_of(seconds).median; }
  double fastest() const { return spread_of(seconds).least; }
  double slowest() const { return spread_of(seconds).most; }
  bool verified() const { return error <= 1; }  // false for NaN
};

struct FormatMeasurement : Measurement {
  Format format = Format::Csr;
  std::string kernels;  ///< what multiplies it: see Plan::explain()
  Reordering reordering = Reordering::None;
  bool finds_no_order = false;           ///< but the one that the rows have
  double predicted_relative = 1;         ///< predicted time over that in the order that the rows have
  std::array<WindowColumns, 5> windows;  ///< as MatrixSummary's, of the rows as they are stored
  TileMetrics tiles;                     ///< of A, whatever the mode; so are the bytes
  double build_seconds = 0;              ///< make_plan and prepare
};

/// A file that a plan was saved to or loaded from.
struct PlanFile {
  std::string name;
  std::size_t bytes = 0;
  double seconds = 0;  ///< that it took
};

struct Result {
  Settings settings;
  MatrixSummary matrix;
  std::string scalar;  ///< "double", "float", "complex double" or "complex float"
  int columns = 0;     ///< of X
  int concurrency = 0;
  std::string kokkos_version;
  std::size_t csr_bytes = 0;
  std::size_t memory_limit = 0;    ///< in bytes, that plans were made with
  Format automatic = Format::Csr;  ///< what an automatic plan chooses, and in which order:
  Reordering automatic_order = Reordering::None;
  std::string explanation;  ///< Plan::explain() of the automatic plan, or of the one that was asked for
  std::vector<FormatMeasurement> formats;
  std::optional<PlanFile> saved_plan;
  std::optional<PlanFile> loaded_plan;                ///< which is the last of the formats
  std::map<Reordering, std::vector<int>> row_orders;  ///< those that were found: which row of A is stored where
  std::vector<Measurement> peers;                     ///< of the library that --compare names: a row an algorithm
  std::string peer_build;                             ///< its version, and what else its speed depends on

  /// The rows that have a product: formats, then peers, that were not refused.
  std::vector<Measurement*> products();
  bool verified() const;        ///< all that have a product
  double peer_seconds() const;  ///< median of the fastest peer; 0 without one
};

/// Whether orders of rows are part of what was asked for.
inline bool is_reordered(const Result& result) { return result.settings.reorder != "none"; }

}  // namespace Tessera::Driver
