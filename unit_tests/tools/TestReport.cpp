// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "Kernels.hpp"
#include "Rejection.hpp"
#include "Report.hpp"

namespace Tessera::Impl::Driver {
namespace {

Result sample_result() {
  Result result;
  result.settings.backend = "serial";
  result.settings.alpha = {1, -2};
  result.matrix = {"m.mtx", 4, 5, 1234567, {2.25, 1.5, 0, 9, 1}, {{{8, 400, 50, 30, 4.125}, {16, 300, 38, 40, 5.5}}}};
  result.scalar = "complex double";
  result.columns = 3;
  result.automatic = Format::BitTcf;
  result.explanation = "because\n";
  FormatMeasurement format;
  format.name = "bittcf";
  format.format = Format::BitTcf;
  format.seconds = {0.004, 0.001, 0.002, 0.003};
  format.tiles = {1000, 8500, 8.5, 0.1328125, 2.25};
  format.gigaflops = 12.345;
  format.error = 0.25;
  result.formats.push_back(format);
  return result;
}

TEST(Measurement, MedianOfOddEvenAndNone) {
  Measurement row;
  EXPECT_EQ(row.median(), 0);
  row.seconds = {3, 1, 2};
  EXPECT_EQ(row.median(), 2);
  row.seconds = {4, 1, 2, 3};
  EXPECT_EQ(row.median(), 2.5);
  EXPECT_EQ(row.fastest(), 1);
  EXPECT_EQ(row.slowest(), 4);
}

TEST(Measurement, AnErrorAboveOneOrNoNumberIsWrong) {
  Measurement row;
  for (double error : {0.0, 0.5, 1.0}) {
    row.error = error;
    EXPECT_TRUE(row.verified()) << error;
  }
  for (double error : {1.0001, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    row.error = error;
    EXPECT_FALSE(row.verified()) << error;
  }
}

TEST(Result, OneWrongRowIsEnough) {
  Result result = sample_result();
  EXPECT_TRUE(result.verified());
  result.peers.emplace_back().error = 2;
  EXPECT_FALSE(result.verified());
  result.peers.clear();
  result.formats.front().error = 2;
  EXPECT_FALSE(result.verified());
}

TEST(Report, TableShowsWhatWasMeasured) {
  const std::string text = report(sample_result());
  for (const char* part : {"m.mtx: 4 x 5, 1,234,567 nonzeros", "alpha 1-2i", "bittcf *", "1,000", "8.5", "2.500",
                           "1.000 .. 4.000", "12.35", "0.25 verified", "because"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

/// Returns a format's imbalance in the table, the fifth word of its row.
std::string imbalance_shown(const Result& result) {
  const std::string text = report(result);
  std::istringstream row(text.substr(text.find("\nbittcf *") + 9));
  std::string word;
  for (int i = 0; i < 4; ++i) row >> word;
  return word;
}

TEST(Report, AFormatWithoutWindowsHasNoImbalance) {
  Result result = sample_result();
  EXPECT_EQ(imbalance_shown(result), "2.2");
  EXPECT_EQ(nlohmann::json::parse(report_json(result))["formats"][0]["imbalance"], 2.25);
  result.formats.front().tiles.imbalance.reset();
  EXPECT_EQ(imbalance_shown(result), "-");
  EXPECT_TRUE(nlohmann::json::parse(report_json(result))["formats"][0]["imbalance"].is_null());
}

/// Returns the text for an error that building a format throws.
template <class Error>
std::string told(const Error& error) {
  return rejection_reason(std::make_exception_ptr(error));
}

TEST(Rejection, IsToldOnALine) {
  EXPECT_EQ(told(std::invalid_argument("too large")), "too large");
  EXPECT_EQ(told(std::bad_alloc()), "out of memory");
  EXPECT_EQ(told(std::runtime_error("Kokkos failed to allocate\nhere")), "Kokkos failed to allocate");
  EXPECT_THROW(told(std::logic_error("a mistake")), std::logic_error);
}

TEST(Report, ARejectedFormatHasItsReasonForARow) {
  Result result = sample_result();
  const std::size_t width = report(result).find("error/bound");
  FormatMeasurement rejected;
  rejected.name = "bcsr";
  rejected.format = Format::Bcsr;
  rejected.rejected = "too large, and told at such a length that the columns of the others would not be seen";
  rejected.error = 2;  // ignored, because it was rejected
  result.formats.insert(result.formats.begin(), rejected);
  const std::string text = report(result);
  EXPECT_NE(text.find("\nbcsr      rejected: too large, and"), std::string::npos) << text;
  EXPECT_EQ(text.find("error/bound"), width) << text;
  EXPECT_TRUE(result.verified());
  ASSERT_EQ(result.products().size(), 1u);
  EXPECT_EQ(result.products().front(), &result.formats[1]);
  const auto row = nlohmann::json::parse(report_json(result))["formats"][0];
  EXPECT_EQ(row, nlohmann::json({{"name", "bcsr"}, {"rejected", rejected.rejected}}));
}

TEST(Report, AWrongResultIsSaidToBe) {
  Result result = sample_result();
  result.formats.front().error = std::numeric_limits<double>::infinity();
  EXPECT_NE(report(result).find("inf WRONG"), std::string::npos);
  const auto json = nlohmann::json::parse(report_json(result));
  EXPECT_EQ(json["verified"], false);
  EXPECT_EQ(json["formats"][0]["verified"], false);
  EXPECT_TRUE(json["formats"][0]["error"].is_null());
}

/// A row for a library that is compared.
Measurement peer(const std::string& name, double seconds) {
  Measurement row;
  row.name = name;
  row.seconds = {seconds};
  return row;
}

TEST(Report, SpeedIsRelativeToKokkosKernels) {
  Result result = sample_result();
  result.settings.compare = "kokkoskernels";
  result.peer_build = "Kokkos Kernels 1.2.3";
  result.peers = {peer("kokkoskernels", 0.010)};
  const std::string text = report(result);
  for (const char* part : {"4.00x", "1.00x", "relative to Kokkos Kernels", "; Kokkos Kernels 1.2.3"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const auto json = nlohmann::json::parse(report_json(result));
  EXPECT_EQ(json["kokkos_kernels"]["spmm_seconds"]["median"], 0.010);
  EXPECT_EQ(json["kokkos_kernels"]["build"], "Kokkos Kernels 1.2.3");
  EXPECT_TRUE(json["cusparse"].is_null());
}

TEST(Report, SpeedIsRelativeToTheFastestAlgorithmOfCuSparse) {
  Result result = sample_result();
  result.settings.compare = "cusparse";
  result.peer_build = "cuSPARSE 12.6.3";
  result.peers = {peer("cusparse alg1", 0.010), peer("cusparse alg2", 0.005), peer("cusparse alg3", 0)};
  result.peers[2].seconds.clear();
  result.peers[2].rejected = "not supported";
  result.peers[2].error = 2;  // ignored, because it was rejected
  const std::string text = report(result);
  for (const char* part : {" 2.00x", " 0.50x", " 1.00x", "fastest of cuSPARSE", "; cuSPARSE 12.6.3",
                           "\ncusparse alg3  rejected: not supported\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(result.products().size(), 3u);
  const auto json = nlohmann::json::parse(report_json(result));
  EXPECT_TRUE(json["kokkos_kernels"].is_null());
  ASSERT_EQ(json["cusparse"].size(), 3u);
  EXPECT_EQ(json["cusparse"][1]["name"], "cusparse alg2");
  EXPECT_EQ(json["cusparse"][1]["build"], "cuSPARSE 12.6.3");
  EXPECT_EQ(json["cusparse"][2]["rejected"], "not supported");
}

TEST(Report, AKernelThatIsAskedForIsShown) {
  Result result = sample_result();
  EXPECT_EQ(report(result).find("kernel"), std::string::npos);
  result.settings.kernel = Kernel::Published;
  EXPECT_NE(report(result).find(", kernel published, layout"), std::string::npos) << report(result);
  EXPECT_EQ(nlohmann::json::parse(report_json(result))["settings"]["kernel"], "published");
}

TEST(Report, APrecisionThatIsNotNativeIsShown) {
  Result result = sample_result();
  EXPECT_EQ(report(result).find("precision"), std::string::npos);
  result.settings.precision = Precision::Tf32;
  result.formats.front().precision = Precision::Tf32;
  result.formats.front().kernels = "windows on tensor cores, in tf32";
  FormatMeasurement csr = result.formats.front();
  csr.format = Format::Csr;
  csr.name = "csr";
  csr.precision = Precision::Native;
  result.formats.push_back(csr);
  const std::string text = report(result);
  for (const char* part :
       {", precision tf32, layout", "format    precision  ", "\nbittcf *       tf32  ", "\ncsr          native  "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const auto json = nlohmann::json::parse(report_json(result));
  EXPECT_EQ(json["settings"]["precision"], "tf32");
  EXPECT_EQ(json["formats"][0]["precision"], "tf32");
  EXPECT_EQ(json["formats"][0]["kernels"], "windows on tensor cores, in tf32");
  EXPECT_EQ(json["formats"][1]["precision"], "native");
}

TEST(Report, MarksTheAutomaticChoice) {
  Result result = sample_result();
  FormatMeasurement staged = result.formats.front();
  staged.name = "staged";
  staged.format = Format::Staged;
  result.formats.push_back(staged);
  EXPECT_NE(report(result).find("\nbittcf * "), std::string::npos) << report(result);
  EXPECT_NE(report(result).find("\nstaged  "), std::string::npos) << report(result);
  result.automatic = Format::Staged;
  result.settings.tune = true;
  EXPECT_NE(report(result).find("\nstaged * "), std::string::npos) << report(result);
  EXPECT_NE(report(result).find("\nbittcf  "), std::string::npos) << report(result);
  const auto json = nlohmann::json::parse(report_json(result));
  EXPECT_EQ(json["plan"]["format"], "staged");
  EXPECT_EQ(json["formats"][1]["name"], "staged");
  EXPECT_EQ(json["settings"]["tune"], true);
}

TEST(Kernels, AreThoseOfTheModeInTheirPrecision) {
  const std::string plain = R"({"kernels": "rows on CUDA cores, in native precision", "transpose": null})";
  EXPECT_EQ(kernels_of(plain, Mode::NoTranspose).name, "rows on CUDA cores, in native precision");
  EXPECT_EQ(kernels_of(plain, Mode::Transpose).precision, Precision::Native);
  const std::string both =
      R"({"kernels": "windows, in tf32x3", "transpose": {"kernels": "blocks, in bf16"}, "bytes": {"kernels": 3}})";
  EXPECT_EQ(kernels_of(both, Mode::Conjugate).precision, Precision::Tf32x3);
  EXPECT_EQ(kernels_of(both, Mode::Transpose).precision, Precision::Bf16);
  EXPECT_EQ(kernels_of(both, Mode::ConjugateTranspose).name, "blocks, in bf16");
  EXPECT_EQ(kernels_of(R"({"kernels": "for any device", "transpose": null})", Mode::NoTranspose).precision,
            Precision::Native);
}

TEST(Report, JsonIsUtf8WhateverTheFileIsCalled) {
  Result result = sample_result();
  result.matrix.name = "caf\xe9.mtx";
  EXPECT_TRUE(nlohmann::json::accept(report_json(result)));
}

}  // namespace
}  // namespace Tessera::Impl::Driver
