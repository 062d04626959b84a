// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <tessera/system/impl/SectionFile.hpp>
#include <vector>

#include "TestFiles.hpp"

namespace {

using Tessera::Impl::SectionFileKind;
using Tessera::Impl::SectionReader;
using Tessera::Impl::SectionWriter;

constexpr SectionFileKind kind{"MAGIC123", 7, "something"};

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string checksum_of(const std::string& bytes) {
  return bytes_of(static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
}

std::string header_of(const std::string& name, std::uint64_t item_bytes, std::uint64_t items) {
  return name + std::string(24 - name.size(), '\0') + bytes_of(item_bytes) + bytes_of(items);
}

TEST(SectionFile, HasTheBytesThatAreDocumented) {
  const TemporaryFolder folder;
  const std::vector<std::uint16_t> numbers{1, 2, 300};
  SectionWriter file(folder / "a", kind);
  file.add("numbers", 2, numbers.data(), numbers.size());
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  const std::string first = "MAGIC123" + bytes_of(0x01020304) + bytes_of(7) + header_of("numbers", 2, 3) +
                            bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{2}) + bytes_of(std::uint16_t{300});
  const std::string end = header_of("end", 1, 0);
  EXPECT_EQ(content_of(folder / "a"), first + checksum_of(first) + end + checksum_of(first + end));
}

/// The checksum of a long section is combined from the checksums of its blocks.
TEST(SectionFile, LongSections) {
  const TemporaryFolder folder;
  std::vector<std::uint32_t> numbers(3'000'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i * 2654435761u);
  SectionWriter writer(folder / "a", kind);
  writer.add("numbers", 4, numbers.data(), numbers.size());
  writer.add("more", 1, "abc", 3);
  writer.commit();
  std::string file = content_of(folder / "a");
  const std::size_t checksum = 16 + 40 + 12'000'000;
  EXPECT_EQ(file.substr(checksum, 4), checksum_of(file.substr(0, checksum)));
  SectionReader reader(file, "a", kind);
  const std::string_view content = reader.take("numbers", 4);
  ASSERT_EQ(content.size(), 12'000'000u);
  EXPECT_EQ(std::memcmp(content.data(), numbers.data(), content.size()), 0);
  EXPECT_EQ(reader.take("more", 1), "abc");
  reader.finish();
  file[7'000'000] = static_cast<char>(file[7'000'000] ^ 4);
  EXPECT_EQ(thrown_by([&] { SectionReader(file, "a", kind); }),
            "runtime_error: a: the checksum of section 1 is not that of the bytes before it: the file is damaged");
}

TEST(SectionFile, SectionsHaveAnOrder) {
  const TemporaryFolder folder;
  SectionWriter writer(folder / "a", kind);
  writer.add("one", 1, "1", 1);
  writer.add("two", 1, "22", 2);
  writer.commit();
  const std::string file = content_of(folder / "a");
  const std::string expected = "runtime_error: a: expected section ";
  SectionReader reader(file, "a", kind);
  EXPECT_EQ(thrown_by([&] { reader.take("two", 1); }), expected + "1 to be \"two\" with items of 1 bytes");
  EXPECT_EQ(thrown_by([&] { reader.take("one", 4); }), expected + "1 to be \"one\" with items of 4 bytes");
  EXPECT_EQ(reader.take("one", 1), "1");
  EXPECT_EQ(thrown_by([&] { reader.finish(); }), "runtime_error: a: expected 1 sections and the end");
  EXPECT_EQ(reader.take("two", 1), "22");
  EXPECT_NO_THROW(reader.finish());
  EXPECT_EQ(thrown_by([&] { reader.take("three", 1); }), expected + "3 to be \"three\" with items of 1 bytes");
}

TEST(SectionFile, OtherVersionsAreRejected) {
  const TemporaryFolder folder;
  SectionWriter writer(folder / "a", kind);
  writer.add("one", 1, "1", 1);
  writer.commit();
  const std::string file = content_of(folder / "a");
  const auto read_by = [&](std::uint32_t version) {
    return thrown_by([&] { SectionReader(file, "a", {kind.magic, version, kind.what}); });
  };
  EXPECT_EQ(read_by(7), "nothing");
  const std::string rejected = "runtime_error: a: has version 7 of the file of something; expected version ";
  EXPECT_EQ(read_by(8), rejected + "8");
  EXPECT_EQ(read_by(6), rejected + "6");
}

TEST(SectionFile, WithoutCommitThereIsNone) {
  const TemporaryFolder folder;
  { SectionWriter(folder / "a", kind).add("one", 1, "1", 1); }
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
