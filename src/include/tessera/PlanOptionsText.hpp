// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/PlanOptions.hpp>

namespace Tessera {

/// Parses options from a text: `name=value` pairs, separated by commas, such as `format=bittcf, precision=tf32x3`.
/// Blanks around names and values are ignored. A name may appear only once. Options that are not named keep their
/// defaults.
///
/// The names are those of the members of PlanOptions, PlanHints and FormatParameters. Values are numbers, the names of
/// enumerators as to_string() gives them, and true or false.
///
/// \param text   [in] may be empty
/// \param source [in] the origin of the text; messages begin with it
/// \throws std::invalid_argument that names the option, what was found and what was expected
PlanOptions parse_plan_options(std::string_view text, const std::string& source = "the plan's options");

}  // namespace Tessera
