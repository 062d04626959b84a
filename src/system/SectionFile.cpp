// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tessera/system/impl/OutputFile.hpp>
#include <tessera/system/impl/SectionFile.hpp>

#include "Checksum.hpp"

namespace Tessera::Impl {
namespace {

constexpr std::size_t magic_bytes = 8;
constexpr std::size_t name_bytes = 24;
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::string_view end_name = "end";

/// The header of a section.
struct SectionHeader {
  char name[name_bytes];
  std::uint64_t item_bytes;
  std::uint64_t items;
};
static_assert(sizeof(SectionHeader) == 40, "a section header is not padded");

template <class Number>
Number number_at(std::string_view bytes, std::size_t position) {
  Number number;
  std::memcpy(&number, bytes.data() + position, sizeof number);
  return number;
}

}  // namespace

SectionWriter::SectionWriter(const std::string& path, const SectionFileKind& kind)
    : file_(std::make_unique<OutputFile>(path)) {
  write(kind.magic.data(), magic_bytes);
  write(&byte_order_mark, sizeof byte_order_mark);
  write(&kind.version, sizeof kind.version);
}

SectionWriter::~SectionWriter() = default;

void SectionWriter::write(const void* data, std::size_t bytes) {
  const std::string_view view(static_cast<const char*>(data), bytes);
  checksum_ = checksum_with(checksum_, view);
  file_->write(view);
}

void SectionWriter::add(std::string_view name, std::size_t item_bytes, const void* data, std::size_t items) {
  SectionHeader header{{}, item_bytes, items};
  name.copy(header.name, name_bytes);
  write(&header, sizeof header);
  write(data, item_bytes * items);
  file_->write(&checksum_, sizeof checksum_);
}

void SectionWriter::commit() {
  add(end_name, 1, "", 0);
  file_->commit();
}

SectionReader::SectionReader(std::string_view bytes, const std::string& name, const SectionFileKind& kind)
    : name_(name) {
  if (!bytes.starts_with(kind.magic)) {
    fail("expected the file of " + std::string(kind.what) + ", which begins with the bytes " + std::string(kind.magic));
  }
  std::size_t position = magic_bytes + 2 * sizeof(std::uint32_t);
  if (bytes.size() < position) fail("ends within its header: the file is truncated");
  if (number_at<std::uint32_t>(bytes, magic_bytes) != byte_order_mark) {
    fail("was written with another byte order; expected that of this machine");
  }
  const auto version = number_at<std::uint32_t>(bytes, magic_bytes + sizeof byte_order_mark);
  if (version != kind.version) {
    fail("has version " + std::to_string(version) + " of the file of " + std::string(kind.what) +
         "; expected version " + std::to_string(kind.version));
  }
  std::uint32_t checksum = checksum_with(0, bytes.substr(0, position));
  for (bool at_end = false; !at_end;) {
    const std::string section = "section " + std::to_string(sections_.size() + 1);
    const std::size_t left = bytes.size() - position;
    if (left < sizeof(SectionHeader) + sizeof checksum) fail("ends within " + section + ": the file is truncated");
    const auto header = number_at<SectionHeader>(bytes, position);
    const std::size_t most_bytes = left - sizeof header - sizeof checksum;
    // Division, because the product might overflow.
    if (header.item_bytes == 0 || header.items > most_bytes / header.item_bytes) {
      fail(section + " should have " + std::to_string(header.items) + " items of " + std::to_string(header.item_bytes) +
           " bytes, and " + std::to_string(most_bytes) + " bytes are left: the file is truncated or damaged");
    }
    const std::size_t length = sizeof header + header.items * header.item_bytes;
    checksum = checksum_with(checksum, bytes.substr(position, length));
    if (checksum != number_at<std::uint32_t>(bytes, position + length)) {
      fail("the checksum of " + section + " is not that of the bytes before it: the file is damaged");
    }
    const char* letters = bytes.data() + position;
    sections_.push_back({{letters, static_cast<std::size_t>(std::find(letters, letters + name_bytes, '\0') - letters)},
                         header.item_bytes,
                         bytes.substr(position + sizeof header, length - sizeof header)});
    position += length + sizeof checksum;
    at_end = sections_.back().name == end_name;
  }
  if (position != bytes.size()) fail("there is something else after the end");
  sections_.pop_back();
}

std::string_view SectionReader::take(std::string_view name, std::size_t item_bytes) {
  const bool is_there = taken_ < sections_.size() && sections_[taken_].name == name;
  if (!is_there || sections_[taken_].item_bytes != item_bytes) {
    fail("expected section " + std::to_string(taken_ + 1) + " to be \"" + std::string(name) + "\" with items of " +
         std::to_string(item_bytes) + " bytes");
  }
  return sections_[taken_++].content;
}

void SectionReader::finish() const {
  if (taken_ != sections_.size()) fail("expected " + std::to_string(taken_) + " sections and the end");
}

void SectionReader::fail(const std::string& what) const { throw std::runtime_error(name_ + ": " + what); }

}  // namespace Tessera::Impl
