// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

/// Reads the bytes of a plan's file independently of the library, for tests and the fuzzer.
/// tessera/system/impl/SectionFile.hpp describes the layout.
namespace Tessera::Impl::Test {

/// Calls visit(name, offset of the header, offset of the content, bytes of the content) for each section of a file, the
/// end section included, until a length exceeds the file.
template <class Visit>
void for_each_section(std::string_view file, const Visit& visit) {
  for (std::size_t header = 16; header + 44 <= file.size();) {
    std::uint64_t item_bytes = 0, items = 0;
    std::memcpy(&item_bytes, file.data() + header + 24, 8);
    std::memcpy(&items, file.data() + header + 32, 8);
    const std::size_t left = file.size() - header - 44;
    if (item_bytes == 0 || items > left / item_bytes) return;
    const auto bytes = static_cast<std::size_t>(item_bytes * items);
    const std::string_view name = file.substr(header, 24);
    visit(name.substr(0, name.find('\0')), header, header + 40, bytes);
    header += 44 + bytes;
  }
}

/// Returns the file with checksums that match its content.
inline std::string with_right_checksums(std::string file) {
  if (file.size() < 16) return file;
  uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(file.data()), 16);
  for_each_section(file, [&](std::string_view, std::size_t header, std::size_t content, std::size_t bytes) {
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(file.data() + header), 40 + bytes);
    const auto number = static_cast<std::uint32_t>(checksum);
    std::memcpy(file.data() + content + bytes, &number, 4);
  });
  return file;
}

struct PlaceInFile {
  std::size_t header;
  std::size_t content;
  std::size_t bytes;
};

/// Returns the position of the first section with this name.
inline PlaceInFile find_section(std::string_view file, std::string_view wanted) {
  PlaceInFile place{0, 0, 0};
  for_each_section(file, [&](std::string_view name, std::size_t header, std::size_t content, std::size_t bytes) {
    if (place.header == 0 && name == wanted) place = {header, content, bytes};
  });
  if (place.header == 0) throw std::runtime_error("the file has no section " + std::string(wanted));
  return place;
}

/// Returns the number of values that update_values() of the plan in a file expects, or 0 if the file is too short. In
/// the file, it follows the backend's name, the rows, the columns and the nonzeros.
inline std::size_t source_entries(std::string_view file) {
  const PlaceInFile plan = find_section(file, "plan");
  std::uint64_t name_length = 0, entries = 0;
  if (plan.bytes < 40) return 0;
  std::memcpy(&name_length, file.data() + plan.content, 8);
  if (name_length > plan.bytes - 40) return 0;
  std::memcpy(&entries, file.data() + plan.content + 32 + name_length, 8);
  return static_cast<std::size_t>(entries);
}

/// Returns the file with one number of a section replaced, and matching checksums.
template <class Number>
std::string with_number(std::string file, std::string_view section, std::size_t index, Number number) {
  std::memcpy(file.data() + find_section(file, section).content + index * sizeof number, &number, sizeof number);
  return with_right_checksums(std::move(file));
}

}  // namespace Tessera::Impl::Test
