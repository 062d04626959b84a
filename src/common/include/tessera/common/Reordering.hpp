// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tessera {

/// The order in which a plan stores the rows of the matrix, and the columns for blocks. X and Y keep their order.
enum class Reordering {
  Automatic,     ///< None, DataAffinity, WindowGrowing or, for blocks, JaccardRows: the fastest, as predicted
  None,          ///< the order that the matrix has
  DegreeSort,    ///< the longest rows first
  ColumnSort,    ///< the shortest columns first (Swift, section IV); only for blocks, other formats gain nothing
  DataAffinity,  ///< communities of the graph, in each the rows with common neighbours (Acc-SpMM, Algorithm 1)
  JaccardRows,   ///< similar rows in windows of a block's height (SMaT, section IV.C, after Sylos Labini et al.)
  WindowGrowing  ///< rows that share columns in windows of up to 128 rows
};

/// All orders, without Automatic.
inline constexpr Reordering every_reordering[] = {Reordering::None,        Reordering::DegreeSort,
                                                  Reordering::ColumnSort,  Reordering::DataAffinity,
                                                  Reordering::JaccardRows, Reordering::WindowGrowing};

/// The name of an order, as programs take it: "affinity", ...
constexpr std::string_view to_string(Reordering reordering) {
  switch (reordering) {
    case Reordering::Automatic:
      return "automatic";
    case Reordering::None:
      return "none";
    case Reordering::DegreeSort:
      return "degree";
    case Reordering::ColumnSort:
      return "columns";
    case Reordering::DataAffinity:
      return "affinity";
    case Reordering::JaccardRows:
      return "jaccard";
    case Reordering::WindowGrowing:
      return "windows";
  }
  return "?";
}

}  // namespace Tessera
