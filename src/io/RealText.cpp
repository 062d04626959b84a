// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RealText.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace Tessera::Impl {
namespace {

/// Returns whether an out-of-range number is too small (not too large), by the power of ten of its first nonzero digit.
bool is_tiny(std::string_view number) {
  const std::size_t end = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, end);
  const auto first = static_cast<long long>(digits.find_first_of("123456789"));
  const auto point = static_cast<long long>(std::min(digits.find('.'), digits.size()));
  std::string_view exponent = number.substr(std::min(end + 1, number.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  long long power = 0;
  const auto [stop, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  // No text has enough digits to compensate for such an exponent.
  if (error == std::errc::result_out_of_range) return exponent.starts_with('-');
  return power < first - point;  // not power + point < first, which may overflow
}

}  // namespace

template <class Real>
RealStatus convert_real(std::string_view text, Real& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool out_of_range = error == std::errc::result_out_of_range;
  if ((error != std::errc{} && !out_of_range) || stop != end) return RealStatus::NoNumber;
  if (!out_of_range) return RealStatus::Fine;
  if (!is_tiny(text)) return RealStatus::TooLarge;
  value = std::copysign(Real{0}, text.starts_with('-') ? Real{-1} : Real{1});
  return RealStatus::Fine;
}

template RealStatus convert_real(std::string_view, float&);
template RealStatus convert_real(std::string_view, double&);

}  // namespace Tessera::Impl
