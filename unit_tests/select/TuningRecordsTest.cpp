// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <tessera/select/TuningRecords.hpp>

namespace Tessera::Test {

std::string in_folder(const std::string& name) { return testing::TempDir() + name; }

const TuningKey key = {0xfedcba9876543210, "Cuda, NVIDIA H200", "real 8, offsets 4", "native", 32};

TEST(TuningRecords, AreReadAsTheyWereWritten) {
  const std::string path = in_folder("tessera_tuning.tsv");
  TuningRecords records;
  records.add(key, {Format::Staged, 1.25e-4});
  TuningKey other = key;
  other.columns = 1;
  records.add(other, {Format::Csr, 3e-5});
  records.add(other, {Format::Bmat, 2e-5});
  records.write(path);
  const TuningRecords read = TuningRecords::read(path);
  EXPECT_EQ(read.size(), 2u);
  ASSERT_TRUE(read.find(key));
  EXPECT_EQ(read.find(key)->format, Format::Staged);
  EXPECT_EQ(read.find(key)->seconds, 1.25e-4);
  EXPECT_EQ(read.find(other)->format, Format::Bmat);
  std::filesystem::remove(path);
}

TEST(TuningRecords, EveryPartOfTheKeyCounts) {
  TuningRecords records;
  records.add(key, {});
  for (int part = 0; part < 5; ++part) {
    TuningKey other = key;
    if (part == 0) ++other.pattern;
    if (part == 1) other.device = "Cuda, NVIDIA A100";
    if (part == 2) other.types = "real 4, offsets 4";
    if (part == 3) other.precision = "tf32";
    if (part == 4) ++other.columns;
    EXPECT_FALSE(records.find(other)) << part;
  }
}

TEST(TuningRecords, NoFileNoRecords) { EXPECT_EQ(TuningRecords::read(in_folder("tessera_no_tuning.tsv")).size(), 0u); }

TEST(TuningRecords, RefusesOtherFilesByLine) {
  const std::string path = in_folder("tessera_bad_tuning.tsv");
  const std::string good = "1f\tSerial\treal 8, offsets 4\tnative\t32\tcsr\t1e-3";
  const auto message = [&](const std::string& text) -> std::string {
    std::ofstream(path) << text;
    try {
      TuningRecords::read(path);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("tessera tuning 2\n" + good + "\n"), "");
  EXPECT_TRUE(message("").starts_with(path + ":1: "));
  EXPECT_TRUE(message("tessera tuning 3\n").starts_with(path + ":1: "));
  for (const std::string bad :
       {"", "1f\tSerial", "xx\tSerial\treal 8, offsets 4\tnative\t32\tcsr\t1e-3",
        "1f\tSerial\treal 8, offsets 4\tnative\t-3\tcsr\t1e-3", "1f\tSerial\treal 8, offsets 4\tnative\t32\tcsx\t1e-3",
        "1f\tSerial\treal 8, offsets 4\tnative\t32\tautomatic\t1e-3",
        "1f\tSerial\treal 8, offsets 4\tnative\t32\tcsr\t-1",
        "1f\tSerial\treal 8, offsets 4\tnative\t32\tcsr\t1e-3\tmore"}) {
    EXPECT_TRUE(message("tessera tuning 2\n" + good + "\n" + bad + "\n").starts_with(path + ":3: ")) << bad;
  }
  std::filesystem::remove(path);
}

TEST(TuningRecords, OfVersion1AreReadAndWrittenAnew) {
  const std::string path = in_folder("tessera_old_tuning.tsv"), types = "\tSerial\treal 8, offsets 4\tnative\t32\t";
  const auto with = [&](const std::string& line) { std::ofstream(path) << "tessera tuning 1\n" << line << '\n'; };
  with("1f" + types + "bittcf\tstaged\t1e-3\n2f" + types + "bittcf\tplain\t2e-3");
  const TuningRecords read = TuningRecords::read(path);
  const TuningKey first = {0x1f, "Serial", "real 8, offsets 4", "native", 32};
  TuningKey second = first;
  second.pattern = 0x2f;
  ASSERT_TRUE(read.find(first) && read.find(second));
  EXPECT_EQ(read.find(first)->format, Format::Staged);
  EXPECT_EQ(read.find(second)->format, Format::BitTcf);
  read.write(path);
  EXPECT_EQ(TuningRecords::read(path).find(first)->format, Format::Staged);
  for (const std::string bad : {"csr\tstaged\t1e-3", "csr\tquick\t1e-3", "csr\t1e-3"}) {
    with("1f" + types + bad);
    EXPECT_THROW(TuningRecords::read(path), std::runtime_error) << bad;
  }
  std::filesystem::remove(path);
}

TEST(TuningRecords, SaysWhereItCannotWrite) {
  const std::string path = in_folder("tessera_no_folder/tuning.tsv");
  try {
    TuningRecords().write(path);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path));
  }
}

}  // namespace Tessera::Test
