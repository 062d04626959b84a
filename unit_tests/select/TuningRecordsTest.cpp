// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tessera/select/TuningRecords.hpp>

namespace Tessera::Impl::Test {

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

/// A socket, which nobody can open as a file, even with all permissions.
TEST(TuningRecords, SaysWhatItCannotRead) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = in_folder("tessera_socket");
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  path.copy(address.sun_path, path.size());
  std::filesystem::remove(path);
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  try {
    TuningRecords::read(path);
    ADD_FAILURE() << "it was read";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), path + ": cannot be read; expected a file of tuned choices, or none");
  }
  close(made);
  std::filesystem::remove(path);
}

TEST(TuningRecords, RejectsOtherFilesByLine) {
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
  EXPECT_EQ(message(""), path + ":1: this is no file of tuned choices; expected \"tessera tuning 2\"");
  EXPECT_THROW(TuningRecords::read(testing::TempDir()), std::runtime_error);
  for (const std::string other : {"tessera tuning 1", "tessera tuning 3"})
    EXPECT_EQ(message(other + "\n"), path + ":1: this has \"" + other + "\"; expected \"tessera tuning 2\"");
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

TuningRecords many_records() {
  TuningRecords records;
  TuningKey other = key;
  for (other.columns = 0; other.columns < 1000; ++other.columns) records.add(other, {Format::Csr, 1e-3});
  return records;
}

std::string message_of_write(const TuningRecords& records, const std::string& path) {
  try {
    records.write(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Limits the size of files that this process writes, so writing fails midway.
TEST(TuningRecords, AFailureLeavesTheOldFileAndNoTemporary) {
  const std::filesystem::path folder = in_folder("tessera_full_disk");
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "tuning.tsv").string();
  TuningRecords old;
  old.add(key, {Format::Csr, 1e-3});
  old.write(path);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{10000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string message = message_of_write(many_records(), path);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, path + ": cannot be written: File too large");
  EXPECT_EQ(TuningRecords::read(path).size(), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  many_records().write(path);
  EXPECT_EQ(TuningRecords::read(path).size(), 1000u);
  std::filesystem::remove_all(folder);
}

/// A device is written directly, not replaced by a file.
TEST(TuningRecords, FullDevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(message_of_write(many_records(), "/dev/full"), "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

/// A file made by hand keeps its permissions, and a link to it remains a link.
TEST(TuningRecords, LinksAreFollowed) {
  const std::string path = in_folder("tessera_linked_tuning.tsv"), link = in_folder("tessera_tuning_link.tsv");
  std::filesystem::remove(link);
  many_records().write(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(path, link);
  many_records().write(link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(TuningRecords::read(link).size(), 1000u);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::remove(link);
  std::filesystem::remove(path);
}

TEST(TuningRecords, TheTextIsThatOfTheFile) {
  const std::string text = many_records().text();
  EXPECT_EQ(TuningRecords::parse(text, "a text").size(), 1000u);
  EXPECT_EQ(TuningRecords::parse(text, "a text").text(), text);
  EXPECT_TRUE(text.starts_with("tessera tuning 2\nfedcba9876543210\tCuda, NVIDIA H200\t"));
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

}  // namespace Tessera::Impl::Test
