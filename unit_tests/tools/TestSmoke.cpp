// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <tessera/common/CompiledTypes.hpp>

#include "../../tools/tessera_smoke/Check.hpp"

namespace Tessera::Impl::Smoke {
namespace {

/// 2 x 3, with the entries 2, 3 and -1.
HostCsr<double> small_matrix() { return {2, 3, {0, 2, 3}, {0, 2, 1}, {2, 3, -1}}; }

TEST(Smoke, ReferenceIsTheProduct) {
  const HostCsr<double> A = small_matrix();
  const Reference y = reference<double>(A, A.values, Mode::NoTranspose, 2, {1, 10, 2, 20, 3, 30});
  EXPECT_EQ(y.sums, (std::vector<std::complex<double>>{11, 110, -2, -20}));
  EXPECT_EQ(y.magnitudes, (std::vector<double>{11, 110, 2, 20}));
  EXPECT_EQ(y.lengths, (std::vector<int>{2, 1}));
  using Complex = Kokkos::complex<double>;
  const Reference t = reference<Complex>(A, {{0, 2}, {3, 0}, {-1, 0}}, Mode::ConjugateTranspose, 1, {{1, 0}, {5, 0}});
  EXPECT_EQ(t.sums, (std::vector<std::complex<double>>{{0, -2}, -5, 3}));
}

TEST(Smoke, ErrorsAreComparedWithTheirBounds) {
  const HostCsr<double> A = small_matrix();
  const Reference expected = reference<float>(A, {2, 3, -1}, Mode::NoTranspose, 1, {1, 2, 3});
  EXPECT_EQ(error_over_bound<float>(expected, 1, {11, -2}), 0);
  const float unit = std::numeric_limits<float>::epsilon() / 2;
  EXPECT_NEAR(error_over_bound<float>(expected, 1, {11 + 16 * 11 * unit, -2}), 1, 0.1);
  EXPECT_GT(error_over_bound<float>(expected, 1, {11, -2.001f}), 1);
  EXPECT_GT(error_over_bound<float>(expected, 1, {11 * (1 + 0x1p-11f), -2}), 1) << "rounded to TF32";
  EXPECT_TRUE(std::isinf(error_over_bound<float>(expected, 1, {std::numeric_limits<float>::quiet_NaN(), -2})));
  Check check;
  EXPECT_TRUE(check.is_right());
  check.error = 1.5;
  EXPECT_FALSE(check.is_right());
  check = {};
  check.failure = "no memory";
  EXPECT_FALSE(check.is_right());
}

/// Returns the exit status of the program.
int run(const std::string& arguments) {
  const int status = std::system((TESSERA_SMOKE_PROGRAM " " + arguments + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Smoke, ReportsEveryProduct) {
  const std::string file = ::testing::TempDir() + "smoke.json";
  ASSERT_EQ(run("--json '" + file + "'"), 0);
  const auto report = nlohmann::json::parse(std::ifstream(file));
  EXPECT_TRUE(report["is_right"]);
  constexpr std::size_t matrices = 2, modes = 2, columns = 2;
  const bool has_device = !std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
  const std::size_t per_type = matrices * modes * columns * (every_format.size() + 1) * (has_device ? 2 : 1);
  EXPECT_EQ(report["products"].size(), per_type * report["types"].size());
  double worst = 0;
  for (const auto& product : report["products"]) {
    EXPECT_TRUE(product["is_right"]) << product;
    if (product["format"] != "auto") {
      EXPECT_EQ(product["format"], product["built"]);
    }
    worst = std::max(worst, product["error_over_bound"].get<double>());
  }
  EXPECT_GT(worst, 0) << "exact values would hide a lower precision";
  std::remove(file.c_str());
}

TEST(Smoke, RejectsWrongArguments) {
  EXPECT_EQ(run("--no-such-option"), 2);
  EXPECT_EQ(run("--json /no/such/folder/smoke.json"), 2);
  EXPECT_EQ(run("--help"), 0);
}

}  // namespace
}  // namespace Tessera::Impl::Smoke
