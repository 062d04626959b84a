// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Result.hpp"

namespace Tessera::Impl::Driver {

/// Returns a text for people: the computation, a table with a row per format, and the reasons of the plan's choice.
std::string report(const Result& result);

/// Returns JSON for programs, with the facts of report() and every sample. tools/README.md documents the keys.
std::string report_json(const Result& result);

}  // namespace Tessera::Impl::Driver
