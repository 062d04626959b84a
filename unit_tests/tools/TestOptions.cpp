// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "Backends.hpp"
#include "Formats.hpp"
#include "Options.hpp"

namespace Tessera::Impl::Driver {
namespace {

/// Returns the settings of a command line, split at spaces.
Settings parsed(const std::string& line) {
  std::vector<std::string> words{"tessera_spmm"};
  for (std::size_t begin = 0; !line.empty() && begin <= line.size(); begin += words.back().size() + 1)
    words.push_back(line.substr(begin, line.find(' ', begin) - begin));
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return parse_options(static_cast<int>(arguments.size()), arguments.data()).value();
}

/// Returns the error message that a command line must cause.
std::string complaint(const std::string& line) {
  try {
    parsed(line);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Options, Defaults) {
  const Settings settings = parsed("");
  EXPECT_EQ(settings.generator, "elasticity");
  EXPECT_FALSE(settings.columns.has_value());
  EXPECT_EQ(settings.format, "all");
  EXPECT_EQ(settings.scalar, "double");
  EXPECT_EQ(settings.layout, Layout::Left);
  EXPECT_EQ(settings.mode, Mode::NoTranspose);
  EXPECT_EQ(settings.alpha, std::complex<double>(1));
  EXPECT_EQ(settings.beta, std::complex<double>(0));
  EXPECT_EQ(settings.backend, default_backend());
  EXPECT_EQ(settings.precision, Precision::Native);
  EXPECT_EQ(settings.kernel, Kernel::Auto);
  EXPECT_FALSE(settings.tune);
  EXPECT_EQ(settings.compare, "");
}

TEST(Options, NothingIsLeftOfTheLineBefore) {
  parsed(
      "--matrix a.mtx --tune --columns 7 --mode T --alpha 2 --bcsr-block 4x4 --brp-f 3 --memory-limit 1 --format auto");
  EXPECT_NE(complaint("--columns 5 --layout right --no-such-option"), "");
  const Settings settings = parsed("--generate band");
  EXPECT_EQ(settings.matrix_file, "");
  EXPECT_FALSE(settings.tune);
  EXPECT_FALSE(settings.columns.has_value());
  EXPECT_FALSE(settings.memory_limit.has_value());
  EXPECT_EQ(settings.mode, Mode::NoTranspose);
  EXPECT_EQ(settings.layout, Layout::Left);
  EXPECT_EQ(settings.alpha, std::complex<double>(1));
  EXPECT_EQ(settings.format, "all");
  EXPECT_EQ(settings.parameters.bcsr_block_rows, 0);
  EXPECT_EQ(settings.parameters.brp_nonzeros_per_column, 0);
}

TEST(Options, EveryOneIsRead) {
  const Settings settings = parsed(
      "--matrix a.mtx --columns 7 --format BitTCF --scalar float --layout Right --mode h --alpha +2.5 --beta -1,1e-3 "
      "--x x.mtx --y y.mtx --repeat 9 --seed 18446744073709551615 --kokkos-num-threads 2");
  EXPECT_EQ(settings.matrix_file, "a.mtx");
  EXPECT_EQ(settings.columns, 7);
  EXPECT_EQ(settings.format, "bittcf");
  EXPECT_EQ(settings.scalar, "float");
  EXPECT_EQ(settings.layout, Layout::Right);
  EXPECT_EQ(settings.mode, Mode::ConjugateTranspose);
  EXPECT_EQ(settings.alpha, std::complex<double>(2.5));
  EXPECT_EQ(settings.beta, std::complex<double>(-1, 1e-3));
  EXPECT_EQ(settings.x_file, "x.mtx");
  EXPECT_EQ(settings.y_file, "y.mtx");
  EXPECT_EQ(settings.repeat, 9);
  EXPECT_EQ(settings.seed, 18446744073709551615u);
  EXPECT_EQ(settings.threads, 2);
}

TEST(Options, ParametersOfFormats) {
  const Settings none = parsed("");
  EXPECT_EQ(none.parameters.brp_nonzeros_per_column, 0);
  EXPECT_EQ(none.parameters.bcsr_block_rows, 0);
  EXPECT_FALSE(none.memory_limit.has_value());
  const Settings settings = parsed(
      "--brp-f 4 --brp-g 2 --bcsr-block 16x8 --sorted-width 64 --sorted-height 48 --staged-values 100 --staged-piece 3 "
      "--group-rows 2 --memory-limit 1.5");
  EXPECT_EQ(settings.parameters.brp_nonzeros_per_column, 4);
  EXPECT_EQ(settings.parameters.brp_tiles_per_group, 2);
  EXPECT_EQ(settings.parameters.bcsr_block_rows, 16);
  EXPECT_EQ(settings.parameters.bcsr_block_columns, 8);
  EXPECT_EQ(settings.parameters.sorted_columns_width, 64);
  EXPECT_EQ(settings.parameters.sorted_columns_height, 48);
  EXPECT_EQ(settings.parameters.staged_chunk_values, 100);
  EXPECT_EQ(settings.parameters.staged_piece_chunks, 3);
  EXPECT_EQ(settings.parameters.group_rows, 2);
  EXPECT_EQ(settings.memory_limit, 1.5);
}

TEST(Options, PrecisionsAndTuning) {
  for (const Precision precision : driver_precisions) {
    const std::string name(to_string(precision));
    EXPECT_EQ(parsed("--precision " + name).precision, precision);
  }
  EXPECT_EQ(parsed("--precision TF32x3").precision, Precision::Tf32x3);
  EXPECT_EQ(parsed("--kernel Published").kernel, Kernel::Published);
  EXPECT_EQ(parsed("--kernel auto").kernel, Kernel::Auto);
  EXPECT_TRUE(parsed("--tune").tune);
  EXPECT_TRUE(parsed("--tune --format auto").tune);
  EXPECT_EQ(parsed("--kokkos-num-threads 512").threads, 512);
}

TEST(Options, ReachThePlan) {
  const auto options = [](const std::string& line) {
    const Settings settings = parsed(line);
    return plan_options(settings, requests(settings).front(), 7, 1000);
  };
  const PlanOptions none = options("--format auto");
  EXPECT_EQ(none.hints.num_vectors, 7);
  EXPECT_EQ(none.format, Format::Auto);
  EXPECT_EQ(none.precision, Precision::Native);
  EXPECT_EQ(none.kernel, Kernel::Auto);
  EXPECT_EQ(none.tuning, Tuning::Predict);
  EXPECT_EQ(none.memory_limit, 1000u);
  EXPECT_EQ(options("--precision bf16").precision, Precision::Bf16);
  EXPECT_EQ(options("--kernel published").kernel, Kernel::Published);
  EXPECT_EQ(options("--format staged").format, Format::Staged);
  EXPECT_EQ(options("--tune").tuning, Tuning::Measure);
  EXPECT_EQ(options("--reorder degree").reordering, Reordering::DegreeSort);
  EXPECT_TRUE(options("--reorder degree").always_reorder);
  EXPECT_FALSE(options("--reorder search").always_reorder);
  EXPECT_EQ(options("--bcsr-block 3x5").parameters.bcsr_block_columns, 5);
}

TEST(Options, AllFormatsOfPublishedKernelsAreThoseThatHaveOne) {
  Settings settings;
  settings.backend = "cuda";
  settings.kernel = Kernel::Published;
  std::vector<Format> formats;
  for (const Request& request : requests(settings)) formats.push_back(request.format);
  EXPECT_EQ(formats, (std::vector{Format::BitTcf, Format::Bmat, Format::Brp, Format::Bcsr, Format::SortedColumns}));
  settings.format = "csr";
  EXPECT_EQ(requests(settings).front().format, Format::Csr);
}

TEST(Options, TheErrorNamesTheOption) {
  const std::pair<std::string, std::vector<std::string>> wrong_values[] = {
      {"--columns", {"-1", "many", "3000000000", "1.5"}},
      {"--format", {"ellpack"}},
      {"--scalar", {"half"}},
      {"--layout", {"up"}},
      {"--mode", {"X"}},
      {"--alpha", {"nan", "1,2,3", "1e999", "-1e999", "1e-999x", "one"}},
      {"--beta", {",", "inf", "0,1e400"}},
      {"--brp-f", {"17"}},
      {"--brp-g", {"0"}},
      {"--bcsr-block", {"16", "16x", "x8", "16x8x4", "16,8", "65x8", "8x0"}},
      {"--sorted-width", {"1025"}},
      {"--sorted-height", {"0"}},
      {"--memory-limit", {"-1", "nan", "1e300", "much"}},
      {"--repeat", {"-3", "0"}},
      {"--seed", {"-1", "x", "99999999999999999999"}},
      {"--backend", {"abacus"}},
      {"--compare", {"mkl"}},
      {"--json", {"/no/such/folder/f", "/"}},
      {"--write-y", {"/"}},
      {"--spy", {"/"}},
      {"--kokkos-num-threads", {"0", "513", "4096"}},
      {"--precision", {"fp8", "single"}},
      {"--kernel", {"unpublished"}},
      {"--staged-values", {"0"}},
      {"--staged-piece", {"-1"}},
      {"--group-rows", {"0", "5"}},
      {"--matrix", {""}},
      {"--x", {""}}};
  for (const auto& [option, values] : wrong_values) {
    for (const std::string& value : values) {
      const std::string message = complaint(option + ' ' + value);
      EXPECT_NE(message.find(option), std::string::npos) << option << ' ' << value << ": " << message;
    }
  }
  EXPECT_NE(complaint("--columns").find("--columns"), std::string::npos);
}

TEST(Options, WhatDoesNotGoTogetherIsRejected) {
  EXPECT_NE(complaint("--matrix a --generate road").find("--generate"), std::string::npos);
  EXPECT_NE(complaint("--columns 1 --columns 2").find("--columns"), std::string::npos);
  EXPECT_NE(complaint("a.mtx").find("a.mtx"), std::string::npos);
  EXPECT_NE(complaint("--no-such-option").find("--no-such-option"), std::string::npos);
  EXPECT_NE(complaint("--tune --format csr").find("--tune"), std::string::npos);
  EXPECT_NE(complaint("--matrix - --x -").find("standard input"), std::string::npos);
  EXPECT_NE(complaint("--x - --y -").find("standard input"), std::string::npos);
  const std::string file = testing::TempDir() + "tessera_same_output";
  EXPECT_NE(complaint("--json " + file + " --spy " + file).find(file), std::string::npos);
}

TEST(Options, AnUnknownBackendIsAnsweredWithThoseThatThereAre) {
  for (const std::string& name : backend_names()) {
    EXPECT_EQ(parsed("--backend " + name).backend, name);
    EXPECT_NE(complaint("--backend abacus").find(name), std::string::npos);
  }
}

}  // namespace
}  // namespace Tessera::Impl::Driver
