// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "Settings.hpp"

namespace Tessera::Impl::Driver {

/// Reads the command line. Returns nothing after --help or --version, which are answered on standard output. Not
/// thread-safe.
///
/// \throws std::invalid_argument that names the option and the expected value; also for an output file that cannot be
///         written, before a long computation is done in vain
std::optional<Settings> parse_options(int argc, const char* const* argv);

}  // namespace Tessera::Impl::Driver
