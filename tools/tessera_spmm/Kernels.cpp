// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.hpp"

#include <nlohmann/json.hpp>

#include "Formats.hpp"

namespace Tessera::Impl::Driver {

Kernels kernels_of(const std::string& stats, Mode mode) {
  const auto json = nlohmann::json::parse(stats);
  const auto& side = is_transposed(mode) && json["transpose"].is_object() ? json["transpose"] : json;
  const std::string name = side["kernels"];
  const std::size_t last = name.rfind(", in ");
  return {name, last == std::string::npos ? Precision::Native
                                          : enum_named<Precision>(name.substr(last + 5)).value_or(Precision::Native)};
}

}  // namespace Tessera::Impl::Driver
