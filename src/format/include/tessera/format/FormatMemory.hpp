// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// @file
/// The bytes that patterns take, and that building them takes, known before they are built.
namespace Tessera {

/// What a matrix takes in a format.
struct FormatMemory {
  std::size_t pattern = 0;  ///< bytes
  std::size_t places = 0;   ///< elements of the array of values; the slot map has as many offsets, that of Csr none
  std::size_t scratch = 0;  ///< bytes that building it takes at once, besides pattern and slot map
  std::size_t tiles = 0;    ///< or blocks; 0 where they are not counted before they are built
};

}  // namespace Tessera
