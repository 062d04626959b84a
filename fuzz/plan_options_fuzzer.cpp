// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/PlanOptionsText.hpp>

#include "FuzzCheck.hpp"

namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }

/// Returns the text that names every option.
std::string text_of(const Tessera::PlanOptions& o) {
  return "num_vectors=" + std::to_string(o.hints.num_vectors) + ",layout_left=" + text_of(o.hints.layout_left) +
         ",follow_values=" + text_of(o.hints.follow_values) + ",half_vectors=" + text_of(o.half_vectors) +
         ",expected_products=" + std::to_string(o.hints.expected_products) +
         ",format=" + std::string(to_string(o.format)) + ",precision=" + std::string(to_string(o.precision)) +
         ",reordering=" + std::string(to_string(o.reordering)) + ",always_reorder=" + text_of(o.always_reorder) +
         ",kernel=" + std::string(to_string(o.kernel)) + ",on_unsupported=" + std::string(to_string(o.on_unsupported)) +
         ",tuning=" + std::string(to_string(o.tuning)) + ",tuning_file=" + o.tuning_file +
         ",memory_limit=" + std::to_string(o.memory_limit);
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
  } catch (const std::invalid_argument& refusal) {
    require(std::string_view(refusal.what()).starts_with("input: "), "a refusal names the source");
  }
  return 0;
}
