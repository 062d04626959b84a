// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/io/BinaryCsr.hpp>

namespace Tessera::Impl {

constexpr std::int64_t magic_offsets32 = 0x52534354;
constexpr std::int64_t magic_offsets64 = 0x3152534353534554;

/// The types of values, numbered as in the file.
enum class ValueKind : std::int64_t { Float, Double, ComplexFloat, ComplexDouble };

struct BinaryHeader {
  BinaryCsrFormat format = BinaryCsrFormat::Offsets64;
  ValueKind kind = ValueKind::Float;
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  std::size_t bytes = 0;  ///< bytes of the header

  bool is_complex() const { return kind == ValueKind::ComplexFloat || kind == ValueKind::ComplexDouble; }
  std::size_t offset_bytes() const { return format == BinaryCsrFormat::Offsets32 ? 4 : 8; }
  std::size_t value_bytes() const;
};

bool has_binary_csr_magic(std::string_view bytes);

/// Parses and checks the header only. Throws std::runtime_error, naming the file, if a number is out of range.
BinaryHeader parse_binary_header(std::string_view bytes, const std::string& name);

}  // namespace Tessera::Impl
