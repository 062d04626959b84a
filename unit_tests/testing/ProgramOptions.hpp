// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

/// Reads the command lines of long-running test programs.
namespace Tessera::Impl::Test {

/// Returns the value of an option, a number >= 0.
template <class Number>
Number number_of(const std::string& option, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= Number(0)))
    throw std::invalid_argument(option + ": \"" + std::string(text) + "\"; expected a number");
  return number;
}

/// Sets the named flags, and calls take(option, value) for each other option. take() returns whether it knows the
/// option. Options of Kokkos are ignored.
///
/// \throws std::invalid_argument for an unknown option, or one without its value
template <class Take>
void read_options(int argc, char** argv, const std::map<std::string, bool*>& flags, const Take& take) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.starts_with("--kokkos")) continue;
    if (const auto flag = flags.find(option); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(option + ": expected a value behind it");
    if (!take(option, std::string_view(argv[i]))) throw std::invalid_argument("unknown option " + option);
  }
}

}  // namespace Tessera::Impl::Test
