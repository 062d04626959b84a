// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "Settings.hpp"

namespace Tessera::Driver {

/// Reads the command line. Nothing comes back after --help or --version, which are answered on standard output. Not for
/// two threads at once.
///
/// \throws std::invalid_argument that names the option and what was expected; also for an output file that cannot be
///         written, so that a long computation is not done in vain
std::optional<Settings> parse_options(int argc, const char* const* argv);

}  // namespace Tessera::Driver
