// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/GatherRate.hpp>
#include <tessera/select/Choose.hpp>

namespace Tessera {

/// What a GPU with Tessera's CUDA kernels does in a second; measured on one H200.
///
/// What decides is how often a row of X is fetched, and from where: CSR fetches one for each entry, of which those that
/// rows nearby fetched too come from the multiprocessor's own cache; a tile of a condensed window fetches its eight,
/// all from the cache that is shared, for as many rows of A.
struct GpuModel {
  /// With all of X in use.
  GatherRate gathers[6] = {{4e6, 10.5e12},  {32e6, 9.2e12},  {64e6, 7.3e12},
                           {128e6, 5.8e12}, {512e6, 4.7e12}, {2e9, 4.4e12}};
  double near_gathers = 20e12;     ///< bytes of X from a multiprocessor's own cache
  double streamed = 4.2e12;        ///< bytes of A and Y
  double scattered_rows = 1.3;     ///< cost of a row of Y that is written anywhere, over that of the next one
  double portable_entries = 2e12;  ///< bytes of X that kernels for any device fetch
  double launch = 4e-6;            ///< seconds
  bool has_tile_kernels = true;    ///< for these scalars and this precision
};

/// Predicts a product's time with a format of this size. BitTCF is multiplied on tensor cores where there are kernels
/// for that, which keep its values as whole tiles; formats other than it and CSR by kernels for any device.
Candidate predict(const MatrixStatistics& matrix, const FormatSize& size, const GpuModel& gpu);

/// Predicts a product's time with CSR and, where tensor cores multiply it, BitTCF, before either is built.
Choice choose_format(const MatrixStatistics& matrix, const GpuModel& gpu);

}  // namespace Tessera
