// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

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

inline constexpr Reordering every_reordering[] = {Reordering::None,        Reordering::DegreeSort,
                                                  Reordering::ColumnSort,  Reordering::DataAffinity,
                                                  Reordering::JaccardRows, Reordering::WindowGrowing};

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
