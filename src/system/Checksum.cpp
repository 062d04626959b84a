// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checksum.hpp"

#include <array>
#include <cstddef>
#include <tessera/system/impl/Parallel.hpp>
#include <vector>

/// A checksum is a polynomial over GF(2), the remainder of a division. Its highest bit is the coefficient of x^0.
namespace Tessera::Impl {
namespace {

constexpr std::uint32_t divisor = 0xedb88320;
constexpr std::uint32_t one = 0x80000000;  // x^0
constexpr std::size_t block_bytes = std::size_t{4} << 20;
constexpr std::size_t step = 8;  // bytes processed at once

constexpr std::uint32_t times_x(std::uint32_t a) { return (a >> 1) ^ ((a & 1) != 0 ? divisor : 0); }

/// Returns a b modulo the divisor.
std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = one; bit != 0; bit >>= 1, b = times_x(b)) sum ^= (a & bit) != 0 ? b : 0;
  return sum;
}

/// Returns x^(8 bytes) modulo the divisor: the factor of a checksum that is followed by this number of bytes.
std::uint32_t shift_by(std::size_t bytes) {
  std::uint32_t power = one;
  for (std::uint32_t square = one >> 8; bytes != 0; bytes >>= 1, square = product(square, square)) {
    if ((bytes & 1) != 0) power = product(power, square);
  }
  return power;
}

/// tables[n][byte]: the remainder of a byte with n bytes after it.
constexpr auto tables = [] {
  std::array<std::array<std::uint32_t, 256>, step> all{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (auto& table : all) {
      for (int bit = 0; bit < 8; ++bit) remainder = times_x(remainder);
      table[byte] = remainder;
    }
  }
  return all;
}();

std::uint32_t checksum_of(std::string_view bytes) {
  std::uint32_t remainder = ~std::uint32_t{0};
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  std::size_t i = 0;
  for (; i + step <= bytes.size(); i += step) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < step; ++k) {
      const std::uint32_t carried = k < 4 ? remainder >> (8 * k) : 0;
      next ^= tables[step - 1 - k][(carried ^ byte_at(i + k)) & 0xff];
    }
    remainder = next;
  }
  for (; i < bytes.size(); ++i) remainder = (remainder >> 8) ^ tables[0][(remainder ^ byte_at(i)) & 0xff];
  return ~remainder;
}

}  // namespace

std::uint32_t checksum_with(std::uint32_t before, std::string_view bytes) {
  const std::size_t blocks = (bytes.size() + block_bytes - 1) / block_bytes;
  const auto block_at = [&](std::size_t block) { return bytes.substr(block * block_bytes, block_bytes); };
  std::vector<std::uint32_t> checksums(blocks);
  parallel_for(blocks > 1 ? thread_count(0) : 1, blocks,
               [&](std::size_t block, int) { checksums[block] = checksum_of(block_at(block)); });
  std::uint32_t all = before;
  for (std::size_t block = 0; block < blocks; ++block)
    all = product(shift_by(block_at(block).size()), all) ^ checksums[block];
  return all;
}

}  // namespace Tessera::Impl
