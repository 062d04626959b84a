// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Explain.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace Tessera::Impl {

namespace {

std::string megabytes(double bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(bytes < 1e7 ? 3 : 1) << bytes / 1e6 << " MB";
  return text.str();
}

/// Prints seconds as microseconds if below a millisecond, otherwise as milliseconds.
std::string duration(double seconds) {
  const bool is_short = seconds < 1e-3;
  std::ostringstream text;
  text << std::fixed << std::setprecision(is_short ? 1 : 3) << std::setw(10) << seconds * (is_short ? 1e6 : 1e3)
       << (is_short ? " us" : " ms");
  return text.str();
}

/// Returns the length of the longest name of a format.
int name_width() {
  std::size_t width = 0;
  for (const Format format : every_format) width = std::max(width, to_string(format).size());
  return static_cast<int>(width);
}

void print(std::ostream& out, const Candidate& c, bool chosen, double csr_bytes) {
  out << (chosen ? "  * " : "    ") << std::left << std::setw(name_width()) << to_string(c.format);
  out << (c.predicted_seconds > 0 ? duration(c.predicted_seconds) + " predicted, " : " not predicted, ");
  if (c.measured_seconds > 0) out << duration(c.measured_seconds) << " measured, ";
  out << std::fixed << megabytes(c.format_bytes);
  if (csr_bytes > 0) out << " (" << std::setprecision(2) << c.format_bytes / csr_bytes << " of CSR)";
  if (c.tiles > 0) out << ", " << std::setprecision(0) << c.tiles << " tiles";  // a loaded plan may have any number
  if (c.peak_bytes > 0) out << "; plan " << megabytes(c.held_bytes) << ", peak " << megabytes(c.peak_bytes);
  out << (chosen ? "" : c.is_rejected ? ", rejected: does not fit" : ", not chosen") << '\n';
}

std::string times(double relative_seconds) {
  if (std::isinf(relative_seconds)) return "rejected";
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << relative_seconds;
  return text.str();
}

/// Prints the reorderings that were tried, with the predicted time of each.
void print_reorderings(std::ostream& out, const char* what, const Choice& choice) {
  if (choice.reorderings.empty()) return;
  out << "  " << what << ": " << (choice.reordering == Reordering::None ? "as it is" : to_string(choice.reordering))
      << "; predicted times over those of the order that they have, and the peak of memory until then:";
  for (const ReorderingTrial& trial : choice.reorderings)
    out << ' ' << to_string(trial.reordering) << ' ' << times(trial.relative_seconds) << " ("
        << megabytes(trial.peak_bytes) << ')';
  out << '\n';
}

void print_block(std::ostream& out, const BlockExplanation& block) {
  const Choice& choice = *block.choice;
  out << "  format: " << to_string(choice.format) << ": " << choice.reason << '\n';
  double csr_bytes = 0;
  for (const Candidate& c : choice.candidates)
    if (c.format == Format::Csr) csr_bytes = c.format_bytes;
  for (const Candidate& c : choice.candidates) print(out, c, choice.is_chosen(c), csr_bytes);
  out << "  predicted by: " << choice.model << ", for " << choice.device << '\n';
  if (!block.kernels.empty()) out << "  kernels: " << block.kernels << '\n';
  if (!block.transpose_kernels.empty()) out << "  kernels of the transpose: " << block.transpose_kernels << '\n';
  print_reorderings(out, "order", choice);
  if (block.transposed != nullptr) print_reorderings(out, "order of the transpose", *block.transposed);
}

}  // namespace

std::string explain(const Explanation& e, const std::vector<BlockExplanation>& blocks) {
  std::ostringstream out;
  out << "Plan for " << e.rows << " x " << e.columns << ", " << e.nonzeros << " nonzeros, " << e.num_vectors
      << " columns of X, " << (e.half_vectors ? "vectors of 16 bits, " : "") << "on " << e.execution_space << '\n';
  if (!e.made_on.empty()) out << "  loaded from a file: chosen, and times predicted, on " << e.made_on << '\n';
  for (const BlockExplanation& block : blocks) {
    if (blocks.size() > 1) {
      out << "  block of rows " << block.first_row << " to " << block.first_row + block.rows - 1 << ", one of "
          << blocks.size() << ", with " << block.nonzeros << " nonzeros:\n";
    }
    print_block(out, block);
  }
  if (!e.growth.empty()) out << "  growth: " << e.growth << '\n';
  out << "  memory: format " << megabytes(double(e.format_bytes)) << ", slot maps for new values "
      << megabytes(double(e.slot_map_bytes));
  if (e.kernel_bytes > 0) out << ", copies for the device's kernels " << megabytes(double(e.kernel_bytes));
  if (e.transpose_bytes > 0) out << ", transpose " << megabytes(double(e.transpose_bytes));
  out << "; peak " << megabytes(double(e.peak_bytes));
  if (e.memory_limit != no_memory_limit) out << " of at most " << megabytes(double(e.memory_limit));
  out << '\n';
  if (e.duplicates_summed) out << "  note: duplicate entries of the input are summed\n";
  for (const std::string& note : e.notes) out << "  note: " << note << '\n';
  return out.str();
}

}  // namespace Tessera::Impl
