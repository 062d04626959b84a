// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/common/ChunkedRows.hpp>
#include <tessera/common/H200.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/select/LazyNumber.hpp>

namespace Tessera::Impl {

/// The rates of a GPU with Tessera's CUDA kernels. The numbers are for an H200. They were fitted to products of real
/// matrices on an H200 and on an H100, whose memory is slower (perf_tests/models, fit_model).
///
/// The time of a product is the sum of three times: of its launch, of its work, which all multiprocessors share, and of
/// its chain. The chain is the longest row or window, which one warp or block multiplies step by step.
///
/// CSR fetches a row of X for each entry. Rows of X that nearby rows of A have fetched are read from the
/// multiprocessor's own cache if they fit. Row groups fetch a row of X for each column of a group. Meanwhile A, Y and
/// the rows of X that do not fit in the cache of all multiprocessors are read from memory. Rows with many entries in
/// few columns are multiplied against chunks of X in shared memory instead (chunks_pay(), choose_chunked_blocks()).
/// Tiles take the longer of two times, to move A, X and Y through memory and to multiply the tiles, plus a share of the
/// shorter. In each slab of columns, a tile takes a fixed time and a time per column, and a window an additional time.
/// For staged windows, the second time is that of their chunks or of their tiles, whichever is longer. Without a
/// kernel, portable code multiplies: each element of Y has a thread that checks every tile of its row's window.
/// Compressed rows, which lanes share, are predicted in the same way. Nothing was fitted to more than 512 columns.
struct GpuModel {
  /// Name and version of the model.
  static constexpr std::string_view version = "gpu 14, fitted to an H200 and an H100";
  /// Candidates whose predicted times are within this factor cannot be told apart. In nine of ten choices that took
  /// more than 1.05 times the least time, the fastest candidate was predicted within 1.33 of the best one (fit_model).
  /// The fastest candidate within the factor takes 1.001 times the least time in doubles; with 1.4, 1.002.
  static constexpr double ambiguity_ratio = 1.5;

  /// The work of one warp or thread block, step by step. A step is an entry of a row, a tile of a window, or a chunk.
  struct Chain {
    double launch_s;  ///< seconds of the launch of the kernel
    double step_s;    ///< seconds of a step
    double piece;  ///< maximum steps of a piece; longer rows and windows are cut, in large matrices into longer pieces
    double bytes;  ///< bytes of a row of X that a step reads; for wider rows, the time grows in proportion
    /// Seconds of the kernel that adds pieces, per piece of the longest row or window. A piece of a window has 8 or 16
    /// rows of sums.
    double sum_step_s = 55.82e-9;
  };

  /// Rates of gathering rows of X from memory, as a function of the bytes of X in a panel of columns.
  std::array<GatherRate, 6> gathers = H200::product_gathers;
  /// Bytes of A, X and Y streamed per second.
  double streamed = H200::streamed_rate;
  double first_gathers = 8.4e12;       ///< bytes of X fetched per second, for the first reads by 8 rows of A
  double near_gathers = 22.6e12;       ///< bytes of X fetched per second, for repeated reads by the same 8 rows
  double near_cache_bytes = 178e3;     ///< bytes of X that 8 rows of A reuse in a multiprocessor's own cache
  double window_cache_bytes = 32.5e6;  ///< bytes of X that rows of A reuse in the cache of all multiprocessors
  double panel_bytes = 512;            ///< upper bound on the bytes of a row of X that are read at a time
  double row_s = 0.0694e-9;            ///< seconds for a row of A, per 512 bytes of a row of X
  double scattered_rows = 1.1;         ///< time to write a row of Y anywhere, divided by that to write the next row
  /// Bytes of memory beside a format: for whole tiles, without which tensor cores do not multiply BMat, and for
  /// building staged windows. Asking the driver takes as long as a small product, and only these formats need to know.
  LazyNumber free_bytes = 1e300;

  /// Whether the rates were measured on this kind of GPU. On others, plans keep CSR: they take another format only if
  /// it is asked for, or measured to be faster (Tuning).
  bool is_known = true;
  bool has_rows = true;                            ///< whether there is a kernel for compressed rows
  bool has_compact_rows = true;                    ///< whether there is one for compact rows
  Chain rows{2.532e-6, 24.9e-9, 64, 410, 6.6e-9};  ///< the chain of CSR
  double narrow_row_bytes = 32;       ///< upper bound on the bytes of a row of X for the kernel for narrow rows
  double narrow_bytes = 16;           ///< bytes of a row of X that this kernel fetches at a time: up to four columns
  double column_launch_s = 2.5e-6;    ///< seconds of the launch of a product with one column, and of its end
  double column_rows_stream = 0.83;   ///< share of `streamed` at which rows of like length are multiplied by one column
  double column_tiles_stream = 0.65;  ///< the same for tiles of entries
  double column_chunks_stream = 0.55;  ///< the same for rows that are multiplied by chunks of the column
  double column_gather_s = 5.5e-12;    ///< seconds for an element of X that no nearby row has in a cache
  /// Time of compact rows divided by that of compressed rows for several columns, or in tiles; and where rows are long
  /// and the rows of X short, so that a product reads little else than A.
  double compact_columns_ratio = 1.05, compact_narrow_ratio = 0.9;
  double compact_narrow_bytes = 16;   ///< bytes of such a row of X
  double compact_long_row = 20;       ///< mean length of such rows
  double compact_start_s = 0.7e-6;    ///< seconds that a product with compact rows takes longer, without reading them
  double gathered_launch_s = 4e-6;    ///< seconds of a product in gathered tiles, without the terms below
  double gathered_step_s = 10e-9;     ///< seconds for an entry of the longest row in gathered tiles
  double gathered_byte_s = 4e-14;     ///< seconds for a byte of X that an entry gathers
  double gathered_entry_bytes = 64;   ///< work of an entry besides its row of X, in bytes of X
  double narrow_fetch_bytes = 59.38;  ///< bytes charged for each fetch of narrow_bytes or less
  double least_fetch_bytes = 88;      ///< bytes charged at least for a fetch of a row that is not narrow
  double thin_row_bytes = 128;        ///< upper bound on the bytes of a thin row of X
  double entry_bytes = 29.26;         ///< work of an entry besides its fetch, in bytes of X fetched in the same time
  ChunkedMachine chunks = {};  ///< the GPU for which chunks of X are made; without shared memory, there is no kernel
  double thin_step = 1.875;    ///< time of a step of a chain with thin rows of X, divided by that with wider rows
  Chain tiles{1.897e-6, 0.321e-6, 32, 4100};        ///< the chain of BitTCF
  Chain tall_tiles{3.129e-6, 0.3978e-6, 32, 2370};  ///< the chain of BMat
  Chain staged{3.98e-6, 0.6319e-6, 8, 1e300};       ///< the chain of staged windows
  Chain blocks{3.169e-6, 82.71e-9, 64, 4080};       ///< the chain of BCSR
  Chain walks{2.34e-6, 0.646e-6, 1e300, 1e300};     ///< the chain of portable code; a step checks a tile
  /// Seconds of portable code for a tile, per row of A and column of X, while all threads are busy.
  double walked_tile_s = 1.29e-12;
  double walked_entry_s = 0.773e-12;  ///< seconds of portable code for an entry, per column of X, all threads busy
  double entry_step = 0.178;          ///< additional steps of portable code for each entry of the longest row
  double walked_rate = 3.45e12;       ///< bytes of X that portable code fetches per second
  /// Seconds for an entry of sorted columns in portable code, where one team multiplies all entries by a column of X.
  double team_entry_s = 17.9e-9;
  /// Number of teams that run at a time.
  double teams = 4 * H200::multiprocessors;
  double sums_s = 2.518e-6;      ///< seconds of the kernel that adds the sums of pieces
  double cut_entries = 2097152;  ///< entries beyond which pieces are twice as long; below a fourth, half as long
  double wide_row_bytes = 1024;  ///< bytes of a row of X beyond which pieces of small matrices are not shortened
  double cut_tiles = 135168;     ///< tiles beyond which pieces of windows grow, to at most twice the length
  /// Seconds to launch the copy of a panel of columns of X, without reading and writing it.
  double copy_s = 6.346e-6;
  double packed_columns = 128;  ///< columns of an X with LayoutLeft that CSR copies at a time
  double panel_columns = 64;    ///< columns that the kernels for tiles and blocks copy at a time
  double left_columns = 4;      ///< columns that CSR reads at a time from an X with LayoutLeft in place
  double packing_entries =
      H200::packing_entries;    ///< entries that can be read again in the time that a launch to copy X takes
  double left_entry_s = 5e-12;  ///< seconds for an entry and left_columns columns, in addition to streaming A, X and Y
  double left_y_ratio = 2;      ///< added time of tiles and blocks for a Y with LayoutLeft, divided by that to stream Y
  double detect_changes_s = 5e-6;  ///< seconds of the launches that detect changes of values, without reading them
  double rounded_bytes = 0;        ///< bytes of an element of BitTCF's whole tiles if they are stored rounded, else 0
  double copied_columns = 0;  ///< columns of X copied at a time, if tiles and blocks need a copy of every X, else 0

  /// Bytes of rows of X that columns of row groups fetch per second; 0 if there is no kernel. This and the other
  /// members for row groups, except launch and step of their chain, were set by hand for large matrices on an H100: the
  /// fit used mostly small matrices, and its predictions for large ones were too long. `row_s` and the caches above
  /// kept their values for the same reason.
  double group_gathers = 12.5e12;
  double group_stream = 1.5;   ///< time to read row groups and write Y, divided by that to stream them
  double group_overlap = 0.5;  ///< time is the longer of fetching and moving plus this share of the other
  double narrow_groups = 0.4;  ///< added share of the work of row groups for each halving of narrow_row_bytes
  Chain groups{5.239e-6, 10.72e-9, 128, 620, 26.37e-9};  ///< the chain of row groups; a step is a column
  double thin_group_step = 2.75;                         ///< thin_step of row groups
  /// Seconds for a value of row groups and a column of X, besides fetching X; 0 where fetching takes longer anyway.
  double group_value_s = 0;
  double short_group_pieces_bytes =
      170e6;                       ///< pieces of groups become shorter if groups fetch fewer bytes of X than this
  double group_column_bytes = 32;  ///< entry_bytes for a column of row groups
  double least_entries_per_column = 1.25;  ///< groups are not counted if 8 rows have fewer entries per distinct column

  /// Seconds for a tile of 8 rows (BitTCF) and 32 columns of X; 0 if no kernel has these types and this precision.
  double tile_s = 0.16e-9;
  /// The share of `tile_s` that finding and loading a tile of 8 or 16 rows takes in each slab, for any number of
  /// columns. For a block, it is a share of the block's time.
  double tile_alone = 0.6;
  double window_tiles = 1.881;  ///< time of a window in each slab besides its tiles, divided by that of an 8-row tile
  double tile_overlap = 0.4;    ///< time is the longer of multiplying and moving plus this share of the other
  double slab_columns = 32;     ///< columns of X that a warp multiplies at a time, if X has more than 32
  double tall_tile = 1.356;     ///< time of a tile of 16 rows (BMat), divided by that of 8 rows
  /// Time of 64 elements of a block of BCSR, divided by that of a tile of 8 rows; 0 without kernels.
  double block = 1.244;
  bool has_narrow_blocks = true;   ///< whether blocks may be 8 x 4, as well as 16 x 8 and 8 x 8
  bool has_square_blocks = false;  ///< whether blocks may be 16 x 16
  /// Seconds that a thread block takes for two blocks of 64 x 64 of BCSR and up to 128 columns of X, or for a wider
  /// slab; 0 without a kernel.
  double warpgroup_narrow_s = 0, warpgroup_wide_s = 0;
  double warpgroup_slab = 256;       ///< columns that a thread block multiplies, if X has more than 128
  double warpgroup_task_s = 2.5e-6;  ///< seconds of a thread block for any number of blocks, per 128 columns
  double warpgroup_launch_s = 6e-6;  ///< seconds of such a product without its blocks
  double warpgroup_value_bytes = 0;  ///< bytes of an element of these blocks that a plan stores besides the format
  double warpgroup_density = 0.06;   ///< these blocks are not counted if they cannot be as full as this
  double block_density = 0.25;       ///< blocks are not counted if BitTCF's tiles are less full than this
  /// Seconds that a thread block takes for a chunk of a staged window and 32 columns of X; 0 without kernels.
  double staged_chunk_s = 0.8058e-6;
  double staged_tile_s = 0.03621e-6;  ///< seconds for a tile of a staged window, while the next chunk is staged
  double staged_overlap = 0.2246;  ///< time is the longer of moving and multiplying chunks plus this share of the other
  /// Number of thread blocks that run at a time.
  double staged_blocks = 2 * H200::multiprocessors;
  double chunk_columns = 64;   ///< upper bound on the columns of a chunk
  double chunk_values = 1000;  ///< upper bound on the values of a chunk
  /// Time of 64 entries of the block-row partition, divided by that of a tile of 8 rows; 0 without kernel.
  double partition = 5.4;
  double sorted_rate = 1.39e12;  ///< bytes of X that the kernel for sorted columns reads per second; 0 without kernel

  /// Returns the model for a GPU whose memory moves this many bytes per second, computed from the clock and the width
  /// of its bus. Access to memory differs from an H200; access to caches does not.
  GpuModel with_memory(double rate) const;

  /// Returns the model for floats in TF32. It has no staged windows, because their kernel processes 64 columns of
  /// floats at a time: with 32 columns it took 140 us where CSR takes 105 us (FY-RSR, TF32x3); with 128 columns it took
  /// as long as tiles in registers.
  static GpuModel tf32();
  /// Returns the model for floats in TF32x3, also without staged windows.
  static GpuModel tf32x3();
  /// Returns the model for 16-bit operands, for floats and doubles.
  static GpuModel half();
  /// Returns the same model for 16-bit X and Y, which tiles of BitTCF and BMat read and write directly. Other tile
  /// formats are left out, because their kernels would need copies of X and Y.
  static GpuModel half_vectors();
  /// Returns the model for floats in their own precision, in which tensor cores do not multiply.
  static GpuModel without_tile_kernels();
  /// Returns the same model for 16-bit X and Y.
  static GpuModel half_vectors_without_tile_kernels();
  /// Returns the model for complex numbers.
  static GpuModel rows_only();
  /// Returns the model for GPUs for which Tessera has no kernels.
  static GpuModel portable();
};

/// Whether the numbers of GpuModel were measured on GPUs of this kind: H100 and H200 with any memory, but not GH200.
bool has_measured_rates(std::string_view gpu);

/// Predicts the time of a product with a format of this size, for the kernel that would multiply it. The kernels of
/// BitTCF and BMat store values as whole tiles. BCSR has kernels for some block shapes. If a format has no kernel,
/// portable code multiplies.
Candidate predict(const MatrixStatistics& matrix, const FormatSize& size, const GpuModel& gpu);

/// Ranks the candidates by their predicted times, before any of them is built: CSR and BitTCF; row groups if they were
/// counted; and, if tensor cores multiply them, staged windows, BMat and, if its blocks were counted, BCSR.
Choice choose_format(const MatrixStatistics& matrix, const GpuModel& gpu);

}  // namespace Tessera::Impl
