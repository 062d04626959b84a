// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <optional>
#include <tessera/select/GpuModel.hpp>
#include <utility>
#include <vector>

#include "Candidates.hpp"

namespace Tessera {

namespace {

constexpr double tile_columns = 32;  // columns of X that the seconds of a tile are for
constexpr double cache_line = 128;   // bytes that a cache looks up at a time

/// Bytes of a row of X.
double row_bytes(const MatrixStatistics& m) { return m.vector_columns * m.vector_bytes; }

double y_bytes(const MatrixStatistics& m, const GpuModel& gpu) {
  return m.rows * row_bytes(m) * (m.is_reordered ? gpu.scattered_rows : 1);
}

/// Bytes of the part of a row of X that CSR and row groups take at a time: wide rows are taken a panel of columns after
/// the other. Tiles take all columns of a window before they go on.
double panel_row_bytes(const MatrixStatistics& m, const GpuModel& gpu) {
  return std::min(row_bytes(m), gpu.panel_bytes);
}

/// The rows of X that come from memory. Each window of as many rows as the cache has room for fetches its distinct
/// columns once; what a window of 128 rows has no room for comes from memory at each fetch. A window that is twice as
/// high has 2 * growth times the columns, as one of 128 rows has of one of 64.
///
/// \param fetches [in] rows that a kernel fetches, from wherever; all come from memory if nothing was counted
/// \param taken   [in] bytes of a row of X that are taken at a time
double rows_from_memory(const MatrixStatistics& m, double fetches, double taken, const GpuModel& gpu) {
  const double columns = m.window128_columns;
  if (columns == 0) return fetches;
  const double windows = std::ceil(m.rows / 128);
  const double room = gpu.window_cache / (columns / windows * taken);  // in windows of 128 rows
  if (room <= 1) return fetches - room * std::max(0.0, fetches - columns);
  const double growth = m.window64_columns > 0 ? std::clamp(columns / m.window64_columns, 0.5, 1.0) : 1;
  const double doublings = std::min(std::log2(room) / std::log2(std::max(2 * growth, 1.01)), std::log2(windows));
  return std::max(std::min(m.columns, columns), columns * std::pow(growth, doublings));
}

/// Seconds for fetching rows of X from memory.
double window_seconds(const MatrixStatistics& m, double fetches, double taken, const GpuModel& gpu) {
  return rows_from_memory(m, fetches, taken, gpu) * row_bytes(m) / gather_rate(gpu.gathers, m.columns * taken);
}

/// The seconds of a kernel: of its launch, of its work, and of its chain.
///
/// \param work   [in] seconds of the work that all multiprocessors share
/// \param steps  [in] steps of the longest row or window
/// \param growth [in] factor of the length of the pieces that long rows and windows are cut into
double seconds_of(const GpuModel::Chain& chain, double work, double steps, double growth, const MatrixStatistics& m,
                  const GpuModel& gpu) {
  const double piece = chain.piece * growth, widths = std::max(1.0, row_bytes(m) / chain.bytes);
  const double alone = chain.step * std::min(steps, piece) * widths;
  const double sums = steps > piece ? gpu.sums + chain.sum_step * steps / piece * widths : 0;
  return chain.launch + work + alone + sums;
}

/// The length of the pieces of long rows, over that in matrices of middle size. Pieces of large matrices are twice as
/// long. Small matrices are not cut if no row is very long; if one is, pieces are half as long, but for wide rows of X.
double csr_piece_growth(const MatrixStatistics& m, const GpuModel& gpu) {
  if (m.nonzeros >= gpu.cut_entries) return 2;
  if (m.longest_row <= gpu.rows.piece) return 1;
  const bool is_small = m.rows < H200::small_rows && m.nonzeros < H200::small_entries;
  if (is_small && m.longest_row <= H200::uncut_row) return H200::uncut_row / gpu.rows.piece;
  return m.nonzeros < gpu.cut_entries / 4 && row_bytes(m) <= gpu.wide_row ? 0.5 : 1;
}

/// Each entry fetches a row of X from a cache: from the nearest one, if 8 rows of A use the row again and it is still
/// there. A shorter row takes as long as a cache line. The kernel for narrow rows fetches a few columns at a time, each
/// lane from another row. Meanwhile A, Y and the rows of X that no cache holds move through memory.
double csr_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  const bool is_narrow = row_bytes(m) <= gpu.narrow_row;
  const double fetched = is_narrow ? gpu.narrow_fetch * std::ceil(row_bytes(m) / gpu.narrow_bytes)
                                   : std::max(row_bytes(m), cache_line) + gpu.entry_bytes;
  const double near = m.window8_columns > 0 ? m.window8_columns : m.nonzeros;
  const double kept = std::min(1.0, gpu.near_cache / (near / std::ceil(m.rows / 8) * row_bytes(m)));
  const double again = kept * (m.nonzeros - near);
  const double cached = (m.nonzeros - again) / gpu.first_gathers + again / gpu.near_gathers;
  const double rows = gpu.row * m.rows * fetched / 512;
  const double moved =
      window_seconds(m, m.nonzeros, panel_row_bytes(m, gpu), gpu) + (bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double work = std::max(cached * fetched, moved) + rows;
  GpuModel::Chain chain = gpu.rows;
  if (!is_narrow && row_bytes(m) <= gpu.thin_row) chain.step *= gpu.thin_step;
  return seconds_of(chain, work, m.longest_row, csr_piece_growth(m, gpu), m, gpu);
}

/// Seconds for copying X to rows in panels of this many columns.
double pack_seconds(const MatrixStatistics& m, double panel_columns, const GpuModel& gpu) {
  return std::ceil(m.vector_columns / panel_columns) * gpu.copy + 2 * m.columns * row_bytes(m) / gpu.streamed;
}

/// Compressed rows, with X and Y as they are. Columns that are apart are read where they lie, a few at a time, if they
/// are few, A is small, or A has less than four entries for each row of X; otherwise X is copied to rows first.
double csr_seconds_by_layout(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  if (!m.layout_left || m.vector_columns <= gpu.left_columns) return csr_seconds(m, bytes, gpu);
  const double slabs = std::ceil(m.vector_columns / gpu.left_columns);
  if (m.nonzeros >= 4 * m.columns && (slabs - 1) * m.nonzeros >= gpu.packing_entries)
    return csr_seconds(m, bytes, gpu) + pack_seconds(m, gpu.packed_columns, gpu);
  const double slab_bytes = bytes + gpu.left_columns * m.vector_bytes * (m.rows + m.columns);
  const double work = slabs * (slab_bytes / gpu.streamed + gpu.left_entry * m.nonzeros);
  MatrixStatistics slab = m;
  slab.vector_columns = gpu.left_columns;
  return seconds_of(gpu.rows, work, m.longest_row, csr_piece_growth(m, gpu), slab, gpu);
}

ChunkedProblem chunked_problem(const MatrixStatistics& m, double vector_columns) {
  return {m.rows, m.columns, m.nonzeros, vector_columns, m.matrix_bytes};
}

/// Whether compressed rows are multiplied against chunks of X in shared memory. Vectors have the type of the matrix. X
/// whose columns are apart comes in panels.
bool takes_chunks(const MatrixStatistics& m, const GpuModel& gpu) {
  const double at_once = m.layout_left ? std::min(m.vector_columns, gpu.panel_columns) : m.vector_columns;
  return m.vector_bytes == m.matrix_bytes && chunks_pay(chunked_problem(m, at_once), gpu.chunks);
}

/// The number of tiles that all rows look into, and that the longest row looks into, in tiles of BitTCF.
struct Walk {
  double tiles = 0, longest = 0;
};

/// Each row looks into the tiles of its window. A tile of BMat has twice as many words as one of BitTCF. In the
/// block-row partition a row looks at every entry of its window; 16 entries count as a tile.
Walk walk_of(const MatrixStatistics& m, const FormatSize& size) {
  switch (size.format) {
    case Format::BitTcf:
    case Format::Staged:
      return {8 * size.tiles, m.window8_most_tiles};
    case Format::Bmat:
      return {2 * 16 * size.tiles, 2 * m.window16_most_tiles};
    case Format::Bcsr:
      return {std::max(m.bcsr_block_rows, 1.0) * size.tiles,
              m.window8_most_tiles * 8 / std::max(m.bcsr_block_columns, 1.0)};
    case Format::Csr:
    case Format::RowGroups:  // a row looks at the columns of its group, most of which are its own
      return {};
    default:  // the block-row partition, and any format without a case of its own
      return {m.nonzeros, std::max(m.longest_row, m.window64_most_entries / 4) / 16};
  }
}

/// Seconds of a product by portable code.
double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (size.format == Format::SortedColumns)
    return gpu.walks.launch + gpu.team_entry * m.nonzeros * std::ceil(m.vector_columns / gpu.teams);
  const Walk walk = walk_of(m, size);
  const double looked = m.vector_columns * (gpu.walked_tile * walk.tiles + gpu.walked_entry * m.nonzeros);
  const double work =
      std::max(looked, m.nonzeros * row_bytes(m) / gpu.walked_bytes) + (size.bytes + y_bytes(m, gpu)) / gpu.streamed;
  return seconds_of(gpu.walks, work, walk.longest + gpu.entry_step * m.longest_row, 1, m, gpu);
}

/// The tiles of a format. A warp multiplies a window with a slab of columns of X.
struct Tiles {
  double count;    ///< number of tiles
  double windows;  ///< number of windows
  double alone;    ///< seconds of a tile in each slab, however many columns the slab has
  double columns;  ///< seconds of a tile for 32 columns, besides
};

/// \param seconds [in] of a tile and 32 columns of X
Tiles tiles_of(double count, double windows, double alone, double seconds) {
  return {count, std::ceil(windows), alone, seconds - alone};
}

/// Seconds of the work of multiplying tiles. Meanwhile A, Y and the rows of X that no cache holds move through memory.
///
/// \param bytes [in] bytes of the format, with values as they are multiplied
double tile_work(const MatrixStatistics& m, const Tiles& tiles, double bytes, const GpuModel& gpu) {
  const double slab = m.vector_columns <= tile_columns ? tile_columns : gpu.slab_columns;
  const double slabs = std::ceil(m.vector_columns / slab);
  const double multiplied = tiles.count * (tiles.alone * slabs + tiles.columns * m.vector_columns / tile_columns) +
                            gpu.window_tiles * gpu.tile * tiles.windows * slabs;
  const double fetches = m.window8_columns > 0 ? m.window8_columns : m.nonzeros;
  const double x = std::max(m.columns * row_bytes(m) / gpu.streamed, window_seconds(m, fetches, row_bytes(m), gpu));
  const double moved = (bytes + y_bytes(m, gpu)) / gpu.streamed + x;
  return std::max(moved, multiplied) + gpu.tile_overlap * std::min(moved, multiplied);
}

/// Bytes of the format with whole tiles of `places` places in place of compact values.
double bytes_of_whole(const MatrixStatistics& m, const FormatSize& size, double places, double place_bytes) {
  return size.bytes + places * size.tiles * place_bytes - m.nonzeros * m.matrix_bytes;
}

/// Seconds for copying X, and for writing a Y whose columns are apart. Some models copy every X, one panel of columns
/// after the other. The others copy an X whose columns are apart, or whose rows are not aligned as the kernel needs.
double copy_seconds(const MatrixStatistics& m, bool wants_aligned, const GpuModel& gpu) {
  const double y = m.layout_left ? gpu.left_y * y_bytes(m, gpu) / gpu.streamed : 0;
  if (gpu.copied_columns > 0) return y + pack_seconds(m, gpu.copied_columns, gpu);
  if (m.layout_left) return y + pack_seconds(m, gpu.panel_columns, gpu);
  return wants_aligned && std::fmod(row_bytes(m), 16) != 0 ? pack_seconds(m, m.vector_columns, gpu) : 0;
}

/// X whose columns are apart, or whose rows are not aligned, is copied and multiplied in panels of columns.
double chunked_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  const bool is_copied = m.layout_left || std::fmod(row_bytes(m), 16) != 0;
  const double panel = is_copied ? std::min(m.vector_columns, gpu.panel_columns) : m.vector_columns;
  const Ordinal chunks = Chunks::of(static_cast<Ordinal>(m.columns), gpu.chunks.shared_bytes).count;
  GpuModel native = gpu;  // whose kernels read X where it is, whatever tiles do
  native.copied_columns = 0;
  return copy_seconds(m, true, native) +
         std::ceil(m.vector_columns / panel) *
             choose_chunked_blocks(chunked_problem(m, panel), chunks, gpu.chunks.multiprocessors).seconds;
}

double bittcf_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const Tiles tiles = tiles_of(size.tiles, m.rows / 8, gpu.tile_alone * gpu.tile, gpu.tile);
  const double place_bytes = gpu.rounded_bytes > 0 ? gpu.rounded_bytes : m.matrix_bytes;
  const double work = tile_work(m, tiles, bytes_of_whole(m, size, 64, place_bytes), gpu);
  return copy_seconds(m, m.vector_bytes == 2, gpu) +
         seconds_of(gpu.tiles, work, m.window8_most_tiles, std::clamp(size.tiles / gpu.cut_tiles, 1.0, 2.0), m, gpu);
}

double bmat_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const Tiles tiles = tiles_of(size.tiles, m.rows / 16, gpu.tile_alone * gpu.tile, gpu.tall_tile * gpu.tile);
  const double work = tile_work(m, tiles, bytes_of_whole(m, size, 128, m.matrix_bytes), gpu);
  return copy_seconds(m, m.vector_bytes == 2, gpu) + seconds_of(gpu.tall_tiles, work, m.window16_most_tiles,
                                                                std::clamp(size.tiles / gpu.cut_tiles, 1.0, 2.0), m,
                                                                gpu);
}

/// Blocks of 16 x 16 are multiplied with values that the plan keeps in 16 bits.
///
/// NOTE: the longest row of blocks is not counted. It is taken to be as long as the longest window.
double bcsr_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double places = m.bcsr_block_rows * m.bcsr_block_columns, block = gpu.block * gpu.tile * places / 64;
  const double saved = places == 256 ? m.matrix_bytes - 2 : 0;
  const double longest = m.window8_most_tiles * 8 / std::max(m.bcsr_block_columns, 1.0);
  const Tiles blocks = tiles_of(size.tiles, m.rows / m.bcsr_block_rows, gpu.tile_alone * block, block);
  return copy_seconds(m, true, gpu) + seconds_of(gpu.blocks,
                                                 tile_work(m, blocks, size.bytes - saved * places * size.tiles, gpu),
                                                 longest, 1, m, gpu);
}

/// Whether there is a kernel for staged windows and memory to build them, and their columns were counted.
bool can_stage(const MatrixStatistics& m, const GpuModel& gpu) {
  return gpu.staged_chunk > 0 && m.window64_columns > 0 && m.nonzeros <= gpu.staged_entries;
}

/// Strips of staged windows have about the tiles of BitTCF, and store compact values. The last chunk of a window is
/// half full on average. A chunk takes as long as it is staged, or as the tiles of the one before are multiplied
/// meanwhile: graphs have 8 tiles in a chunk, dense rows 28 to 39. Pieces have 8 to 64 chunks; the model makes them
/// longer the more a block has to do, which is about what choose_staged() does.
double staged_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  const double windows = std::ceil(m.rows / 64);
  const double chunks = std::max(m.window64_columns / gpu.chunk_columns + windows / 2, m.nonzeros / gpu.chunk_values);
  const double slabs = std::ceil(m.vector_columns / tile_columns);
  const double rounds = chunks / gpu.staged_blocks * slabs;
  const double longest =
      std::ceil(std::max(m.window64_most_columns / gpu.chunk_columns, m.window64_most_entries / gpu.chunk_values));
  const double a_and_y = (m.nonzeros * m.matrix_bytes + 48 * m.bittcf_tiles + y_bytes(m, gpu)) / gpu.streamed;
  const double moved = a_and_y + window_seconds(m, m.window64_columns, row_bytes(m), gpu),
               chunked =
                   std::max(gpu.staged_chunk * rounds, gpu.staged_tile * m.bittcf_tiles / gpu.staged_blocks * slabs);
  const double work = std::max(moved, chunked) + gpu.staged_overlap * std::min(moved, chunked);
  return copy_seconds(m, true, gpu) + seconds_of(gpu.staged, work, longest, std::clamp(rounds / 16, 1.0, 8.0), m, gpu);
}

/// The columns of the longest group, if groups have as many times the entries of a row as they have on average.
double longest_group(const MatrixStatistics& m) {
  if (m.row_groups == 0) return m.longest_row;
  return m.longest_row * std::max(1.0, m.group_columns / m.row_groups * m.rows / m.nonzeros);
}

/// The columns of all groups fetch rows of X from caches, while A, Y and what windows fetch for the first time move
/// through memory. Where X has 16 bits, it is fetched in half the time and multiplied in as many instructions.
double row_groups_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double multiplied = gpu.group_value * m.group_values * m.vector_columns;
  const double fetched = size.tiles * (row_bytes(m) + gpu.group_column_bytes) / gpu.group_gathers + multiplied;
  const double moved = window_seconds(m, size.tiles, panel_row_bytes(m, gpu), gpu) +
                       gpu.group_stream * (size.bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double work = std::max(fetched, moved) + gpu.group_overlap * std::min(fetched, moved);
  GpuModel::Chain chain = gpu.groups;
  if (row_bytes(m) <= gpu.thin_row) chain.step *= gpu.thin_group_step;
  GpuModel native = gpu;  // whose kernels read X where it is, whatever tiles do
  native.copied_columns = 0;
  const double growth = std::clamp(size.tiles * row_bytes(m) / gpu.short_group_pieces, 0.25, 1.0);
  return copy_seconds(m, true, native) + seconds_of(chain, work, longest_group(m), growth, m, gpu);
}

/// Sorted columns copy every X.
double sorted_columns_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double x = m.nonzeros * (row_bytes(m) + gpu.entry_bytes) / gpu.sorted_bytes;
  return gpu.rows.launch + gpu.copy + x + (size.bytes + y_bytes(m, gpu) + 2 * m.columns * row_bytes(m)) / gpu.streamed;
}

/// Up to 32 columns take as long as 32.
double partition_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double seconds = gpu.partition * gpu.tile * std::max(1.0, tile_columns / m.vector_columns);
  const Tiles tiles = tiles_of(m.nonzeros / 64, 0, 0, seconds);
  const double work = tile_work(m, tiles, size.bytes, gpu);
  const double copy = m.layout_left ? copy_seconds(m, false, gpu) : 0;
  return copy + seconds_of(gpu.tall_tiles, work, m.window16_most_tiles, 1, m, gpu);
}

/// Whether there is a kernel for blocks of this shape, and memory for what it keeps.
bool has_blocks(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (gpu.block == 0) return false;
  const auto is_block = [&](double rows, double columns) {
    return m.bcsr_block_rows == rows && m.bcsr_block_columns == columns;
  };
  if (is_block(16, 16)) return gpu.has_square_blocks && 2 * 256 * size.tiles <= gpu.whole_tiles;
  return is_block(16, 8) || is_block(8, 8) || (is_block(8, 4) && gpu.has_narrow_blocks);
}

/// Seconds with the kernel for the format; nothing if there is none.
std::optional<double> own_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double tall_bytes = (128 * m.matrix_bytes + 16) * size.tiles + m.offset_bytes * (size.tiles + 1);
  switch (size.format) {
    case Format::Csr:
      if (gpu.has_rows && takes_chunks(m, gpu)) return chunked_seconds(m, gpu);
      if (gpu.has_rows) return csr_seconds_by_layout(m, size.bytes, gpu);
      break;
    case Format::BitTcf:
      if (gpu.tile > 0) return bittcf_seconds(m, size, gpu);
      break;
    case Format::Bmat:
      if (gpu.tile > 0 && tall_bytes <= gpu.whole_tiles) return bmat_seconds(m, size, gpu);
      break;
    case Format::Bcsr:
      if (has_blocks(m, size, gpu)) return bcsr_seconds(m, size, gpu);
      break;
    case Format::BlockRowPartition:
      if (gpu.partition > 0) return partition_seconds(m, size, gpu);
      break;
    case Format::Staged:
      if (can_stage(m, gpu)) return staged_seconds(m, gpu);
      break;
    case Format::RowGroups:
      if (gpu.group_gathers > 0) return row_groups_seconds(m, size, gpu);
      break;
    case Format::SortedColumns:
      if (gpu.sorted_bytes > 0) return sorted_columns_seconds(m, size, gpu);
      break;
    default:
      break;
  }
  return std::nullopt;
}

double format_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (m.nonzeros == 0) return gpu.rows.launch;
  const std::optional<double> own = own_seconds(m, size, gpu);
  if (own) return *own;
  // Hardly any product without a kernel was faster than CSR with its kernel, so a prediction must not say so.
  const double least = gpu.has_rows ? 1.05 * csr_seconds_by_layout(m, Impl::csr_bytes(m), gpu) : 0;
  return std::max(least, portable_seconds(m, size, gpu));
}

/// What tensor cores have in common that do not multiply in FP64.
GpuModel tiles_of_floats() {
  GpuModel gpu;
  gpu.partition = 4.6;
  gpu.has_narrow_blocks = false;
  gpu.slab_columns = 64;
  gpu.staged_chunk = 0;
  return gpu;
}

/// CSR and row groups with X and Y of 16 bits, and values and sums of float.
GpuModel rows_of_halves(GpuModel gpu) {
  gpu.near_gathers = 15.92e12;
  gpu.near_cache = 138.6e3;
  gpu.row = 0.08371e-9;
  gpu.rows = {3.093e-6, 31.58e-9, 64, 430, 26.37e-9};
  gpu.narrow_row = 16;
  gpu.narrow_bytes = 8;
  gpu.narrow_fetch = 47.41;
  gpu.entry_bytes = 9.384;
  gpu.thin_step = 1.407;
  gpu.copy = 3.275e-6;
  gpu.group_gathers = 15.85e12;
  gpu.group_value = 40.5e-15;
  gpu.group_stream = 1.902;
  gpu.group_overlap = 0.692;
  gpu.groups = {4.183e-6, 7.186e-9, 128, 890, 26.37e-9};
  gpu.thin_group_step = 2.819;
  return gpu;
}

}  // namespace

GpuModel GpuModel::with_memory(double rate) const {
  GpuModel model = *this;
  if (!(rate > 0) || std::isinf(rate)) return model;
  const double share = rate / H200::memory_rate;
  model.streamed *= share;
  // An X of up to 32 MB stays in the cache; of one of 256 MB and more, all gathers come from memory.
  constexpr double cached = 32e6, uncached = 256e6;
  for (GatherRate& gather : model.gathers) {
    const double from_memory = std::clamp(std::log(gather.footprint / cached) / std::log(uncached / cached), 0.0, 1.0);
    gather.bytes *= std::pow(share, from_memory);
  }
  return model;
}

GpuModel GpuModel::tf32() {
  GpuModel gpu = tiles_of_floats();
  gpu.tile = 0.1567e-9;
  gpu.tall_tile = 1.234;
  gpu.block = 0.9749;
  gpu.tiles = {2.108e-6, 0.244e-6, 32, 3440};
  gpu.tall_tiles = {2.942e-6, 0.2321e-6, 32, 3440};
  gpu.blocks = {3.599e-6, 64.55e-9, 64, 3440};
  return gpu;
}

GpuModel GpuModel::tf32x3() {
  GpuModel gpu = tiles_of_floats();
  gpu.tile = 0.1906e-9;
  gpu.tall_tile = 1.51;
  gpu.block = 0.9559;
  gpu.tiles = {2.387e-6, 0.28e-6, 32, 3440};
  gpu.tall_tiles = {3.066e-6, 0.3058e-6, 32, 3440};
  gpu.blocks = {3.593e-6, 0.161e-6, 64, 3440};
  return gpu;
}

GpuModel GpuModel::half() {
  GpuModel gpu = tiles_of_floats();
  gpu.has_square_blocks = true;
  gpu.slab_columns = 128;
  gpu.tile = 0.1889e-9;
  gpu.tall_tile = 1.249;
  gpu.block = 0.2799;
  gpu.tiles = {0.546e-6, 0.2171e-6, 32, 3440};
  gpu.tall_tiles = {0.9555e-6, 0.2207e-6, 32, 3440};
  gpu.blocks = {2.532e-6, 13.92e-9, 64, 3440};
  gpu.block_density = 0.1;
  gpu.copied_columns = 128;
  gpu.rounded_bytes = 2;
  return gpu;
}

GpuModel GpuModel::half_vectors() {
  GpuModel gpu = rows_of_halves(half());
  gpu.tile = 0.1597e-9;
  gpu.tile_alone = 0.8309;
  gpu.window_tiles = 1.426;
  gpu.tile_overlap = 0.4617;
  gpu.tall_tile = 1.27;
  gpu.tiles = {3.017e-6, 0.1388e-6, 32, 990};
  gpu.tall_tiles = {3.51e-6, 0.144e-6, 32, 690};
  gpu.copied_columns = 0;
  gpu.staged_chunk = gpu.block = gpu.partition = gpu.sorted_bytes = 0;
  return gpu;
}

GpuModel GpuModel::half_vectors_without_tile_kernels() { return rows_of_halves(without_tile_kernels()); }

GpuModel GpuModel::without_tile_kernels() {
  GpuModel gpu;
  gpu.tile = gpu.staged_chunk = gpu.block = gpu.partition = 0;
  return gpu;
}

GpuModel GpuModel::rows_only() {
  GpuModel gpu = without_tile_kernels();
  gpu.sorted_bytes = 0;
  gpu.chunks.shared_bytes = 0;
  return gpu;
}

GpuModel GpuModel::portable() {
  GpuModel gpu = rows_only();
  gpu.has_rows = false;
  gpu.group_gathers = 0;
  return gpu;
}

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double watched = Impl::watched_bytes(m, size.format);
  const double look = watched > 0 ? gpu.look + watched / gpu.streamed : 0;
  return {size.format, size.tiles, size.bytes, format_seconds(m, size, gpu) + look};
}

Choice choose_format(const MatrixStatistics& m, const GpuModel& gpu) {
  std::vector<Candidate> candidates{predict(m, {Format::Csr, 0, Impl::csr_bytes(m)}, gpu),
                                    predict(m, {Format::BitTcf, m.bittcf_tiles, Impl::bittcf_bytes(m)}, gpu)};
  if (gpu.group_gathers > 0 && m.group_columns > 0)
    candidates.push_back(predict(m, {Format::RowGroups, m.group_columns, Impl::row_groups_bytes(m)}, gpu));
  if (gpu.tile > 0 && can_stage(m, gpu))
    candidates.push_back(predict(m, {Format::Staged, m.bittcf_tiles, Impl::staged_bytes(m)}, gpu));
  if (gpu.tile > 0 && m.bmat_tiles > 0)
    candidates.push_back(predict(m, {Format::Bmat, m.bmat_tiles, Impl::bmat_bytes(m)}, gpu));
  if (gpu.tile > 0 && gpu.block > 0 && m.bcsr_blocks > 0)
    candidates.push_back(predict(m, {Format::Bcsr, m.bcsr_blocks, Impl::bcsr_bytes(m)}, gpu));
  return Impl::ranked(m, std::move(candidates), GpuModel::version);
}

}  // namespace Tessera
