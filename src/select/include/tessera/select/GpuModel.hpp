// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/GatherRate.hpp>
#include <tessera/select/Choose.hpp>

namespace Tessera {

/// What a GPU with Tessera's CUDA kernels does in a second; fitted to products of real matrices on one H200
/// (perf_tests/models, fit_model).
///
/// A product takes a launch; then it is limited by its work, which all multiprocessors share, or by its chain, the
/// longest row or window, which one warp or block takes step by step; some of the shorter of both is seen, too.
///
/// CSR fetches a row of X for each entry; what rows nearby fetched too comes from the multiprocessor's own cache. Tiles
/// move everything once, and take some time each; or they take as long as it takes to fetch what each window of 128
/// rows needs. Staged windows take some time a chunk of rows of X. Where there is no kernel, one for any device
/// multiplies: each element of Y has a thread, which looks into every tile of its row's window.
struct GpuModel {
  static constexpr std::string_view version = "gpu 3, fitted to an H200";

  /// What one warp or block does alone.
  struct Chain {
    double launch;  ///< seconds, of the kernel that it belongs to
    double step;    ///< seconds an entry of a row, a tile of a window, or a chunk
    double piece;   ///< steps at most: longer rows and windows are cut into pieces, those of large matrices into longer
    double bytes;   ///< of a row of X that a step is for: a wider one takes as much longer
  };

  /// With all of X in use.
  GatherRate gathers[6] = {{4e6, 10.1e12},   {32e6, 11.4e12},  {64e6, 9.49e12},
                           {128e6, 6.99e12}, {512e6, 7.74e12}, {2e9, 4.45e12}};
  double first_gathers = 13.1e12;  ///< bytes of X that 8 rows of A fetch first
  double near_gathers = 24.7e12;   ///< bytes of X that they fetch again
  double row = 0.0804e-9;          ///< seconds a row of A and 512 bytes of a row of X
  double streamed = 4.2e12;        ///< bytes of A, X and Y
  double scattered_rows = 1.1;     ///< cost of a row of Y that is written anywhere, over that of the next one
  double whole_tiles = 1e300;      ///< bytes at most that tiles may take; larger ones of BMat are not for tensor cores
  double staged_entries = 1e300;   ///< nonzeros at most that there is memory to stage windows of
  double overlap = 0.52;           ///< share of the shorter of work and chain that adds to the longer

  bool has_rows = true;  ///< there is a kernel for compressed rows
  Chain rows{3.5e-6, 22e-9, 64, 468};
  /// Rows of X of at most so many bytes have a kernel of their own, in which a fetch is for narrow_fetch bytes at
  /// least, elsewhere for thin_fetch. Up to thin_row bytes an entry of a long row takes so many times as long as with
  /// more.
  double narrow_row = 16, narrow_fetch = 32, thin_row = 128, thin_fetch = 120, thin_step = 3.7;
  Chain tiles{2.47e-6, 0.28e-6, 32, 3801};
  Chain tall_tiles{3.51e-6, 0.374e-6, 32, 3527};
  Chain staged{3.98e-6, 0.639e-6, 8, 1e300};
  Chain blocks{2.56e-6, 0.133e-6, 64, 2010};
  /// Kernels for any device: a step looks into a tile; seconds that it and an entry take of one row for one column of X
  /// where all threads are at work; steps that an entry of a long row takes.
  Chain walks{2.34e-6, 0.779e-6, 1e300, 1e300};
  double walked_tile = 1.88e-12, walked_entry = 0.844e-12, entry_step = 0.1;
  double walked_bytes = 2.44e12;  ///< of X, fetched in a second
  /// One team for each column of X takes all entries of sorted columns, one set after the other.
  double team_entry = 17.9e-9;
  double teams = 528;            ///< at a time
  double sums = 4e-6;            ///< seconds of the kernel that adds what pieces give,
  double sum_step = 16.2e-9;     ///< and of each piece of the longest row or window
  double cut_entries = 2097152;  ///< entries beyond which pieces of rows are twice as long
  double cut_tiles = 135168;     ///< tiles beyond which pieces of windows grow, to twice the length
  /// Staged windows and blocks want rows of X that begin at 16 bytes: others are copied, by kernels that take so long.
  double copy = 5.13e-6;
  double copied_columns = 0;  ///< of X, so many at a time, if tiles and blocks have every X copied

  /// Seconds a tile of 8 rows (BitTCF) and 32 columns of X; 0: no kernels for these scalars and this precision.
  double tile = 0.156e-9;
  double tile_gathers = 0.7;       ///< the rate at which tiles fetch, over `gathers`
  double tall_tile = 1.5;          ///< what a tile of 16 rows (BMat) costs, over one of 8
  double block = 0.89;             ///< what 64 places of a block of BCSR cost, over a tile of 8 rows; 0: no kernels
  bool has_narrow_blocks = true;   ///< of 8 x 4, as well as 16 x 8 and 8 x 8
  bool has_square_blocks = false;  ///< of 16 x 16
  double block_density = 0.25;     ///< of entries in BitTCF's tiles; blocks that hold fewer are not worth counting
  /// Seconds a chunk of a staged window and 32 columns of X, in one of the blocks that run at a time; 0: no kernels.
  double staged_chunk = 1.07e-6;
  double staged_blocks = 264;
  double chunk_columns = 64, chunk_values = 1000;  ///< at most
  /// What 64 entries of the block-row partition cost, over a tile of 8 rows; 0: no kernel.
  double partition = 5.4;
  double sorted_bytes = 1.39e12;  ///< of X, that the kernel for sorted columns takes in a second; 0: there is none

  /// For floats. Without staged windows, whose kernel takes 64 columns of floats at a time: of 32 it took 140 us where
  /// CSR takes 105 (FY-RSR, TF32x3), of 128 as long as tiles in registers.
  static GpuModel tf32();
  static GpuModel tf32x3();
  /// For operands of 16 bits, of floats or doubles.
  static GpuModel half();
  /// For floats in their own precision: tensor cores do not multiply them.
  static GpuModel without_tile_kernels();
  /// For complex numbers.
  static GpuModel rows_only();
  /// For GPUs that Tessera has no kernels for.
  static GpuModel portable();
};

/// Predicts a product's time with a format of this size: that of the kernel that would multiply it. BitTCF and BMat are
/// multiplied on tensor cores where there are kernels for that, which keep their values as whole tiles; BCSR is where
/// its blocks have a shape that there is a kernel for. All formats are multiplied by kernels for any device where there
/// are none of their own.
Candidate predict(const MatrixStatistics& matrix, const FormatSize& size, const GpuModel& gpu);

/// Predicts a product's time with CSR and, where tensor cores multiply them, BitTCF, staged windows, BMat and, if
/// its blocks were counted, BCSR, before any is built, and ranks them.
Choice choose_format(const MatrixStatistics& matrix, const GpuModel& gpu);

}  // namespace Tessera
