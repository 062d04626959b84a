// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera_smoke: multiplies in every format, with every type, on the default device and on the host, and compares with
// serial products. Whoever installs Tessera runs it once; it takes some seconds.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <harness/Arguments.hpp>
#include <harness/Files.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <tessera/Version.hpp>
#include <tessera/io/Generators.hpp>

#include "Products.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using namespace Tessera::Impl::Smoke;

enum Status { right = 0, wrong = 1, failed = 2 };

template <class Exec, class Scalar>
void check_type(const std::string& matrix, const HostCsr<double>& A, const std::string& type,
                std::vector<Check>& checks) {
  if constexpr (is_compiled_v<kernel_scalar_t<Scalar>>) Products<Exec, Scalar>(matrix, A, type).check_all(checks);
}

template <class Exec>
void check_space(std::vector<Check>& checks) {
  for (const char* const matrix : {"elasticity:5", "rmat:8"}) {
    const HostCsr<double> A = generate(matrix);
    check_type<Exec, double>(matrix, A, "double", checks);
    check_type<Exec, float>(matrix, A, "float", checks);
    check_type<Exec, Kokkos::complex<double>>(matrix, A, "complex_double", checks);
    check_type<Exec, Kokkos::complex<float>>(matrix, A, "complex_float", checks);
  }
}

nlohmann::json to_json(const Check& c) {
  return {
      {"space", c.space},     {"type", c.type},
      {"matrix", c.matrix},   {"format", c.format},
      {"mode", c.mode},       {"columns", c.columns},
      {"built", c.built},     {"kernels", c.kernels},
      {"seconds", c.seconds}, {"error_over_bound", std::isfinite(c.error) ? nlohmann::json(c.error) : nlohmann::json()},
      {"failure", c.failure}, {"is_right", c.is_right()}};
}

std::string report_json(const std::vector<Check>& checks, bool all_right, double seconds) {
  const Version v = version();
  nlohmann::json report = {
      {"tessera", std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch)},
      {"commit", v.commit},
      {"kokkos", v.kokkos},
      {"compiler", v.compiler},
      {"execution_spaces", v.execution_spaces},
      {"components", v.components},
      {"types", v.scalars},
      {"is_right", all_right},
      {"seconds", seconds},
      {"products", nlohmann::json::array()}};
  for (const Check& check : checks) report["products"].push_back(to_json(check));
  return report.dump(1) + "\n";
}

Status smoke(const std::string& json_file) {
  const Kokkos::ScopeGuard kokkos;
  const Kokkos::Timer timer;
  std::vector<Check> checks;
  check_space<Kokkos::DefaultExecutionSpace>(checks);
  if constexpr (!std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>)
    check_space<Kokkos::DefaultHostExecutionSpace>(checks);
  if (checks.empty()) throw std::logic_error("no type is compiled");
  std::size_t mistakes = 0;
  for (const Check& c : checks) {
    if (c.is_right()) continue;
    ++mistakes;
    std::cout << "WRONG: " << c.space << ", " << c.type << ", " << c.matrix << ", " << c.format << ", mode " << c.mode
              << ", " << c.columns
              << " columns: " << (c.failure.empty() ? "error of " + std::to_string(c.error) + " bounds" : c.failure)
              << '\n';
  }
  const double seconds = timer.seconds();
  if (!json_file.empty()) Harness::write_file(json_file, report_json(checks, mistakes == 0, seconds));
  std::cout << to_string(version()) << '\n'
            << checks.size() - mistakes << " of " << checks.size() << " products are right (" << seconds << " s)\n"
            << std::flush;
  return mistakes == 0 ? right : wrong;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Multiplies in every format, with every type, on the default device and on the host, and compares with "
      "serial products.\nExit status: 0 all are right, 1 some are wrong, 2 other errors.",
      "tessera_smoke");
  std::string json_file;
  app.add_option("--json", json_file, "file for a report of every product");
  return Harness::guarded("tessera_smoke", [&] {
    if (!Harness::parse(app, argc, argv)) return int(right);
    return int(smoke(json_file));
  });
}
