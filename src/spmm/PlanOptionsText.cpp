// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <tessera/spmm/PlanOptionsText.hpp>
#include <utility>
#include <vector>

namespace Tessera {

namespace {

/// One name=value of a text.
struct NamedValue {
  const std::string& source;
  std::string_view name, value;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw std::invalid_argument(source + ": " + std::string(name) + " is \"" + std::string(value) + "\"; expected " +
                                expected);
  }

  template <NamedEnum Enum>
  void read(Enum& to) const {
    const auto found = enum_named<Enum>(value);
    if (!found) {
      std::string names;
      for (const std::string_view each : enum_names<Enum>) names += (names.empty() ? "" : ", ") + std::string(each);
      refuse("one of " + names);
    }
    to = *found;
  }
  void read(bool& to) const {
    if (value != "true" && value != "false") refuse("true or false");
    to = value == "true";
  }
  void read(std::string& to) const { to = value; }
  template <std::integral Number>
  void read(Number& to) const {
    Number number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || std::cmp_less(number, 0))
      refuse("a number from 0 to " + std::to_string(std::numeric_limits<Number>::max()));
    to = number;
  }
};

std::string_view without_blanks_around(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

PlanOptions parse_plan_options(std::string_view text, const std::string& source) {
  PlanOptions options;
  std::vector<std::string_view> names;
  text = without_blanks_around(text);
  while (!text.empty()) {
    const std::string_view item = without_blanks_around(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), text.find(',')));
    if (!text.empty()) text.remove_prefix(1);
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      throw std::invalid_argument(source + ": there is \"" + std::string(item) + "\"; expected name=value");
    const NamedValue given{source, without_blanks_around(item.substr(0, equals)),
                           without_blanks_around(item.substr(equals + 1))};
    if (std::find(names.begin(), names.end(), given.name) != names.end())
      throw std::invalid_argument(source + ": " + std::string(given.name) + " is there twice; expected it once");
    names.push_back(given.name);
    bool is_known = false;
    const auto option = [&](std::string_view name, auto& to) {
      if (given.name != name) return;
      given.read(to);
      is_known = true;
    };
    option("columns", options.columns);
    option("layout_left", options.layout_left);
    option("follows_values", options.follows_values);
    option("half_vectors", options.half_vectors);
    option("expected_products", options.expected_products);
    option("format", options.format);
    option("precision", options.precision);
    option("reordering", options.reordering);
    option("always_reorder", options.always_reorder);
    option("kernel", options.kernel);
    option("on_unsupported", options.on_unsupported);
    option("tuning", options.tuning);
    option("tuning_file", options.tuning_file);
    option("memory_limit", options.memory_limit);
    if (!is_known) {
      throw std::invalid_argument(source + ": there is no option \"" + std::string(given.name) +
                                  "\"; expected columns, layout_left, follows_values, half_vectors, "
                                  "expected_products, format, precision, reordering, always_reorder, kernel, "
                                  "on_unsupported, tuning, tuning_file "
                                  "or memory_limit");
    }
  }
  return options;
}

}  // namespace Tessera
