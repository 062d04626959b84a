// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace Tessera {

namespace Impl {

/// The names of an enum's enumerators, in order from 0. The names of an enum that is printed, read by name or saved are
/// next to its declaration.
template <class Enum>
inline constexpr std::array<std::string_view, 0> enum_names{};

/// An enum whose enumerators have names.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && !enum_names<Enum>.empty();

/// Returns the enumerators of an enum, without the first `first_left_out` and the last `last_left_out` of them.
template <NamedEnum Enum, std::size_t first_left_out = 0, std::size_t last_left_out = 0>
constexpr auto enumerators() {
  std::array<Enum, enum_names<Enum>.size() - first_left_out - last_left_out> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i + first_left_out);
  return all;
}

}  // namespace Impl

/// Returns the name of an enumerator, or "?" for a number that is no enumerator.
template <Impl::NamedEnum Enum>
constexpr std::string_view to_string(Enum value) {
  const auto place = static_cast<std::size_t>(value);
  return place < Impl::enum_names<Enum>.size() ? Impl::enum_names<Enum>[place] : "?";
}

/// Returns the enumerator of that name, if there is one.
template <Impl::NamedEnum Enum>
constexpr std::optional<Enum> enum_named(std::string_view name) {
  for (std::size_t i = 0; i < Impl::enum_names<Enum>.size(); ++i)
    if (Impl::enum_names<Enum>[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace Tessera
