// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which library multiplies in a program that uses only Kokkos Kernels, compiled against the patched headers.
#include <KokkosKernels_config.h>
#include <gtest/gtest.h>

#include <Kokkos_Macros.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tessera/common/CompiledTypes.hpp>

#include "Application.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

namespace {

/// Whether the TPL is switched on in the environment.
bool is_on() {
  const char* const use = std::getenv("TESSERA_TPL");
  return use == nullptr || std::string(use) != "off";
}

/// The expected number of executions of plans in `count` products.
std::size_t if_on(std::size_t count) { return is_on() ? count : 0; }

/// Whether Tessera leaves the product to cuSPARSE.
bool is_left_to_cusparse([[maybe_unused]] const std::string& mode, [[maybe_unused]] int columns) {
#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) && defined(KOKKOS_ENABLE_CUDA)
  const char* const use = std::getenv("TESSERA_TPL");
  return mode == "N" && columns <= 1 && (use == nullptr || std::string(use) != "always");
#else
  return false;
#endif
}

/// Whether Kokkos Kernels has a known error in this case: on GPUs, its products of blocks in mode C keep NaN in Y
/// although beta is 0 (4.6.01).
bool is_wrong_there([[maybe_unused]] const std::string& name, [[maybe_unused]] const std::string& mode) {
#ifdef KOKKOS_ENABLE_CUDA
  return mode == "C" && name.ends_with("blocks");
#else
  return false;
#endif
}

/// Whether the library is compiled for the scalar type in the case's name.
bool is_compiled(const std::string& name) {
  if (name.starts_with("complex<double>")) return is_compiled_v<Complex<double>>;
  if (name.starts_with("complex<float>")) return is_compiled_v<Complex<float>>;
  return name.starts_with("float") ? is_compiled_v<float> : is_compiled_v<double>;
}

}  // namespace

TEST(TplTest, EveryTypeModeAndRank) {
  for (const auto& each : Application::cases()) {
    for (const char* const mode : {"N", "T", "C", "H"}) {
      for (const int columns : {0, 1, 2, 7, 33}) {
        if (!(is_on() && is_compiled(each.name)) && is_wrong_there(each.name, mode)) continue;
        const std::string what = each.name + ", mode " + mode + ", " + std::to_string(columns) + " columns";
        const ToolEvents events;
        EXPECT_LE(each.multiply(mode, columns), 1) << what;
        const bool is_ours = is_compiled(each.name) && !is_left_to_cusparse(mode, columns);
        EXPECT_EQ(events.executions(), is_ours ? if_on(2) : 0) << what << events.text();
        EXPECT_EQ(events.plans(), is_ours ? if_on(1) : 0) << what << events.text();
      }
    }
  }
}

/// Profilers see regions with the name of the TPL, as with other TPLs.
TEST(TplTest, RegionsTellTheLibrary) {
  const auto& each = Application::cases().front();
  const auto regions_of = [&](int columns) {
    const ToolEvents events;
    each.multiply("N", columns);
    return events.text();
  };
  EXPECT_EQ(regions_of(4).find("KokkosSparse::spmv_mv[TPL_TESSERA,double]") != std::string::npos, is_on());
  EXPECT_EQ(regions_of(0).find("KokkosSparse::spmv[TPL_TESSERA,double]") != std::string::npos,
            is_on() && !is_left_to_cusparse("N", 1));
}

TEST(TplTest, WhatIsNotOursStaysTheirs) {
  const ToolEvents events;
  EXPECT_LE(Application::multiply_without_handle(), 1);
  EXPECT_LE(Application::multiply_native(), 1);
  EXPECT_EQ(events.executions(), 0u) << events.text();
}

/// GMRES has no handle that could keep a plan.
TEST(TplTest, GmresStaysTheirs) {
  const ToolEvents events;
  EXPECT_LE(Application::solve_with_gmres(), 1);
  EXPECT_EQ(events.executions(), 0u) << events.text();
}

/// Products of several matrices, modes and widths with one handle. With cuSPARSE, Kokkos Kernels' handle keeps reading
/// the arrays of the first matrix, and keeps a buffer sized for the first product.
class TplSharedHandleTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_on()) GTEST_SKIP() << "without the TPL this asks too much of a handle";
  }
};

TEST_F(TplSharedHandleTest, RanksShareAPlan) {
  const ToolEvents events;
  EXPECT_LE(Application::multiply_both_ranks(), 1);
  EXPECT_EQ(events.executions(), is_left_to_cusparse("N", 1) ? 2u : 3u) << events.text();
  EXPECT_EQ(events.plans(), 1u) << events.text();
}

TEST_F(TplSharedHandleTest, AnotherMatrixGetsAnotherPlan) {
  const ToolEvents events;
  EXPECT_LE(Application::multiply_two_matrices(), 1);
  EXPECT_EQ(events.plans(), 3u) << events.text();
}

TEST_F(TplSharedHandleTest, AnotherMatrixDoesNotPassForTheFirst) {
  EXPECT_LE(Application::multiply_where_another_lay(), 1);
}

TEST(TplTest, EmptyMatrices) { EXPECT_EQ(Application::multiply_empty(), 0); }

/// Runs only with a wrong value in an environment variable.
TEST(TplTest, DISABLED_WrongEnvironment) {
  try {
    Application::cases().front().multiply("N", 4);
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(std::getenv("EXPECTED_MESSAGE"))) << error.what();
  }
}

}  // namespace Tessera::Impl::Test
