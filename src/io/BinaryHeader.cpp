// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BinaryHeader.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace Tessera::Impl {
namespace {

static_assert(std::endian::native == std::endian::little, "binary CSR files are little-endian and copied as they are");

std::int64_t field(std::string_view bytes, std::size_t number) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + number * sizeof value, sizeof value);
  return value;
}

std::int64_t checked_field(std::string_view bytes, std::size_t number, std::int64_t largest, const char* what,
                           const std::string& name) {
  const std::int64_t value = field(bytes, number);
  if (value < 0 || value > largest) {
    throw std::runtime_error(name + ": the header gives " + std::to_string(value) + " for " + what +
                             ", expected 0 to " + std::to_string(largest));
  }
  return value;
}

}  // namespace

std::size_t BinaryHeader::value_bytes() const {
  const std::size_t part = kind == ValueKind::Float || kind == ValueKind::ComplexFloat ? 4 : 8;
  return is_complex() ? 2 * part : part;
}

bool has_binary_csr_magic(std::string_view bytes) {
  if (bytes.size() < sizeof(std::int64_t)) return false;
  const std::int64_t magic = field(bytes, 0);
  return magic == magic_offsets32 || magic == magic_offsets64;
}

BinaryHeader parse_binary_header(std::string_view bytes, const std::string& name) {
  if (!has_binary_csr_magic(bytes)) {
    throw std::runtime_error(name +
                             ": expected a binary CSR file, which begins with the 64-bit number 0x52534354 or "
                             "with the bytes TESSCSR1");
  }
  BinaryHeader header;
  const bool is_wide = field(bytes, 0) == magic_offsets64;
  header.format = is_wide ? BinaryCsrFormat::Offsets64 : BinaryCsrFormat::Offsets32;
  header.bytes = (is_wide ? 5 : 4) * sizeof(std::int64_t);
  if (bytes.size() < header.bytes) {
    throw std::runtime_error(name + ": ends within its header, expected " + std::to_string(header.bytes) +
                             " bytes, found " + std::to_string(bytes.size()));
  }
  constexpr std::int64_t largest_extent = std::numeric_limits<Ordinal>::max();
  const std::int64_t largest_count =
      is_wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
  std::size_t number = 1;
  if (is_wide) header.kind = static_cast<ValueKind>(checked_field(bytes, number++, 3, "the kind of the values", name));
  header.rows = static_cast<Ordinal>(checked_field(bytes, number++, largest_extent, "the number of rows", name));
  header.columns = static_cast<Ordinal>(checked_field(bytes, number++, largest_extent, "the number of columns", name));
  header.nonzeros =
      static_cast<std::size_t>(checked_field(bytes, number, largest_count, "the number of nonzeros", name));
  return header;
}

}  // namespace Tessera::Impl
