// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "NpyHeader.hpp"
#include "ScalarTraits.hpp"

namespace Tessera::Impl {

/// Returns the number that begins at an address, which need not be aligned.
template <class Number>
Number load_number(const char* address, bool is_swapped) {
  std::array<char, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), address, sizeof(Number));
  if (is_swapped) std::reverse(bytes.begin(), bytes.end());
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(Number));
  return number;
}

/// Returns element `k` of an array of NumPy.
template <class Item>
Item load_item(const char* array, std::size_t k, bool is_swapped) {
  const char* address = array + k * sizeof(Item);
  if constexpr (is_complex<Item>) {
    using Real = RealOf<Item>;
    return {load_number<Real>(address, is_swapped), load_number<Real>(address + sizeof(Real), is_swapped)};
  } else if constexpr (std::is_same_v<Item, bool>) {
    return *address != 0;
  } else {
    return load_number<Item>(address, is_swapped);
  }
}

/// Returns element `k` of an array of integers with 64 bits: int64_t if they have signs, else uint64_t.
template <class Item>
auto load_integer(const char* array, std::size_t k, bool is_swapped) {
  const Item item = load_item<Item>(array, k, is_swapped);
  if constexpr (std::is_signed_v<Item>) {
    return std::int64_t{item};
  } else {
    return std::uint64_t{item};
  }
}

/// Calls visit.template operator()<Item>() for the integers that an array holds. Throws if it holds others.
template <class Visit>
void visit_integers(const NpyHeader& header, const std::string& where, const Visit& visit) {
  const bool is_signed = header.kind == 'i';
  if (header.is_integer()) {
    switch (header.item_bytes) {
      case 1:
        return is_signed ? visit.template operator()<std::int8_t>() : visit.template operator()<std::uint8_t>();
      case 2:
        return is_signed ? visit.template operator()<std::int16_t>() : visit.template operator()<std::uint16_t>();
      case 4:
        return is_signed ? visit.template operator()<std::int32_t>() : visit.template operator()<std::uint32_t>();
      case 8:
        return is_signed ? visit.template operator()<std::int64_t>() : visit.template operator()<std::uint64_t>();
      default:
        break;
    }
  }
  throw std::runtime_error(where + ": has elements of type \"" + header.type +
                           "\", expected integers (i1, i2, i4, i8, u1, u2, u4, u8)");
}

/// Returns whether an array holds numbers that visit_numbers() knows.
inline bool holds_numbers(const NpyHeader& header) {
  const auto has_size = [&](std::initializer_list<std::size_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), header.item_bytes) != sizes.end();
  };
  return (header.is_integer() && has_size({1, 2, 4, 8})) || (header.kind == 'b' && has_size({1})) ||
         (header.kind == 'f' && has_size({4, 8})) || (header.kind == 'c' && has_size({8, 16}));
}

/// Throws unless holds_numbers().
inline void expect_numbers(const NpyHeader& header, const std::string& where) {
  if (holds_numbers(header)) return;
  throw std::runtime_error(where + ": has elements of type \"" + header.type +
                           "\", expected numbers (b1, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, c8, c16)");
}

/// Calls visit.template operator()<Item>() for the numbers that an array holds, complex ones only if with_complex.
///
/// \param header [in] of an array that passed expect_numbers()
template <bool with_complex, class Visit>
void visit_numbers(const NpyHeader& header, const std::string& where, const Visit& visit) {
  const bool is_short = header.item_bytes == (header.is_complex() ? 8 : 4);
  if (header.kind == 'b') return visit.template operator()<bool>();
  if (header.kind == 'f') return is_short ? visit.template operator()<float>() : visit.template operator()<double>();
  if constexpr (with_complex) {
    if (header.is_complex()) {
      return is_short ? visit.template operator()<std::complex<float>>()
                      : visit.template operator()<std::complex<double>>();
    }
  }
  visit_integers(header, where, visit);
}

}  // namespace Tessera::Impl
