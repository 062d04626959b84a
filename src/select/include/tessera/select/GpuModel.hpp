// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/GatherRate.hpp>
#include <tessera/select/Choose.hpp>

namespace Tessera {

/// What a GPU with Tessera's CUDA kernels does in a second; fitted to products of ten matrices, in orders of theirs and
/// in orders that were found, on one H200.
///
/// CSR fetches a row of X for each entry; what rows nearby fetched too comes from the multiprocessor's own cache. Tiles
/// move everything once, and take some time each; or they take as long as it takes to fetch what each window of 128
/// rows needs. Staged windows take some time a chunk of rows of X.
struct GpuModel {
  static constexpr std::string_view version = "gpu 1, fitted to an H200";

  /// With all of X in use.
  GatherRate gathers[6] = {{4e6, 10.5e12},  {32e6, 9.2e12},  {64e6, 7.3e12},
                           {128e6, 5.8e12}, {512e6, 4.7e12}, {2e9, 4.4e12}};
  double first_gathers = 9e12;     ///< bytes of X that 8 rows of A fetch first
  double near_gathers = 25e12;     ///< bytes of X that they fetch again
  double short_row = 4;            ///< entries; rows with fewer share nothing that would be seen in the time,
  double wide_short_row = 0.82;    ///< but take this share of it where elements of X have 8 bytes or more
  double streamed = 4.2e12;        ///< bytes of A, X and Y
  double scattered_rows = 1.1;     ///< cost of a row of Y that is written anywhere, over that of the next one
  double portable_entries = 2e12;  ///< bytes of X that kernels for any device fetch
  double launch = 3e-6;            ///< seconds
  double whole_tiles = 1e300;      ///< bytes at most that tiles may take; larger ones of BMat are not for tensor cores
  double staged_entries = 1e300;   ///< nonzeros at most that there is memory to stage windows of

  /// Seconds a tile of 8 rows (BitTCF) and 32 columns of X; 0: no kernels for these scalars and this precision.
  double tile = 0.14e-9;
  double tile_gathers = 0.89;  ///< the rate at which tiles fetch, over `gathers`
  double tall_tile = 2;        ///< what a tile of 16 rows (BMat) costs, over one of 8
  /// Seconds a chunk of a staged window and 32 columns of X, in one of the blocks that run at a time; 0: no kernels.
  double staged_chunk = 1.07e-6;
  double staged_tail = 1.8e-6;  ///< the same of the last piece, whatever the columns: other blocks are done
  double staged_blocks = 264;
  double chunk_columns = 64, chunk_values = 1000;  ///< at most
  double piece_chunks = 16;                        ///< of a window that is cut

  /// For floats. Without staged windows, whose kernel takes 64 columns of floats at a time: of 32 it took 140 us where
  /// CSR takes 105 (FY-RSR, TF32x3), of 128 as long as tiles in registers.
  static GpuModel tf32() {
    GpuModel gpu;
    gpu.staged_chunk = 0;
    gpu.tile = 0.11e-9;
    gpu.tall_tile = 1.3;
    return gpu;
  }
  static GpuModel tf32x3() {
    GpuModel gpu = tf32();
    gpu.tile = 0.13e-9;
    gpu.tall_tile = 1.75;
    return gpu;
  }
  static GpuModel without_tile_kernels() {
    GpuModel gpu;
    gpu.tile = gpu.staged_chunk = 0;
    return gpu;
  }
};

/// Predicts a product's time with a format of this size. BitTCF and BMat are multiplied on tensor cores where there are
/// kernels for that, which keep their values as whole tiles, or have staged windows if size.is_staged. Other formats
/// but CSR are priced as if kernels for any device multiplied them, which take longer than their own.
Candidate predict(const MatrixStatistics& matrix, const FormatSize& size, const GpuModel& gpu);

/// Predicts a product's time with CSR and, where tensor cores multiply them, BitTCF, staged or not, and BMat, before
/// any is built, and ranks them.
Choice choose_format(const MatrixStatistics& matrix, const GpuModel& gpu);

}  // namespace Tessera
