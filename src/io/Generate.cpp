// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tessera/io/Generators.hpp>
#include <vector>

namespace Tessera {
namespace {

struct Generator {
  std::string name;
  std::string sizes;
  std::string description;
  std::vector<int> defaults;
  std::function<HostCsr<double>(const std::vector<int>& sizes, std::uint64_t seed, int threads)> make;
};

const std::vector<Generator>& generators() {
  using Sizes = const std::vector<int>&;
  static const std::vector<Generator> all = {
      {"stencil27",
       "GRID",
       "27-point stencil on a grid of GRID^3 points",
       {64},
       [](Sizes s, std::uint64_t, int threads) { return Impl::generate_stencil27(s[0], threads); }},
      {"elasticity",
       "GRID",
       "three unknowns a point on a grid of GRID^3 points, dense 3x3 couplings",
       {40},
       [](Sizes s, std::uint64_t seed, int threads) { return Impl::generate_elasticity(s[0], seed, threads); }},
      {"rmat",
       "SCALE[,EDGE_FACTOR]",
       "power law graph of 2^SCALE vertices, EDGE_FACTOR edges each",
       {18, 16},
       [](Sizes s, std::uint64_t seed, int threads) { return Impl::generate_rmat(s[0], s[1], seed, threads); }},
      {"road",
       "ROWS",
       "like a road network: a planar grid with gaps",
       {2000000},
       [](Sizes s, std::uint64_t seed, int threads) { return Impl::generate_road(s[0], seed, threads); }},
      {"banded",
       "ROWS[,BANDWIDTH]",
       "BANDWIDTH full diagonals on either side of the main one",
       {250000, 16},
       [](Sizes s, std::uint64_t seed, int threads) { return Impl::generate_banded(s[0], s[1], seed, threads); }},
      {"uniform",
       "ROWS[,NONZEROS_PER_ROW]",
       "random columns, as many in each row",
       {500000, 16},
       [](Sizes s, std::uint64_t seed, int threads) { return Impl::generate_uniform(s[0], s[1], seed, threads); }},
  };
  return all;
}

const Generator& find_generator(std::string_view name) {
  std::string names;
  for (const Generator& generator : generators()) {
    if (generator.name == name) return generator;
    names += (names.empty() ? "" : ", ") + generator.name;
  }
  throw std::invalid_argument("no generator is named \"" + std::string(name) + "\", expected one of " + names);
}

/// Parses the sizes in "SIZE[,SIZE]". Returns them, and the defaults of the sizes that are missing.
std::vector<int> parse_sizes(const Generator& generator, std::string_view text) {
  std::vector<int> sizes = generator.defaults;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const std::size_t comma = text.find(',');
    const std::string_view number = text.substr(0, comma);
    int size = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), size);
    if (count == sizes.size() || error != std::errc{} || stop != number.data() + number.size()) {
      throw std::invalid_argument("generator " + generator.name + ": cannot use the size \"" + std::string(number) +
                                  "\", expected " + generator.name + ":" + generator.sizes +
                                  " with whole numbers below 2^31");
    }
    sizes[count] = size;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return sizes;
}

}  // namespace

HostCsr<double> generate(const std::string& name_and_size, std::uint64_t seed, int threads) {
  const std::size_t colon = name_and_size.find(':');
  const Generator& generator = find_generator(std::string_view(name_and_size).substr(0, colon));
  const bool has_sizes = colon != std::string::npos;
  const auto sizes =
      has_sizes ? parse_sizes(generator, std::string_view(name_and_size).substr(colon + 1)) : generator.defaults;
  return generator.make(sizes, seed, threads);
}

std::vector<std::pair<std::string, std::string>> Impl::generator_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Generator& generator : generators()) {
    std::string defaults;
    for (const int size : generator.defaults) defaults += (defaults.empty() ? "" : ",") + std::to_string(size);
    names.emplace_back(generator.name + ":" + generator.sizes, generator.description + " (default " + defaults + ")");
  }
  return names;
}

}  // namespace Tessera
