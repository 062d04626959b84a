// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/spmm/PlanOptions.hpp>

namespace Tessera {

/// Options from a text: `name=value` with commas between, as `format=bittcf, precision=tf32x3`. Blanks around names and
/// values do not count, each name is there once at most, and what the text does not name keeps its default.
///
/// The names are those of the members of PlanOptions: columns, layout_left, follows_values, half_vectors,
/// expected_products, format, precision, reordering, always_reorder, kernel, on_unsupported, tuning, tuning_file and
/// memory_limit (bytes). Values are numbers, the names of enumerators as to_string() gives them, and true or false.
///
/// \param text   [in] may be empty
/// \param source [in] where the text is from; messages begin with it
/// \throws std::invalid_argument that names the option, what was found and what was expected
PlanOptions parse_plan_options(std::string_view text, const std::string& source = "the plan's options");

}  // namespace Tessera
