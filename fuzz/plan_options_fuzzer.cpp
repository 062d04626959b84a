// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/PlanOptionsText.hpp>

#include "FuzzCheck.hpp"

namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }

/// Returns the part of the text that names the parameters of formats.
std::string text_of(const Tessera::FormatParameters& p) {
  return ",brp_nonzeros_per_column=" + std::to_string(p.brp_nonzeros_per_column) +
         ",brp_tiles_per_group=" + std::to_string(p.brp_tiles_per_group) +
         ",bcsr_block_rows=" + std::to_string(p.bcsr_block_rows) +
         ",bcsr_block_columns=" + std::to_string(p.bcsr_block_columns) +
         ",sorted_columns_width=" + std::to_string(p.sorted_columns_width) +
         ",sorted_columns_height=" + std::to_string(p.sorted_columns_height) +
         ",staged_chunk_values=" + std::to_string(p.staged_chunk_values) +
         ",staged_piece_chunks=" + std::to_string(p.staged_piece_chunks) +
         ",group_rows=" + std::to_string(p.group_rows);
}

/// Returns the text that names every option.
std::string text_of(const Tessera::PlanOptions& o) {
  return "num_vectors=" + std::to_string(o.hints.num_vectors) + ",layout_left=" + text_of(o.hints.layout_left) +
         ",follow_values=" + text_of(o.hints.follow_values) + ",half_vectors=" + text_of(o.half_vectors) +
         ",shares_pattern=" + text_of(o.shares_pattern) + ",shares_values=" + text_of(o.shares_values) +
         ",trusts_pattern=" + text_of(o.trusts_pattern) + ",same_bits_alone=" + text_of(o.same_bits_alone) +
         ",expected_products=" + std::to_string(o.hints.expected_products) +
         ",format=" + std::string(to_string(o.format)) + ",precision=" + std::string(to_string(o.precision)) +
         ",reordering=" + std::string(to_string(o.reordering)) + ",always_reorder=" + text_of(o.always_reorder) +
         ",kernel=" + std::string(to_string(o.kernel)) + ",on_unsupported=" + std::string(to_string(o.on_unsupported)) +
         ",tuning=" + std::string(to_string(o.tuning)) + ",tuning_file=" + o.tuning_file +
         ",memory_limit=" + std::to_string(o.memory_limit) + text_of(o.parameters);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Tessera::PlanOptions options = Tessera::parse_plan_options(text, "input");
    require(options.hints.num_vectors >= 0 && options.hints.expected_products >= 0, "numbers are not negative");
    const std::string named = text_of(options);
    require(named.find('?') == std::string::npos || text.find('?') != std::string_view::npos, "every option is known");
    require(text_of(Tessera::parse_plan_options(named, "named")) == named, "what is named is read the same");
  } catch (const std::invalid_argument& rejection) {
    require(std::string_view(rejection.what()).starts_with("input: "), "a rejection names the source");
  }
  return 0;
}
