// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"
#include "csr/ColumnKernel.hpp"
#include "csr/GatheredTiles.hpp"
#include "csr/TileSpan.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct Csr;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaCsr;

/// Returns the length of the pieces of long rows, relative to that in matrices of middle size: 2 for large matrices.
/// Small matrices are cut only if a row is very long: into pieces of half the length, unless rows of X are wide.
inline double csr_piece_growth(const MatrixStatistics& m, const GpuModel& gpu) {
  if (m.nonzeros >= gpu.cut_entries) return 2;
  if (m.longest_row <= gpu.rows.piece) return 1;
  const bool is_small = m.rows < H200::small_rows && m.nonzeros < H200::small_entries;
  if (is_small && m.longest_row <= H200::uncut_row) return H200::uncut_row / gpu.rows.piece;
  return m.nonzeros < gpu.cut_entries / 4 && row_bytes(m) <= gpu.wide_row_bytes ? 0.5 : 1;
}

/// Predicts seconds. Each entry gathers a row of X from a cache: from the nearest one, if 8 rows of A reuse the row and
/// it is still there. A row much shorter than a cache line costs more than its bytes. The kernel for narrow rows
/// gathers a few columns at a time; each lane reads another row. Meanwhile A, Y and the uncached rows of X move through
/// memory.
inline double csr_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  const bool is_narrow = row_bytes(m) <= gpu.narrow_row_bytes;
  const double fetched = is_narrow ? gpu.narrow_fetch_bytes * std::ceil(row_bytes(m) / gpu.narrow_bytes)
                                   : std::max(row_bytes(m), gpu.least_fetch_bytes) + gpu.entry_bytes;
  const double near = m.window8_columns > 0 ? m.window8_columns : m.nonzeros;
  const double kept = std::min(1.0, gpu.near_cache_bytes / (near / std::ceil(m.rows / 8) * row_bytes(m)));
  const double again = kept * (m.nonzeros - near);
  const double cached = (m.nonzeros - again) / gpu.first_gathers + again / gpu.near_gathers;
  const double rows = gpu.row_s * m.rows * fetched / 512;
  const double moved =
      window_seconds(m, m.nonzeros, panel_row_bytes(m, gpu), gpu) + (bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double work = std::max(cached * fetched, moved) + rows;
  GpuModel::Chain chain = gpu.rows;
  if (!is_narrow && row_bytes(m) <= gpu.thin_row_bytes) chain.step_s *= gpu.thin_step;
  return seconds_of(chain, work, m.longest_row, csr_piece_growth(m, gpu), m, gpu);
}

/// Returns the kernel for an X of a single column.
inline CsrColumnKernel::Kind column_kernel(const MatrixStatistics& m) {
  if (m.same_bits_alone) return CsrColumnKernel::Kind::InOrder;
  return choose_csr_column_kernel(m.rows, m.nonzeros, m.longest_row, m.matrix_bytes).kind;
}

inline ChunkedProblem chunked_problem(const MatrixStatistics& m, double vector_columns) {
  return {m.rows, m.columns, m.nonzeros, vector_columns, m.matrix_bytes};
}

/// Whether compressed rows are multiplied by chunks of a single column. The scalar type of X and Y must be that of A.
/// Distances of columns are not counted: rows are assumed to be spread over X if 64 of them share few columns.
inline bool takes_column_chunks(const MatrixStatistics& m, const GpuModel& gpu) {
  constexpr double least_distinct = 0.3;
  return m.vector_columns == 1 && m.vector_bytes == m.matrix_bytes && !m.same_bits_alone &&
         m.window64_columns >= least_distinct * m.nonzeros &&
         column_chunks_pay(chunked_problem(m, 1), m.columns, gpu.chunks);
}

/// Predicts seconds for chunks of a single column.
inline double column_chunks_seconds(double bytes, const GpuModel& gpu) {
  return gpu.column_launch_s + gpu.sums_s + bytes / (gpu.column_chunks_stream * gpu.streamed);
}

/// Predicts seconds for a single column that has a kernel of its own. A, X and Y move through memory. Meanwhile each
/// entry gathers an element of X, except those that 64 rows of A share.
inline double csr_column_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  const bool tiles = column_kernel(m) == CsrColumnKernel::Kind::Tiles;
  const double moved = (bytes + (m.rows + m.columns) * m.vector_bytes) /
                       ((tiles ? gpu.column_tiles_stream : gpu.column_rows_stream) * gpu.streamed);
  const double gathered = gpu.column_gather_s * (m.window64_columns > 0 ? m.window64_columns : m.nonzeros);
  const double sums = tiles && m.longest_row > csr_tile_row ? gpu.sums_s : 0;
  return gpu.column_launch_s + std::max(moved, gathered) + sums;
}

/// Whether products gather rows of X for tiles of A. Matrices of any size with rows of up to 64 entries, and small
/// matrices with longer ones, have no long rows.
inline bool gathers_tiles(const MatrixStatistics& m, const GpuModel& gpu) {
  const bool is_small = m.rows < H200::small_rows && m.nonzeros < H200::small_entries;
  const double vectors = row_bytes(m) / 16;
  return (vectors == 1 || vectors == 2 || vectors == 4) && !m.layout_left && m.vector_columns > 1 &&
         m.vector_bytes == m.matrix_bytes && m.longest_row <= (is_small ? H200::uncut_row : gpu.rows.piece) &&
         csr_gathers_tiles(m.rows, m.nonzeros, m.longest_row, row_bytes(m), m.matrix_bytes, gpu.chunks.multiprocessors,
                           static_cast<double>(gpu.chunks.shared_bytes));
}

/// Predicts seconds for gathered tiles: two steps that all tiles take at the same time, the longest row, and the
/// entries.
inline double gathered_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  return gpu.gathered_launch_s + gpu.gathered_byte_s * m.nonzeros * (row_bytes(m) + gpu.gathered_entry_bytes) +
         gpu.gathered_step_s * m.longest_row;
}

/// Predicts seconds for the layout of X. A column-major X is read in place, a few columns at a time, if X has few
/// columns, A is small, or A has fewer than four entries per row of X. Otherwise X is copied to row-major first.
inline double csr_seconds_by_layout(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  if (m.vector_columns == 1 && column_kernel(m) != CsrColumnKernel::Kind::InOrder)
    return csr_column_seconds(m, bytes, gpu);
  if (gathers_tiles(m, gpu)) return gathered_seconds(m, gpu);
  if (!m.layout_left || m.vector_columns <= gpu.left_columns) return csr_seconds(m, bytes, gpu);
  const double slabs = std::ceil(m.vector_columns / gpu.left_columns);
  if (m.nonzeros >= 4 * m.columns && (slabs - 1) * m.nonzeros >= gpu.packing_entries)
    return csr_seconds(m, bytes, gpu) + pack_seconds(m, gpu.packed_columns, gpu);
  const double slab_bytes = bytes + gpu.left_columns * m.vector_bytes * (m.rows + m.columns);
  const double work = slabs * (slab_bytes / gpu.streamed + gpu.left_entry_s * m.nonzeros);
  MatrixStatistics slab = m;
  slab.vector_columns = gpu.left_columns;
  return seconds_of(gpu.rows, work, m.longest_row, csr_piece_growth(m, gpu), slab, gpu);
}

/// Whether compressed rows are multiplied against chunks of X in shared memory. The scalar type of X and Y must be that
/// of A. A column-major X is copied in panels.
inline bool takes_chunks(const MatrixStatistics& m, const GpuModel& gpu) {
  const double at_once = m.layout_left ? std::min(m.vector_columns, gpu.panel_columns) : m.vector_columns;
  return m.vector_bytes == m.matrix_bytes && chunks_pay(chunked_problem(m, at_once), gpu.chunks);
}

/// Predicts seconds with chunks. X is copied and multiplied in panels if it is column-major or its rows are unaligned.
inline double chunked_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  const bool is_copied = m.layout_left || std::fmod(row_bytes(m), 16) != 0;
  const double panel = is_copied ? std::min(m.vector_columns, gpu.panel_columns) : m.vector_columns;
  const Ordinal chunks = Chunks::of(static_cast<Ordinal>(m.columns), gpu.chunks.shared_bytes).count;
  GpuModel native = gpu;  // chunked kernels can read X in place, even if kernels for tiles copy it
  native.copied_columns = 0;
  return copy_seconds(m, true, native) +
         std::ceil(m.vector_columns / panel) *
             choose_chunked_blocks(chunked_problem(m, panel), chunks, gpu.chunks.multiprocessors).seconds;
}

struct CsrCost : DefaultCost {
  /// Bytes of the pattern and the values.
  static double bytes(const MatrixStatistics& m) {
    return (m.rows + 1) * m.offset_bytes + m.nonzeros * (4 + m.matrix_bytes);
  }

  static std::optional<FormatSize> on_hosts(const MatrixStatistics& m) { return FormatSize{Format::Csr, 0, bytes(m)}; }
  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel&) {
    return FormatSize{Format::Csr, 0, bytes(m)};
  }
  static double host_decoding(const MatrixStatistics&, const FormatSize&, const MachineModel&) { return 0; }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!gpu.has_rows) return std::nullopt;
    if (takes_chunks(m, gpu)) return chunked_seconds(m, gpu);
    return takes_column_chunks(m, gpu) ? column_chunks_seconds(size.bytes, gpu)
                                       : csr_seconds_by_layout(m, size.bytes, gpu);
  }
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {}, gpu);
  }
};

/// The engine of compressed rows.
struct CsrEngine : EngineKind<Format::Csr, Csr, CudaCsr, CudaFor::AllMatrices>, CsrCost {
  static constexpr bool keeps_rows = true;
};

}  // namespace Tessera::Impl
