// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace Tessera::Impl::Harness {

/// Returns false after --help or --version, which it answers on standard output: the program then ends.
///
/// \throws std::invalid_argument that names the option and the expected value
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

/// Adds the option for the matrices that a program measures.
///
/// \param names [in] names of the option, for CLI11
inline CLI::Option* add_matrices(CLI::App& app, const std::string& names, std::vector<std::string>& matrices) {
  constexpr auto text = "Files, plain or gzip, or generated matrices such as stencil27:64";
  return app.add_option(names, matrices, text)->capture_default_str();
}

inline CLI::Option* add_columns(CLI::App& app, const std::string& names, std::vector<int>& columns) {
  return app.add_option(names, columns, "Columns of X")->check(CLI::Range(1, 1 << 20))->capture_default_str();
}

/// \param layouts [in,out] one word or several
template <class Words>
CLI::Option* add_layout(CLI::App& app, Words& layouts) {
  return app.add_option("--layout", layouts, "Of X and Y: left, column-major, or right, row-major")
      ->check(CLI::IsMember({"left", "right"}))
      ->capture_default_str();
}

/// Returns the exit status of body(), or 2 if it throws; then "prefix: message" is printed on standard error.
template <class Body>
int guarded(const std::string& prefix, const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    std::cerr << prefix << ": " << error.what() << std::endl;
    return 2;
  }
}

}  // namespace Tessera::Impl::Harness
