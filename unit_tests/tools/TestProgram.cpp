// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program and checks what users see: exit status, standard output and error, and files.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tessera/Version.hpp>
#include <tessera/io/MatrixMarket.hpp>

#include "Backends.hpp"
#include "Peers.hpp"
#include "WellFormed.hpp"

namespace Tessera::Impl::Driver {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

/// Runs each test in its own empty folder.
class Program : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tessera_spmm_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// \param input [in] file for standard input
  Outcome run(const std::string& arguments, const std::string& input = "/dev/null") const {
    // The logs are outside the folder, so it contains only files that the program wrote.
    const std::string out = folder_.string() + ".out", err = folder_.string() + ".err";
    const std::string command = "cd '" + folder_.string() + "' && '" TESSERA_SPMM_PROGRAM "' " + arguments + " >'" +
                                out + "' 2>'" + err + "' <'" + input + "'";
    const int status = std::system(command.c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
    fs::remove(out);
    fs::remove(err);
    return outcome;
  }

  /// Expects status 2 and one line with all of `parts`, and an unchanged folder.
  void rejects(const std::string& arguments, const std::vector<std::string>& parts) const {
    const auto before = files();
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << '\n' << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(outcome.err.starts_with("tessera_spmm: error: ")) << arguments << '\n' << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << '\n' << outcome.err;
    SCOPED_TRACE(arguments);
    expect_parts(outcome.err, parts);
    EXPECT_EQ(files(), before);
  }

  /// Expects success, a verified result and no error output.
  Outcome accepts(const std::string& arguments) const {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << '\n' << outcome.err << outcome.out;
    EXPECT_EQ(outcome.err, "") << arguments;
    EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << arguments;
    return outcome;
  }

  nlohmann::json json_of(const std::string& arguments) const {
    accepts(arguments + " --json result.json");
    return nlohmann::json::parse(contents(folder_ / "result.json"));
  }
  /// Returns the only format in the results of a run.
  nlohmann::json format_of(const std::string& arguments) const {
    const auto formats = json_of(arguments)["formats"];
    EXPECT_EQ(formats.size(), 1u) << arguments;
    return formats[0];
  }
  std::string explanation_of(const std::string& arguments) const {
    return json_of(arguments)["plan"]["explanation"].get<std::string>();
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

// Uses double if the program has no float or complex float.
#if defined(TESSERA_WITHOUT_FLOAT) || defined(TESSERA_WITHOUT_COMPLEX_FLOAT)
const std::string single = "double";
#else
const std::string single = "float";
#endif
const std::string small = "--generate elasticity:4 --repeat 1 ";
const std::string real_3x2 = "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n3 1 2\n3 2 -4\n";
const std::string real_array_2x1 = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n";
const std::string complex_2x2 = "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 2\n2 1 0 3\n";

TEST_F(Program, PrintsATableWithARowAFormat) {
  expect_parts(accepts(small).out, {"elasticity:4", "192 x 192", "nonzeros", "csr", "bittcf", "tiles", "GFLOP/s",
                                    "GB/s", "verified", "32 columns", "Kokkos"});
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(Program, AnswersHelpAndVersion) {
  expect_parts(accepts("--help").out,
               {"--matrix",        "--generate",     "--columns",   "--format",   "--scalar",     "--layout",
                "--mode",          "--alpha",        "--beta",      "--x",        "--y",          "--write-y",
                "--repeat",        "--seed",         "--brp-f",     "--brp-g",    "--bcsr-block", "--sorted-width",
                "--sorted-height", "--memory-limit", "--json",      "--backend",  "--compare",    "--spy",
                "--version",       "--save-plan",    "--load-plan", "elasticity", "Exit status",  "--precision",
                "--staged-values", "--staged-piece", "--tune",      "--kernel",   "--group-rows"});
  EXPECT_EQ(accepts("--version").out, "tessera_spmm " TESSERA_VERSION_STRING "\n" + to_string(version()) + "\n");
}

TEST_F(Program, VerifiesEveryModeLayoutScalarAndFactor) {
  for (const char* mode : {"N", "T", "C", "H"}) {
    for (const std::string& scalar : {std::string("double"), single}) {
      for (const char* layout : {"left", "right"}) {
        const std::string common = std::string(" --mode ") + mode + " --scalar " + scalar + " --layout " + layout;
        accepts("--generate rmat:7,5 --repeat 1 --columns 5 --alpha 2 --beta -0.5" + common);
        accepts("--generate rmat:7,5 --repeat 1 --columns 3 --alpha 1,0.5" + common);
      }
    }
  }
}

TEST_F(Program, WhatOverflowsIsNotWrong) {
  accepts(small + "--alpha 1e308 --beta 1e308");
  accepts(small + "--scalar " + single + " --alpha 1e38 --beta 1e38");
}

TEST_F(Program, WhatUnderflowsIsZero) {
  EXPECT_EQ(json_of(small + "--alpha 1e-400 --beta -1e-999")["settings"]["beta"], nlohmann::json({0.0, 0.0}));
  EXPECT_GT(json_of(small + "--alpha 1e-310")["settings"]["alpha"][0].get<double>(), 0.0);
}

TEST_F(Program, JsonHoldsTheKeysThatTheReadmePromises) {
  const auto json = json_of("--generate elasticity:4 --repeat 4 --columns 3 --alpha 2,1 --layout right");
  EXPECT_EQ(json["program"], "tessera_spmm");
  EXPECT_EQ(json["verified"], true);
  for (const char* key : {"name", "file", "rows", "columns", "nonzeros", "mean_row", "row_deviation", "shortest_row",
                          "longest_row", "empty_rows", "windows", "csr_bytes"}) {
    EXPECT_TRUE(json["matrix"].contains(key)) << key;
  }
  int window_rows = 8;
  for (const auto& windows : json["matrix"]["windows"]) {
    EXPECT_EQ(windows["rows"], window_rows);
    EXPECT_NEAR(windows["reuse"].get<double>(), 9000 / windows["columns"].get<double>(), 1e-9);
    window_rows *= 2;
  }
  EXPECT_EQ(window_rows, 256);
  EXPECT_EQ(json["matrix"]["rows"], 192);
  EXPECT_EQ(json["matrix"]["nonzeros"], 9000);
  EXPECT_EQ(json["settings"]["alpha"], nlohmann::json({2.0, 1.0}));
  EXPECT_EQ(json["settings"]["scalar"], "complex double");
  EXPECT_EQ(json["settings"]["layout"], "right");
  EXPECT_EQ(json["settings"]["columns"], 3);
  EXPECT_EQ(json["backend"]["name"], default_backend());
  EXPECT_FALSE(json["plan"]["explanation"].get<std::string>().empty());
  EXPECT_TRUE(json["kokkos_kernels"].is_null());
  ASSERT_EQ(json["formats"].size(), std::size(every_format));
  EXPECT_EQ(json["formats"][0]["bytes_over_csr"], 1.0);
  EXPECT_EQ(json["formats"][0]["tiles"], 0);
  std::size_t number = 0;
  for (const auto& row : json["formats"]) {
    EXPECT_EQ(row["name"], to_string(every_format[number++]));
    EXPECT_EQ(row["spmm_seconds"]["samples"].size(), 4u);
    EXPECT_LE(row["spmm_seconds"]["min"], row["spmm_seconds"]["median"]);
    EXPECT_GE(row["spmm_seconds"]["max"], row["spmm_seconds"]["median"]);
    const double flops = 8.0 * 9000 * 3;
    EXPECT_NEAR(row["gflops"].get<double>(), flops / row["spmm_seconds"]["median"].get<double>() * 1e-9, 1e-9);
    const double bytes = row["bytes"].get<double>() + 2.0 * 192 * 3 * 16;
    EXPECT_NEAR(row["gbytes_per_second"].get<double>(), bytes / row["spmm_seconds"]["median"].get<double>() * 1e-9,
                1e-9);
    EXPECT_GT(row["build_seconds"], 0.0);
    EXPECT_EQ(row["verified"], true);
  }
}

TEST_F(Program, SavesAndLoadsPlans) {
  for (const char* mode : {"N", "T"}) {
    const auto json =
        json_of(small + "--columns 3 --shuffle --format bittcf --reorder windows --save-plan a --load-plan a " +
                "--mode " + mode);
    ASSERT_EQ(json["formats"].size(), 2u);
    const auto &made = json["formats"][0], &loaded = json["formats"][1];
    EXPECT_EQ(loaded["name"], "bittcf, loaded");
    for (const char* key : {"bytes", "tiles", "reordering", "windows"}) EXPECT_EQ(loaded[key], made[key]) << key;
    for (const char* key : {"saved_plan", "loaded_plan"}) {
      EXPECT_EQ(json[key]["file"], "a");
      EXPECT_EQ(json[key]["bytes"], fs::file_size(folder_ / "a"));
      EXPECT_GT(json[key]["seconds"], 0.0);
    }
  }
  EXPECT_TRUE(json_of(small)["loaded_plan"].is_null());
  // The order of the rows is the same, because --seed is the same.
  expect_parts(accepts(small + "--shuffle --load-plan a").out, {"bittcf, loaded", "plan loaded from a: "});
  EXPECT_EQ(run(small + "--load-plan a").status, 1);  // the values differ
  rejects("--generate elasticity:3 --load-plan a", {"--load-plan a: the plan is of another matrix: 192 x 192"});
#ifndef TESSERA_WITHOUT_FLOAT
  rejects(small + "--scalar float --load-plan a", {"a: the plan is of numbers of 8 bytes", "expected numbers of 4"});
#endif
  rejects(small + "--load-plan none", {"none: cannot be opened"});
  rejects(small + "--save-plan b --json b", {"--save-plan b: --json writes to the same file"});
}

TEST_F(Program, WritesOverNothingThatItReads) {
  for (const char* name : {"a.mtx", "x.mtx", "y.mtx"}) write(name, real_array_2x1);
  write("a.mtx", real_3x2);
  write("plan", "");
  fs::create_symlink("a.mtx", folder_ / "symbolic");
  fs::create_hard_link(folder_ / "a.mtx", folder_ / "hard");
  const std::string inputs = "--matrix a.mtx --x x.mtx --y y.mtx --load-plan plan ";
  for (const std::string output : {"--write-y", "--save-plan", "--json", "--spy"}) {
    for (const std::string name : {"a.mtx", "./a.mtx", "symbolic", "hard"})
      rejects(inputs + output + " " + name, {output + " " + name + ": --matrix reads the same file"});
    rejects(inputs + output + " x.mtx", {output + " x.mtx: --x reads the same file"});
    rejects(inputs + output + " y.mtx", {output + " y.mtx: --y reads the same file"});
    if (output != "--save-plan")
      rejects(inputs + output + " plan", {output + " plan: --load-plan reads the same file"});
  }
  rejects(inputs + "--write-y new --json ./new", {"--json ./new: --write-y writes to the same file"});
  rejects(inputs + "--write-y -", {"--write-y -: expected the name of a file; - is standard input"});
  EXPECT_FALSE(fs::exists(folder_ / "-"));
  const Outcome redirected = run("--matrix - --write-y a.mtx --repeat 1 --format csr", (folder_ / "a.mtx").string());
  EXPECT_EQ(redirected.status, 2);
  expect_parts(redirected.err, {"--write-y a.mtx: --matrix reads the same file"});
  EXPECT_EQ(contents(folder_ / "a.mtx"), real_3x2);
}

TEST_F(Program, VectorsThatDoNotFitAreRejectedBeforeTheMatrixIsRead) {
  std::string x = "%%MatrixMarket matrix array real general\n1 100000\n";
  for (int i = 0; i < 100000; ++i) x += "1\n";
  write("x.mtx", x);
  write("tall.mtx", "%%MatrixMarket matrix coordinate real general\n2147483647 1 3\nand no entries\n");
  rejects("--matrix tall.mtx --x x.mtx",
          {"--x x.mtx: 100000 columns of X (1 rows) and Y (2147483647 rows): this needs", "memory"});
  rejects("--matrix tall.mtx --columns 100000", {"--columns: 100000 columns of X", "memory"});
  rejects("--matrix tall.mtx --columns 1 --mode T --x x.mtx", {"--x x.mtx", "memory"});
}

TEST_F(Program, JsonTellsWhatTheTilesAreWorth) {
  const auto json = json_of("--generate elasticity:4 --repeat 1 --columns 3");
  for (const auto& row : json["formats"]) {
    if (row["name"] == "csr") continue;
    const double tiles = row["tiles"], in_tiles = row["tiled_nonzeros"];
    ASSERT_GT(tiles, 0) << row["name"];
    EXPECT_LE(in_tiles, 9000) << row["name"];
    EXPECT_NEAR(row["nonzeros_per_tile"].get<double>(), in_tiles / tiles, 1e-9) << row["name"];
    EXPECT_GT(row["fill"], 0.0) << row["name"];
    EXPECT_LE(row["fill"], 1.0) << row["name"];
    if (row["name"] == "sorted_columns") {
      EXPECT_TRUE(row["imbalance"].is_null()) << row["imbalance"];
    } else {
      EXPECT_GE(row["imbalance"], 0.0) << row["name"];
    }
  }
}

TEST_F(Program, AFormatThatIsRejectedDoesNotStopTheOthers) {
  const std::string tight = small + "--memory-limit 4e-4 --bcsr-block 64x64 ";
  const auto json = json_of(tight);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["settings"]["memory_limit"], 400000);
  ASSERT_EQ(json["formats"].size(), std::size(every_format));
  for (const auto& row : json["formats"]) {
    if (row["name"] == "bcsr") {
      EXPECT_EQ(row.size(), 2u) << row;
      EXPECT_NE(row["rejected"].get<std::string>().find("memory_limit allows 400000"), std::string::npos) << row;
    } else {
      EXPECT_EQ(row["verified"], true) << row["name"];
      EXPECT_EQ(row["spmm_seconds"]["samples"].size(), 1u) << row["name"];
    }
  }
  expect_parts(accepts(tight + "--write-y y.mtx").out,
               {"\nbcsr            rejected: Tessera: a plan with the format bcsr"});
  EXPECT_TRUE(fs::exists(folder_ / "y.mtx"));
  rejects(tight + "--format bcsr", {"bcsr", "memory_limit allows 400000"});
  accepts(small + "--memory-limit 1 --format bcsr");
}

TEST_F(Program, ParametersReachTheFormats) {
  const auto row = [&](const std::string& options) { return format_of(small + options); };
  EXPECT_EQ(row("--format brp --brp-f 4 --brp-g 2")["nonzeros_per_tile"], 8 * 4 * 2);
  EXPECT_EQ(row("--format brp --brp-f 2 --brp-g 1")["nonzeros_per_tile"], 8 * 2 * 1);
  EXPECT_EQ(row("--format bcsr --bcsr-block 3x3")["tiles"], 9000 / 9);
  EXPECT_LE(row("--format sorted_columns --sorted-width 8 --sorted-height 4")["nonzeros_per_tile"], 8 * 4);
  EXPECT_GT(row("--format sorted_columns --sorted-width 8 --sorted-height 8")["nonzeros_per_tile"], 8 * 4);
  // The three rows of a node have the same columns. With two rows, some groups span two nodes.
  EXPECT_GT(row("--format row_groups")["nonzeros_per_tile"], 2.9);  // three rows, and padded columns
  EXPECT_EQ(row("--format row_groups --group-rows 1")["tiles"], 9216);
  EXPECT_LT(row("--format row_groups --group-rows 2")["nonzeros_per_tile"], 2);
  const auto parameters = json_of(small + "--format bcsr --bcsr-block 3x5")["settings"]["parameters"];
  EXPECT_EQ(parameters["bcsr_block_rows"], 3);
  EXPECT_EQ(parameters["bcsr_block_columns"], 5);
  EXPECT_TRUE(parameters["brp_tiles_per_group"].is_null());
  // Incompatible parameters are rejected, too.
  rejects(small + "--format brp --brp-f 1 --brp-g 1", {"align"});
  EXPECT_TRUE(json_of(small + "--brp-f 1 --brp-g 1")["formats"][3].contains("rejected"));
}

TEST_F(Program, AHostHasNativePrecisionAlone) {
  const std::string host = small + "--backend " + backend_names().front();
  for (const char* precision : {"tf32x3", "tf32", "bf16", "fp16"}) {
    rejects(host + " --precision " + precision,
            {"--precision " + std::string(precision) + ": not available for double", "expected native"});
  }
  rejects(host + " --precision fp16 --alpha 1,1", {"--precision fp16", "complex double"});
  const auto json = json_of(host + " --precision native");
  EXPECT_EQ(json["settings"]["precision"], "native");
  EXPECT_EQ(json["formats"][0]["precision"], "native");
}

TEST_F(Program, AHostHasNoPublishedKernels) {
  const std::string host = small + "--backend " + backend_names().front();
  for (const char* format : {"all", "auto", "bmat", "csr"}) {
    rejects(host + " --kernel published --format " + format,
            {"a published kernel was asked for", "expected Kokkos::Cuda, and Tessera with its component Cuda"});
  }
  EXPECT_EQ(json_of(host + " --kernel auto")["settings"]["kernel"], "auto");
}

TEST_F(Program, AHostMultipliesStagedWindows) {
  const std::string host = "--generate elasticity:4 --repeat 1 --backend " + backend_names().front();
  const auto json = json_of(host + " --format staged --staged-values 200 --staged-piece 3");
  ASSERT_EQ(json["formats"].size(), 1u);
  EXPECT_EQ(json["formats"][0]["name"], "staged");
  EXPECT_EQ(json["formats"][0]["verified"], true);
  EXPECT_TRUE(json["formats"][0]["kernels"].is_null());
  EXPECT_EQ(json["plan"]["format"], "staged");
  EXPECT_EQ(json["settings"]["parameters"]["staged_chunk_values"], 200);
  EXPECT_EQ(json["settings"]["parameters"]["staged_piece_chunks"], 3);
}

TEST_F(Program, TunesWhatIsChosenAutomatically) {
  for (const char* format : {"auto", "all"}) {
    const std::string options = small + "--format " + format;
    EXPECT_EQ(explanation_of(options).find("measured"), std::string::npos);
    expect_parts(explanation_of(options + " --tune"), {"was measured to be the fastest"});
    EXPECT_EQ(json_of(options + " --tune")["settings"]["tune"], true);
  }
  rejects(small + "--tune --format csr", {"--tune", "csr"});
}

TEST_F(Program, ThreadsThatKokkosHasNoRoomForAreRejected) {
  rejects(small + "--kokkos-num-threads 513", {"--kokkos-num-threads", "513", "512"});
}

TEST_F(Program, EveryFormatInEveryOrder) {
  const std::string shuffled = "--generate stencil27:7 --shuffle --repeat 1 --columns 4 ";
  const auto json = json_of(shuffled + "--reorder all --spy a.svg");
  EXPECT_EQ(json["settings"]["reorder"], "all");
  EXPECT_EQ(json["settings"]["shuffle"], true);
  // SortedColumns has its own order.
  ASSERT_EQ(json["formats"].size(), (std::size(every_format) - 1) * std::size(every_reordering) + 1);
  const double natural = json["formats"][0]["windows"][3]["reuse"];
  for (const auto& row : json["formats"]) {
    EXPECT_EQ(row["verified"], true) << row["name"] << row["reordering"];
    EXPECT_GT(row["predicted_relative_seconds"], 0.0);
    if (row["reordering"] != "windows") continue;
    EXPECT_GT(row["windows"][3]["reuse"], 2 * natural);  // windows of 64 rows
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"a.affinity.svg", "a.degree.svg", "a.jaccard.svg",
                                               "a.local_clusters.svg", "a.svg", "a.windows.svg", "result.json"}));
  EXPECT_TRUE(is_well_formed_xml(contents(folder_ / "a.windows.svg")));
  EXPECT_NE(contents(folder_ / "a.windows.svg"), contents(folder_ / "a.svg"));
}

TEST_F(Program, OneOrderOrTheAutomaticOne) {
  EXPECT_EQ(format_of(small + "--format bittcf --reorder affinity")["reordering"], "affinity");
  const std::string automatic = small + "--format auto --reorder search";
  EXPECT_EQ(format_of(automatic)["reordering"], "none");  // too small to be worth it
  expect_parts(explanation_of(automatic), {"note: no order was sought"});
  const auto none = format_of(small + "--format csr");
  EXPECT_EQ(none["reordering"], "none");
  EXPECT_FALSE(none.contains("windows"));
  rejects(small + "--reorder best", {"--reorder", "best"});
}

TEST_F(Program, SaysThatTheTilesAreNotTheTransposes) {
  const std::string note = "tiles, bytes and orders are A's";
  for (const char* mode : {"T", "H"}) expect_parts(accepts(small + "--mode " + mode).out, {note});
  EXPECT_EQ(accepts(small + "--mode C").out.find(note), std::string::npos);
}

TEST_F(Program, OneFormatOrTheAutomaticOne) {
  for (const Format format : every_format) {
    const std::string name(to_string(format));
    EXPECT_EQ(format_of(small + "--format " + name)["name"], name);
  }
  const auto json = json_of(small + "--format auto");
  ASSERT_EQ(json["formats"].size(), 1u);
  EXPECT_EQ(json["formats"][0]["name"], json["plan"]["format"]);
}

TEST_F(Program, TheSeedDecidesAboutTheVectors) {
  const std::string common = "--generate stencil27:4 --repeat 1 --columns 2 --format csr --write-y ";
  accepts(common + "a.mtx --seed 5");
  accepts(common + "b.mtx --seed 5");
  accepts(common + "c.mtx --seed 6");
  EXPECT_EQ(contents(folder_ / "a.mtx"), contents(folder_ / "b.mtx"));
  EXPECT_NE(contents(folder_ / "a.mtx"), contents(folder_ / "c.mtx"));
}

TEST_F(Program, ComputesWhatTheFilesSay) {
  write("a.mtx", real_3x2);
  write("x.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
  write("y.mtx", "%%MatrixMarket matrix array real general\n3 2\n10\n20\n30\n40\n50\n60\n");
  for (const char* layout : {"left", "right"}) {
    accepts("--matrix a.mtx --x x.mtx --y y.mtx --alpha 2 --beta 0.5 --write-y out.mtx --repeat 3 --layout " +
            std::string(layout));
    const auto y = read_dense_matrix_market<double>((folder_ / "out.mtx").string());
    EXPECT_EQ(y, (HostDense<double>{3, 2, {2 + 5, 10, 2 * (2 - 8) + 15, 6 + 20, 25, 2 * (6 - 16) + 30}}));
  }
  accepts("--matrix a.mtx --mode T --x out.mtx --columns 2 --write-y back.mtx");
  const auto back = read_dense_matrix_market<double>((folder_ / "back.mtx").string());
  EXPECT_EQ(back, (HostDense<double>{2, 2, {7 + 2 * 3, -12, 26 + 2 * 10, -40}}));
}

TEST_F(Program, ReadsMatricesAndRightHandSidesOfHarwellBoeing) {
  write("a.rua",
        "title                                                                   key\n"
        "             4             1             1             1             1\n"
        "RUA                        2             2             3             0\n"
        "(9I3)           (9I3)           (3F4.0)             (2F4.0)\n"
        "F                          1             0\n"
        "  1  3  4\n  1  2  2\n  1.  2.  3.\n 10. 20.\n");
  accepts("--matrix a.rua --x a.rua --repeat 1 --write-y y.mtx");
  EXPECT_EQ(read_dense_matrix_market<double>((folder_ / "y.mtx").string()), (HostDense<double>{2, 1, {10, 80}}));
  rejects("--matrix a.rua --x a.rua --columns 2", {"a.rua: has 1 columns, expected 2"});
}

TEST_F(Program, ReadsStandardInput) {
  write("a.mtx", real_3x2);
  write("c.mtx", complex_2x2);
  const Outcome real = run("--matrix - --repeat 1 --format csr", (folder_ / "a.mtx").string());
  EXPECT_EQ(real.status, 0) << real.err;
  EXPECT_NE(real.out.find("3 x 2"), std::string::npos) << real.out;
  const Outcome complex = run("--matrix - --repeat 1 --format csr", (folder_ / "c.mtx").string());
  EXPECT_EQ(complex.status, 0) << complex.err;
  EXPECT_NE(complex.out.find("complex double"), std::string::npos) << complex.out;
  write("a.zip", "PK\x03\x04 and more");
  const Outcome packed = run("--matrix -", (folder_ / "a.zip").string());
  EXPECT_EQ(packed.status, 2);
  expect_parts(packed.err, {"-: is packed by zip, expected plain, gzip, or arrays of NumPy (.npz); pipe it (unzip -p) "
                            "into what reads \"-\""});
}

TEST_F(Program, WhatIsWrittenReadsBackToTheBit) {
  accepts("--generate banded:50,3 --repeat 1 --columns 4 --write-y y.mtx --format csr");
  // alpha = 0 and beta = 1 write Y unchanged.
  accepts("--generate banded:50,3 --repeat 1 --columns 4 --alpha 0 --beta 1 --y y.mtx --write-y same.mtx --format csr");
  EXPECT_EQ(contents(folder_ / "y.mtx"), contents(folder_ / "same.mtx"));
  EXPECT_EQ(json_of("--generate banded:50,3 --repeat 1 --x y.mtx")["settings"]["columns"], 4);
}

TEST_F(Program, ComplexInputsMakeTheProductComplex) {
  write("a.mtx", complex_2x2);
  write("r.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  write("c.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 1\n0 2\n");
  write("real.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 3\n");
#ifndef TESSERA_WITHOUT_COMPLEX_FLOAT
  EXPECT_EQ(json_of("--matrix a.mtx --x r.mtx --repeat 1 --scalar float")["settings"]["scalar"], "complex float");
#endif
  accepts("--matrix a.mtx --x c.mtx --mode C --repeat 1 --write-y y.mtx");
  using Complex = std::complex<double>;
  EXPECT_EQ(read_dense_matrix_market<Complex>((folder_ / "y.mtx").string()),
            (HostDense<Complex>{2, 1, {Complex(1, -2) * Complex(1, 1), Complex(0, -3) * Complex(1, 1)}}));
  accepts("--matrix real.mtx --x c.mtx --repeat 1 --write-y y.mtx");
  EXPECT_EQ(read_dense_matrix_market<Complex>((folder_ / "y.mtx").string()),
            (HostDense<Complex>{2, 1, {Complex(2, 2), Complex(0, 6)}}));
  EXPECT_EQ(json_of("--matrix real.mtx --repeat 1")["settings"]["scalar"], "double");
}

TEST_F(Program, DegenerateShapesAreMultiplied) {
  write("none.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  write("flat.mtx", "%%MatrixMarket matrix coordinate real general\n0 4 0\n");
  write("thin.mtx", "%%MatrixMarket matrix coordinate real general\n4 0 0\n");
  for (const char* name : {"none.mtx", "flat.mtx", "thin.mtx"}) {
    for (const char* mode : {"N", "T"}) {
      const auto json =
          json_of(std::string("--repeat 1 --matrix ") + name + " --mode " + mode + " --beta 2 --spy s.svg");
      EXPECT_EQ(json["matrix"]["nonzeros"], 0);
      accepts(std::string("--repeat 1 --matrix ") + name + " --mode " + mode);
    }
  }
  EXPECT_EQ(json_of(small + "--columns 0")["settings"]["columns"], 0);
  EXPECT_EQ(json_of(small + "--columns 1")["settings"]["columns"], 1);
  accepts(small + "--alpha 0 --columns 2");
}

TEST_F(Program, BadInputIsRejectedByName) {
  write("a.mtx", real_3x2);
  write("x3.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  write("x2.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  write("short.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n");
  write("text.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 one\n");
  write("noise", "this is no matrix\n");
  rejects("--matrix none.mtx", {"none.mtx"});
  rejects("--matrix .", {"."});
  rejects("--matrix noise", {"noise"});
  rejects("--matrix text.mtx", {"text.mtx:3"});
  rejects("--matrix a.mtx --x x3.mtx", {"--x x3.mtx", "3 rows", "expected 2"});
  rejects("--matrix a.mtx --x x2.mtx --columns 2", {"--x x2.mtx", "1 columns", "expected 2"});
  rejects("--matrix a.mtx --mode T --x x2.mtx", {"--x x2.mtx", "expected 3"});
  rejects("--matrix a.mtx --x x2.mtx --y x2.mtx", {"--y x2.mtx", "expected 3"});
  rejects("--matrix a.mtx --x short.mtx", {"short.mtx"});
  rejects("--matrix a.mtx --x missing.mtx", {"missing.mtx"});
  rejects("--matrix a.mtx --y missing.mtx", {"missing.mtx"});
  rejects("--generate nonsense", {"nonsense", "elasticity"});
  rejects("--generate elasticity:-1", {"elasticity"});
  rejects("--generate elasticity:1000000", {"elasticity"});
  rejects("--matrix a.mtx --columns 2147483647 --repeat 1 --scalar double --beta 1 --generate", {"--generate"});
  rejects(small + "--columns 2147483647", {"2147483647 columns", "memory"});
#ifdef TESSERA_WITHOUT_FLOAT
  rejects(small + "--scalar float", {"configured without float (TESSERA_SCALARS)"});
#else
  rejects(small + "--alpha 1e300 --scalar float", {"--alpha", "float"});
#endif
}

TEST_F(Program, BadUsageIsRejectedByName) {
  rejects("--columns -4", {"--columns"});
  rejects("--repeat -1", {"--repeat"});
  rejects("--alpha nan", {"--alpha", "nan"});
  rejects("--no-such-option", {"--no-such-option"});
  rejects("--backend abacus", {"--backend abacus", default_backend()});
  rejects("--json no/such/folder/f.json", {"--json no/such/folder/f.json"});
  rejects("--spy .", {"--spy ."});
}

TEST_F(Program, AFailureLeavesOutputsAsTheyWere) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 1\n9 9 1\n");
  write("y.mtx", "old");
  rejects("--matrix a.mtx --write-y y.mtx --json j.json --spy s.svg", {"a.mtx:3"});
  EXPECT_EQ(contents(folder_ / "y.mtx"), "old");
  if (fs::exists("/dev/full")) {
    const Outcome outcome = run(small + "--json /dev/full");
    EXPECT_EQ(outcome.status, 2);
    expect_parts(outcome.err, {"/dev/full"});
  }
}

TEST_F(Program, OutputsReplaceFilesAndFollowLinks) {
  write("old.json", "old");
  fs::create_symlink("old.json", folder_ / "link.json");
  accepts(small + "--json link.json");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
  EXPECT_TRUE(nlohmann::json::accept(contents(folder_ / "old.json")));
  const Outcome outcome = accepts(small + "--json /dev/stdout");
  EXPECT_TRUE(outcome.out.starts_with("{"));
}

TEST_F(Program, SpyIsWellFormedAndTheSameEveryTime) {
  accepts(small + "--spy a.svg");
  accepts(small + "--spy b.svg --format csr --columns 1");
  EXPECT_TRUE(is_well_formed_xml(contents(folder_ / "a.svg")));
  EXPECT_EQ(contents(folder_ / "a.svg"), contents(folder_ / "b.svg"));
}

TEST_F(Program, EveryBackendOfThisBuildMultiplies) {
  for (const std::string& name : backend_names())
    EXPECT_EQ(json_of(small + "--backend " + name)["backend"]["name"], name);
}

TEST_F(Program, ComparesWithKokkosKernelsWhereItIsThere) {
  if (!missing_peer("kokkoskernels").empty()) {
    rejects("--compare kokkoskernels", {"--compare", "without Kokkos Kernels"});
    return;
  }
  for (const char* layout : {"left", "right"}) {
    for (const std::string& options :
         {std::string(), " --mode T --scalar " + single, std::string(" --beta 2 --mode H")}) {
      const auto json = json_of(small + "--columns 3 --compare kokkoskernels --layout " + layout + options);
      EXPECT_EQ(json["kokkos_kernels"]["verified"], true);
      EXPECT_EQ(json["kokkos_kernels"]["spmm_seconds"]["samples"].size(), 1u);
      EXPECT_NE(json["kokkos_kernels"]["build"].get<std::string>().find("-O"), std::string::npos);
    }
  }
  rejects(small + "--compare kokkoskernels --alpha 1,1", {"--compare kokkoskernels", "complex"});
  EXPECT_TRUE(json_of(small + "--compare kokkoskernels")["cusparse"].is_null());
  expect_parts(accepts(small + "--compare kokkoskernels").out, {"\nkokkoskernels ", "1.00x"});
}

TEST_F(Program, ComparesWithCuSparseWhereItIsThere) {
  if (!missing_peer("cusparse").empty()) {
    rejects("--compare cusparse", {"--compare cusparse: ", "built without cuSPARSE", "CUDA"});
    return;
  }
  for (const char* layout : {"left", "right"}) {
    const std::string in_single = " --scalar " + single + " --mode T";
    for (const char* options : {"", in_single.c_str(), " --beta 2 --mode H", " --columns 1", " --columns 8"}) {
      const auto json = json_of(small + "--compare cusparse --layout " + layout + options);
      EXPECT_TRUE(json["kokkos_kernels"].is_null());
      const bool is_vector = json["settings"]["columns"] == 1;
      const std::size_t algorithms = json["cusparse"].size();  // 5 with SpMVOp
      ASSERT_TRUE(is_vector ? algorithms == 2 || algorithms == 5 : algorithms == 4) << algorithms;
      for (const auto& row : json["cusparse"]) {
        EXPECT_EQ(row["name"].get<std::string>().find("spmv") != std::string::npos, is_vector) << row;
        EXPECT_NE(row["build"].get<std::string>().find("cuSPARSE 1"), std::string::npos);
        EXPECT_TRUE(row.contains("rejected") || row["verified"] == true) << row;
      }
    }
  }
  rejects(small + "--compare cusparse --alpha 1,1", {"--compare cusparse", "complex"});
  rejects(small + "--compare cusparse --columns 0", {"--compare cusparse", "no columns"});
}

}  // namespace
}  // namespace Tessera::Impl::Driver
