// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace Tessera::Harness {

/// Whether the program is to go on: not after --help or --version, which are answered on standard output.
///
/// \throws std::invalid_argument that names the option and what was expected
inline bool parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& request) {
    app.exit(request);
    return false;
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(std::string(error.what()) + " (see --help)");
  }
}

/// The exit status that body() returns, or 2 if it throws; then "prefix: what it threw" goes to standard error.
template <class Body>
int guarded(const std::string& prefix, const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    std::cerr << prefix << ": " << error.what() << std::endl;
    return 2;
  }
}

}  // namespace Tessera::Harness
