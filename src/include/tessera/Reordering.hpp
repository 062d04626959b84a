// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/EnumNames.hpp>

namespace Tessera {

/// The order in which a plan stores the rows of the matrix and, for blocks, the columns. X and Y keep their order.
enum class Reordering {
  Search,         ///< the one predicted to be the fastest: None, DataAffinity, WindowGrowing, LocalClusters (on
                  ///< devices) or JaccardRows (for blocks)
  None,           ///< the order that the matrix has
  DegreeSort,     ///< the longest rows first
  ColumnSort,     ///< the shortest columns first (Swift, section IV); only for blocks, useless for other formats
  DataAffinity,   ///< communities of the graph; within each, rows with common neighbours (Acc-SpMM, Algorithm 1)
  JaccardRows,    ///< similar rows in windows of a block's height (SMaT, section IV.C, after Sylos Labini et al.)
  WindowGrowing,  ///< rows that share columns in windows of up to 128 rows
  LocalClusters,  ///< similar rows in windows of 8; a row stays in its range of 256 rows
  Auto            ///< on devices, LocalClusters if rows may share many columns; else None
};

/// The names of the orders, as programs read and print them.
template <>
inline constexpr std::array<std::string_view, 9> Impl::enum_names<Reordering> = {
    "search", "none", "degree", "columns", "affinity", "jaccard", "windows", "local_clusters", "auto"};
static_assert(to_string(Reordering::Auto) == "auto");

namespace Impl {

/// All orders, without Search and Auto.
inline constexpr auto every_reordering = enumerators<Reordering, 1, 1>();

}  // namespace Impl

}  // namespace Tessera
