// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/EnumNames.hpp>

namespace Tessera {

/// In which order a plan stores the rows, and for blocks the columns, of the matrix. X and Y keep theirs.
enum class Reordering {
  Automatic,     ///< the fastest, as predicted, of DataAffinity, WindowGrowing, for blocks JaccardRows, and None
  None,          ///< the order they have
  DegreeSort,    ///< the longest first
  ColumnSort,    ///< columns, the shortest first (Swift, section IV), for blocks; other formats name columns anywhere
  DataAffinity,  ///< communities of the graph, and in each the rows with common neighbours (Acc-SpMM, Algorithm 1)
  JaccardRows,   ///< similar rows in windows of a block's height (SMaT, section IV.C, after Sylos Labini et al.)
  WindowGrowing  ///< rows that share columns in windows of up to 128
};

template <>
inline constexpr std::array<std::string_view, 7> enum_names<Reordering> = {"automatic", "none",    "degree", "columns",
                                                                           "affinity",  "jaccard", "windows"};
static_assert(to_string(Reordering::WindowGrowing) == "windows");

/// All but Automatic.
inline constexpr auto every_reordering = enumerators<Reordering, 1>();

}  // namespace Tessera
