// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <harness/Statistics.hpp>
#include <map>
#include <optional>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/FormatParameters.hpp>
#include <tessera/Reordering.hpp>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <vector>

#include "Settings.hpp"

namespace Tessera::Impl::Driver {

using namespace Harness;

/// The sizes and the lengths of rows of the matrix.
struct MatrixSummary {
  std::string name;
  int rows = 0;
  int columns = 0;
  std::size_t nonzeros = 0;
  RowLengths row_lengths;
  std::array<WindowColumns, 5> windows;  ///< windows of 8 to 128 rows
};

/// The measurement of one way to multiply: one of Tessera's formats, or another library.
struct Measurement {
  std::string name;
  std::size_t bytes = 0;        ///< bytes of the matrix: pattern and values
  double bytes_over_csr = 1;    ///< relative to compressed rows of the same types
  std::vector<double> seconds;  ///< seconds of each timed product
  double gigaflops = 0;         ///< per second at the median; 2 operations per nonzero and column, 8 if complex
  double gigabytes = 0;         ///< compulsory traffic per second at the median (see tools/README.md)
  double error = 0;             ///< the worst |y - reference| / bound over all entries of Y
  Precision precision = Precision::Native;  ///< precision of the product and of the bound
  std::string rejected;                     ///< why the format was rejected and not measured, or empty

  double median() const { return spread_of(seconds).median; }
  double fastest() const { return spread_of(seconds).least; }
  double slowest() const { return spread_of(seconds).most; }
  bool verified() const { return error <= 1; }  // false for NaN
};

struct FormatMeasurement : Measurement {
  Format format = Format::Csr;
  std::string kernels;  ///< kernels of the products: see Plan::explain()
  Reordering reordering = Reordering::None;
  bool finds_no_order = false;           ///< whether the reordering keeps the given order
  double predicted_relative = 1;         ///< predicted time relative to the given order
  std::array<WindowColumns, 5> windows;  ///< as in MatrixSummary, for the rows as stored
  TileMetrics tiles;                     ///< tiles; in every mode, tiles and bytes are of A
  double build_seconds = 0;              ///< make_plan and prepare
};

/// A file that a plan was saved to or loaded from.
struct PlanFile {
  std::string name;
  std::size_t bytes = 0;
  double seconds = 0;  ///< seconds to save or load the file
};

struct Result {
  Settings settings;
  MatrixSummary matrix;
  std::string scalar;  ///< "double", "float", "complex double" or "complex float"
  int columns = 0;     ///< columns of X
  int concurrency = 0;
  std::string kokkos_version;
  std::size_t csr_bytes = 0;
  std::size_t memory_limit = 0;    ///< memory limit of the plans in bytes
  Format automatic = Format::Csr;  ///< choice of an automatic plan, and its order:
  Reordering automatic_order = Reordering::None;
  std::string explanation;  ///< Plan::explain() of the automatic or the requested plan
  std::vector<FormatMeasurement> formats;
  std::optional<PlanFile> saved_plan;
  std::optional<PlanFile> loaded_plan;                ///< the file of the last format, if it was loaded
  std::map<Reordering, std::vector<int>> row_orders;  ///< the orders found: the row of A at each position
  std::vector<Measurement> peers;                     ///< a row per algorithm of the library that --compare names
  std::string peer_build;                             ///< the library's version and other facts about its speed

  /// The rows with a product: formats, then peers, except rejected ones.
  std::vector<Measurement*> products();
  bool verified() const;        ///< whether all products are verified
  double peer_seconds() const;  ///< median of the fastest peer; 0 without a peer
};

/// Whether orders of rows were requested.
inline bool is_reordered(const Result& result) { return result.settings.reorder != "none"; }

}  // namespace Tessera::Impl::Driver
