// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix in any format of the engines. Tests loop over all formats.
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/format/Csr.hpp>
#include <tessera/metrics/FormatTiles.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "Engines.hpp"
#include "EveryFormat.hpp"

namespace Tessera::Impl::Test {

/// The formats of a list of engines, without engines that only reproduce a paper: those share another engine's format.
template <class Memory, class List, class... Done>
struct FormatsOf {
  using type = std::variant<Done...>;
};
template <class Memory, class Kind, class... Rest, class... Done>
struct FormatsOf<Memory, Impl::EngineList<Kind, Rest...>, Done...> {
  using type = typename std::conditional_t<
      Kind::is_paper_alone, FormatsOf<Memory, Impl::EngineList<Rest...>, Done...>,
      FormatsOf<Memory, Impl::EngineList<Rest...>, Done..., typename Kind::template Stored<Memory>>>::type;
};
template <class Memory>
using AnyFormat = typename FormatsOf<Memory, Impl::Engines>::type;

template <class Memory>
struct BuiltFormat {
  AnyFormat<Memory> pattern;
  ValueMap<Memory> values;
};

/// Builds a format from canonical rows.
///
/// \throws std::invalid_argument for Format::Auto
template <class Exec, std::size_t place = 0, class Memory = typename Exec::memory_space>
BuiltFormat<Memory> build_format(const Exec& exec, Format format, const Csr<Memory>& rows,
                                 const FormatParameters& parameters, std::size_t value_bytes) {
  if constexpr (place < std::variant_size_v<AnyFormat<Memory>>) {
    using Stored = std::variant_alternative_t<place, AnyFormat<Memory>>;
    if (Stored::format != format) return build_format<Exec, place + 1>(exec, format, rows, parameters, value_bytes);
    auto built = Stored::build(exec, rows, parameters, value_bytes);
    return {std::move(built.pattern), std::move(built.values)};
  } else {
    throw std::invalid_argument("no such format");
  }
}

template <class Exec>
BuiltCsr<typename Exec::memory_space> to_csr(const Exec& exec, const AnyFormat<typename Exec::memory_space>& A) {
  return std::visit(
      [&](const auto& any) -> BuiltCsr<typename Exec::memory_space> {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, Csr<typename Exec::memory_space>>) {
          return {any, {}};
        } else {
          return Tessera::Impl::to_csr<Exec>(exec, any);
        }
      },
      A);
}

template <class Exec>
std::string validate(const Exec& exec, const AnyFormat<typename Exec::memory_space>& A) {
  return std::visit([&](const auto& any) { return Tessera::Impl::validate<Exec>(exec, any); }, A);
}

}  // namespace Tessera::Impl::Test
