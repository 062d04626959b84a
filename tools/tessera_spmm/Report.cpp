// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <harness/TextFormat.hpp>

namespace Tessera::Impl::Driver {

using namespace Harness;

namespace {

using Row = std::vector<std::string>;

std::string number(std::complex<double> z) {
  return z.imag() == 0 ? text_format("%g", z.real()) : text_format("%g%+gi", z.real(), z.imag());
}

/// Formats four significant digits, without an exponent in the range of the table.
std::string measured(double value) {
  if (value == 0) return "0";
  if (value >= 1000) return with_separators(static_cast<std::size_t>(std::llround(value)));
  const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
  return text_format("%.*f", digits, value);
}

std::string milliseconds(double seconds) { return measured(seconds * 1e3); }

std::string error_text(const Measurement& row) {
  return text_format("%.2g %s", row.error, row.verified() ? "verified" : "WRONG");
}

/// Formats a table: first column left-aligned, others right-aligned, two blanks apart. Rows of two end with a remark.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  const auto is_remark = [](const Row& row, std::size_t c) { return row.size() == 2 && c == 1; };
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!is_remark(row, c)) widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(is_remark(row, c) ? 0 : widths[c] - row[c].size(), ' ');
      text += c == 0 ? row[c] + padding : "  " + padding + row[c];
    }
    text += '\n';
  }
  return text;
}

std::string precision_text(const Settings& settings) {
  return settings.precision == Precision::Native ? "" : ", precision " + std::string(to_string(settings.precision));
}

std::string kernel_text(const Settings& settings) {
  return settings.kernel == Kernel::Auto ? "" : ", kernel " + std::string(to_string(settings.kernel));
}

std::string header(const Result& result) {
  const MatrixSummary& matrix = result.matrix;
  const Settings& settings = result.settings;
  const RowLengths& lengths = matrix.row_lengths;
  std::string text = matrix.name + ": " + with_separators(static_cast<std::size_t>(matrix.rows)) + " x " +
                     with_separators(static_cast<std::size_t>(matrix.columns)) + ", " +
                     with_separators(matrix.nonzeros) + " nonzeros; a row has " +
                     text_format("%.1f +- %.1f", lengths.mean, lengths.deviation) + ", at most " +
                     with_separators(lengths.longest) + "; " + with_separators(lengths.empty) + " rows are empty\n";
  text += "nonzeros a distinct column in windows of";
  for (const WindowColumns& windows : matrix.windows) {
    text += text_format("%s %d rows: %.2f", windows.window_rows == 8 ? "" : ",", windows.window_rows, windows.reuse);
  }
  text += "\n";
  text += "Y = alpha op(A) X + beta Y: " + with_separators(static_cast<std::size_t>(result.columns)) + " columns, " +
          result.scalar + precision_text(settings) + kernel_text(settings) + ", layout " +
          (settings.layout == Layout::Left ? "left" : "right") + ", mode " + std::string(to_string(settings.mode)) +
          ", alpha " + number(settings.alpha) + ", beta " + number(settings.beta) + "\n";
  text += settings.backend + text_format(", concurrency %d", result.concurrency) + ", Kokkos " + result.kokkos_version;
  if (!result.peers.empty()) text += "; " + result.peer_build;
  return text + "\n";
}

/// Whether the table has a column of precisions. False if all rows are native.
bool shows_precision(const Result& result) {
  return result.settings.precision != Precision::Native ||
         std::any_of(result.formats.begin(), result.formats.end(),
                     [](const FormatMeasurement& format) { return format.precision != Precision::Native; });
}

void add_common(Row& cells, const Measurement& row, const Result& result) {
  cells.push_back(milliseconds(row.median()));
  cells.push_back(milliseconds(row.fastest()) + " .. " + milliseconds(row.slowest()));
  cells.push_back(row.gigaflops > 0 ? measured(row.gigaflops) : "-");
  cells.push_back(row.gigabytes > 0 ? measured(row.gigabytes) : "-");
  cells.push_back(error_text(row));
  if (!result.peers.empty()) {
    const bool valid = row.median() > 0 && result.peer_seconds() > 0;
    cells.push_back(valid ? text_format("%.2fx", result.peer_seconds() / row.median()) : "-");
  }
  if (shows_precision(result)) cells.insert(cells.begin() + 1, std::string(to_string(row.precision)));
}

bool is_automatic(const FormatMeasurement& format, const Result& result) {
  return format.format == result.automatic && format.reordering == result.automatic_order;
}

/// Adds the order of the rows, the predicted time in that order, and the nonzeros per distinct column.
void add_order(Row& cells, const FormatMeasurement& format) {
  const std::string order(to_string(format.reordering));
  const Row more{
      format.finds_no_order ? order + " = none" : order, text_format("%.2f", format.predicted_relative),
      text_format("%.2f %.2f %.2f", format.windows[1].reuse, format.windows[3].reuse, format.windows[4].reuse)};
  cells.insert(cells.begin() + 1, more.begin(), more.end());
}

Row format_row(const FormatMeasurement& format, const Result& result) {
  if (!format.rejected.empty()) {
    const std::string order = is_reordered(result) ? " in order " + std::string(to_string(format.reordering)) : "";
    return {format.name, "rejected" + order + ": " + format.rejected};
  }
  const TileMetrics& tiles = format.tiles;
  const auto if_tiled = [&](const std::string& text) { return tiles.tiles > 0 ? text : "-"; };
  Row cells{format.name + (is_automatic(format, result) ? " *" : ""),
            if_tiled(with_separators(tiles.tiles)),
            if_tiled(text_format("%.1f", tiles.mean_nonzeros)),
            if_tiled(text_format("%.2f", tiles.fill)),
            tiles.imbalance ? text_format("%.1f", *tiles.imbalance) : "-",
            text_format("%.3f", format.bytes_over_csr),
            milliseconds(format.build_seconds)};
  if (is_reordered(result)) add_order(cells, format);
  add_common(cells, format, result);
  return cells;
}

Row peer_row(const Measurement& peer, const Result& result) {
  if (!peer.rejected.empty()) return {peer.name, "rejected: " + peer.rejected};
  Row cells{peer.name, "-", "-", "-", "-", "1.000", "-"};
  if (is_reordered(result)) cells.insert(cells.begin() + 1, 3, "-");
  add_common(cells, peer, result);
  return cells;
}

std::string table(const Result& result) {
  std::vector<Row> rows{{"format", "tiles", "nnz/tile", "fill", "IBD", "bytes/CSR", "build ms", "SpMM ms", "min .. max",
                         "GFLOP/s", "GB/s", "error/bound"}};
  if (is_reordered(result)) {
    const Row more{"order", "predicted", "reuse 16, 64, 128"};
    rows.front().insert(rows.front().begin() + 1, more.begin(), more.end());
  }
  if (!result.peers.empty()) rows.front().push_back("speed");
  if (shows_precision(result)) rows.front().insert(rows.front().begin() + 1, "precision");
  for (const FormatMeasurement& format : result.formats) rows.push_back(format_row(format, result));
  for (const Measurement& peer : result.peers) rows.push_back(peer_row(peer, result));
  return aligned(rows);
}

std::string plan_file_line(const char* what, const PlanFile& file, const Result& result) {
  const double over_csr = result.csr_bytes == 0 ? 1 : static_cast<double>(file.bytes) / double(result.csr_bytes);
  return std::string("plan ") + what + " " + file.name + ": " + with_separators(file.bytes) + " bytes (" +
         text_format("%.3f", over_csr) + " of CSR) in " + milliseconds(file.seconds) + " ms\n";
}

}  // namespace

std::string report(const Result& result) {
  std::string notes;
  if (result.settings.format == "all" || result.settings.format == "auto") notes = "* the automatic choice";
  if (!result.peers.empty()) {
    notes += notes.empty() ? "" : "; ";
    notes += result.settings.compare == "cusparse" ? "speed: relative to the fastest of cuSPARSE's algorithms"
                                                   : "speed: relative to Kokkos Kernels";
  }
  if (!notes.empty()) notes += '\n';
  if (is_transposed(result.settings.mode))
    notes += "tiles, bytes and orders are A's; the product takes its transpose\n";
  if (result.saved_plan) notes += plan_file_line("saved to", *result.saved_plan, result);
  if (result.loaded_plan) notes += plan_file_line("loaded from", *result.loaded_plan, result);
  return header(result) + "\n" + table(result) + notes + "\n" + result.explanation;
}

}  // namespace Tessera::Impl::Driver
