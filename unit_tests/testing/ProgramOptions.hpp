// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

/// The command lines of programs that tests run for long.
namespace Tessera::Test {

/// The number that an option has as its value: from 0 on.
template <class Number>
Number number_of(const std::string& option, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= Number(0)))
    throw std::invalid_argument(option + ": \"" + std::string(text) + "\"; expected a number");
  return number;
}

/// Sets the flags that are named, and calls take(option, value) for each other option, which returns whether it knows
/// the option. Options of Kokkos are left alone.
///
/// \throws std::invalid_argument for an option that nobody knows, or without the value behind it
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

}  // namespace Tessera::Test
