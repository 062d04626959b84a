// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <iterator>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/Reordering.hpp>
#include <utility>
#include <vector>

namespace Tessera::Driver {

inline std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (Format format : every_format) names.emplace_back(to_string(format));
  return names;
}

/// The formats that a value of --format stands for.
inline std::vector<Format> formats_named(const std::string& name) {
  if (name == "all") return {std::begin(every_format), std::end(every_format)};
  for (Format format : every_format) {
    if (name == to_string(format)) return {format};
  }
  return {Format::Automatic};
}

inline std::vector<std::string> reordering_names() {
  std::vector<std::string> names;
  for (Reordering reordering : every_reordering) names.emplace_back(to_string(reordering));
  return names;
}

/// The reorderings that a value of --reorder stands for.
inline std::vector<Reordering> reorderings_named(const std::string& name) {
  if (name == "all") return {std::begin(every_reordering), std::end(every_reordering)};
  for (Reordering reordering : every_reordering) {
    if (name == to_string(reordering)) return {reordering};
  }
  return {Reordering::Automatic};
}

/// The rows of the table: formats in all orders, but one that has an order of its own in that alone.
inline std::vector<std::pair<Format, Reordering>> products_named(const std::string& formats,
                                                                 const std::string& orders) {
  std::vector<std::pair<Format, Reordering>> products;
  for (Format format : formats_named(formats)) {
    for (Reordering reordering : reorderings_named(orders)) {
      const bool has_own = format == Format::SortedColumns && reordering != Reordering::None;
      if (!has_own || orders != "all") products.emplace_back(format, reordering);
    }
  }
  return products;
}

}  // namespace Tessera::Driver
