// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <tessera/PlanOptionsText.hpp>
#include <utility>
#include <vector>

namespace Tessera {

namespace {

/// A name=value pair of a text.
struct NamedValue {
  const std::string& source;
  std::string_view name, value;

  [[noreturn]] void reject(const std::string& expected) const {
    throw std::invalid_argument(source + ": " + std::string(name) + " is \"" + std::string(value) + "\"; expected " +
                                expected);
  }

  template <Impl::NamedEnum Enum>
  void read(Enum& to) const {
    const auto found = enum_named<Enum>(value);
    if (!found) {
      std::string names;
      for (const std::string_view each : Impl::enum_names<Enum>)
        names += (names.empty() ? "" : ", ") + std::string(each);
      reject("one of " + names);
    }
    to = *found;
  }
  void read(bool& to) const {
    if (value != "true" && value != "false") reject("true or false");
    to = value == "true";
  }
  void read(std::string& to) const { to = value; }
  template <std::integral Number>
  void read(Number& to) const {
    Number number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || std::cmp_less(number, 0))
      reject("a number from 0 to " + std::to_string(std::numeric_limits<Number>::max()));
    to = number;
  }
};

std::string_view without_blanks_around(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Calls visit(name, option) for each option. The names are defined here.
template <class Visit>
void for_each_option(PlanOptions& o, const Visit& visit) {
  visit("num_vectors", o.hints.num_vectors);
  visit("layout_left", o.hints.layout_left);
  visit("follow_values", o.hints.follow_values);
  visit("expected_products", o.hints.expected_products);
  visit("half_vectors", o.half_vectors);
  visit("shares_pattern", o.shares_pattern);
  visit("shares_values", o.shares_values);
  visit("trusts_pattern", o.trusts_pattern);
  visit("same_bits_alone", o.same_bits_alone);
  visit("format", o.format);
  visit("precision", o.precision);
  visit("reordering", o.reordering);
  visit("always_reorder", o.always_reorder);
  visit("kernel", o.kernel);
  visit("on_unsupported", o.on_unsupported);
  visit("tuning", o.tuning);
  visit("tuning_file", o.tuning_file);
  visit("memory_limit", o.memory_limit);
  visit("brp_nonzeros_per_column", o.parameters.brp_nonzeros_per_column);
  visit("brp_tiles_per_group", o.parameters.brp_tiles_per_group);
  visit("bcsr_block_rows", o.parameters.bcsr_block_rows);
  visit("bcsr_block_columns", o.parameters.bcsr_block_columns);
  visit("sorted_columns_width", o.parameters.sorted_columns_width);
  visit("sorted_columns_height", o.parameters.sorted_columns_height);
  visit("staged_chunk_values", o.parameters.staged_chunk_values);
  visit("staged_piece_chunks", o.parameters.staged_piece_chunks);
  visit("group_rows", o.parameters.group_rows);
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
    std::string known;
    bool is_known = false;
    for_each_option(options, [&](std::string_view name, auto& to) {
      known += (known.empty() ? "" : ", ") + std::string(name);
      if (given.name != name) return;
      given.read(to);
      is_known = true;
    });
    if (!is_known) {
      throw std::invalid_argument(source + ": there is no option \"" + std::string(given.name) +
                                  "\"; expected one of " + known);
    }
  }
  return options;
}

}  // namespace Tessera
