// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cctype>
#include <tessera/Version.hpp>

namespace {

using Tessera::Version;

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : ",").append(word);
  return text;
}

TEST(VersionTest, MacrosAreThoseOfTheProject) {
  EXPECT_STREQ(TESSERA_VERSION_STRING, PROJECT_VERSION);
  const std::string numbers = std::to_string(TESSERA_VERSION_MAJOR) + "." + std::to_string(TESSERA_VERSION_MINOR) +
                              "." + std::to_string(TESSERA_VERSION_PATCH);
  EXPECT_EQ(numbers, TESSERA_VERSION_STRING);
#if TESSERA_VERSION < 200 || \
    TESSERA_VERSION != 10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH
  ADD_FAILURE() << TESSERA_VERSION;
#endif
}

TEST(VersionTest, LibraryHasTheVersionOfItsHeaders) {
  const Version version = Tessera::version();
  EXPECT_EQ(10000 * version.major + 100 * version.minor + version.patch, TESSERA_VERSION);
  EXPECT_EQ(version.minor, TESSERA_VERSION_MINOR);
}

TEST(VersionTest, OptionsOfTheBuild) {
  const Version version = Tessera::version();
  EXPECT_EQ(joined(version.scalars), SCALARS);
  EXPECT_EQ(joined(version.components), COMPONENTS);
  const auto& spaces = version.execution_spaces;
  EXPECT_EQ(std::ranges::count(spaces, Kokkos::DefaultExecutionSpace::name()), 1) << joined(spaces);
  EXPECT_EQ(std::ranges::count(spaces, Kokkos::DefaultHostExecutionSpace::name()), 1) << joined(spaces);
  EXPECT_TRUE(version.gpu_model.starts_with("gpu ")) << version.gpu_model;
  const std::string kokkos = std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
                             "." + std::to_string(KOKKOS_VERSION % 100);
  EXPECT_EQ(version.kokkos, kokkos);
  EXPECT_NE(version.compiler.find(' '), std::string_view::npos) << version.compiler;
}

TEST(VersionTest, CommitIsItsDigitsOrUnknown) {
  std::string_view commit = Tessera::version().commit;
  if (commit == "unknown") return;
  if (commit.ends_with("-dirty")) commit.remove_suffix(6);
  EXPECT_EQ(commit.size(), 12) << commit;
  EXPECT_TRUE(std::ranges::all_of(commit, [](unsigned char c) { return std::isxdigit(c); })) << commit;
}

TEST(VersionTest, AsText) {
  const Version version{.major = 1,
                        .minor = 2,
                        .patch = 3,
                        .commit = "abc",
                        .scalars = {"float", "double"},
                        .execution_spaces = {"Serial"},
                        .components = {},
                        .gpu_model = "gpu 9",
                        .kokkos = "5.0.0",
                        .compiler = "GNU 16"};
  EXPECT_EQ(to_string(version),
            "Tessera 1.2.3\ncommit: abc\nscalars: float, double\nexecution spaces: Serial\ncomponents: none\n"
            "GPU model: gpu 9\nKokkos: 5.0.0\ncompiler: GNU 16");
}

}  // namespace
