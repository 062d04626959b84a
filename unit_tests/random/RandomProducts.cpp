// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// random_products [--seconds N] [--cases N] [--seed N] [--shard K/N] [--findings FOLDER] [--tell] [--spoil]
//
// Makes plans of random matrices on the default device and compares all of their results with the reference. Case i of
// a run has the seed SEED + i. Of N shards, shard K (1 to N) runs every N-th seed. A case that fails is printed and
// written to a file in FOLDER with the command that repeats it; the exit status is then 1. --tell prints every case;
// --spoil changes every Y, to test that errors are found.
#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ProgramOptions.hpp"
#include "RandomProduct.hpp"

namespace {

using namespace Tessera::Impl::Test;

struct Settings {
  double seconds = 0;  // 0: no time limit
  std::uint64_t cases = 0, seed = 1, shard = 1, shards = 1;
  std::string findings;
  bool tells = false, spoils = false;
};

Settings settings_of(int argc, char** argv) {
  Settings s;
  read_options(argc, argv, {{"--tell", &s.tells}, {"--spoil", &s.spoils}},
               [&](const std::string& option, std::string_view value) {
                 if (option == "--seconds") {
                   s.seconds = number_of<double>(option, value);
                 } else if (option == "--cases") {
                   s.cases = number_of<std::uint64_t>(option, value);
                 } else if (option == "--seed") {
                   s.seed = number_of<std::uint64_t>(option, value);
                 } else if (option == "--shard") {
                   const auto slash = value.find('/');
                   s.shard = number_of<std::uint64_t>(option, value.substr(0, slash));
                   s.shards = slash == value.npos ? 0 : number_of<std::uint64_t>(option, value.substr(slash + 1));
                   if (s.shard < 1 || s.shard > s.shards)
                     throw std::invalid_argument(option + ": expected K/N, K from 1 to N");
                 } else if (option == "--findings") {
                   s.findings = value;
                 } else {
                   return false;
                 }
                 return true;
               });
  if (s.seconds == 0 && s.cases == 0) throw std::invalid_argument("expected --seconds or --cases");
  return s;
}

/// Returns mostly small sizes, so more cases are checked in the same time.
CaseSizes sizes_of(Choices& choices) {
  switch (choices.below(16)) {
    case 0:
      return {3000, 60000, 130};
    case 1:
    case 2:
    case 3:
      return {400, 8000, 130};
    default:
      return {70, 1500, 70};
  }
}

/// Returns the error of the case with this seed, or "".
std::string fault_of(std::uint64_t seed, bool spoils, Story& story) {
  Choices choices(seed);
  story.tell("seed ", seed, '\n');
  try {
    const CaseSizes sizes = sizes_of(choices);
    check_random_product<Kokkos::DefaultExecutionSpace>(choices, sizes, {true, spoils}, story);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void report(const Settings& settings, const char* program, std::uint64_t seed, const std::string& fault) {
  Story story(true);
  const std::string again = fault_of(seed, settings.spoils, story);
  std::ostringstream text;
  text << story.text() << "FOUND: " << fault << '\n'
       << (again == fault ? "" : "a second time: " + (again.empty() ? "nothing" : again) + "\n") << "again: " << program
       << " --cases 1 --tell --seed " << seed << (settings.spoils ? " --spoil\n" : "\n");
  std::cout << text.str() << std::flush;
  if (settings.findings.empty()) return;
  std::filesystem::create_directories(settings.findings);
  std::ofstream(std::filesystem::path(settings.findings) / ("product-" + std::to_string(seed) + ".txt")) << text.str();
}

int run(const Settings& settings, const char* program) {
  constexpr int most_findings = 10;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::uint64_t done = 0;
  int findings = 0;
  for (std::uint64_t i = settings.shard - 1; findings < most_findings; i += settings.shards) {
    if (settings.cases > 0 && done == settings.cases) break;
    if (settings.seconds > 0 && seconds() > settings.seconds) break;
    Story story(settings.tells);
    const std::string fault = fault_of(settings.seed + i, settings.spoils, story);
    std::cout << story.text();
    ++done;
    if (fault.empty()) continue;
    ++findings;
    report(settings, program, settings.seed + i, fault);
  }
  std::cout << done << (done == 1 ? " case, " : " cases, ") << findings << " wrong, " << seconds() << " s\n";
  return findings == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = settings_of(argc, argv);
    Kokkos::ScopeGuard kokkos(argc, argv);
    return run(settings, argv[0]);
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 2;
  }
}
