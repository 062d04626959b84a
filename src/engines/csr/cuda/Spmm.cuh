// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "ColumnBlock.cuh"
#include "ColumnRows.cuh"
#include "ColumnTile.cuh"
#include "GatheredTile.cuh"
#include "NarrowRows.cuh"
#include "PieceSums.cuh"
#include "Rows.cuh"
#include "Task.cuh"
#include "csr/ColumnKernel.hpp"
#include "csr/GatheredTiles.hpp"
#include "csr/cuda/Spmm.hpp"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

/// The launcher of csr_spmm. It decides which kernel computes which columns, and with how many threads. Each pair of
/// scalar types has a source file.
namespace Tessera::Impl::Cuda {

inline constexpr Ordinal csr_most_columns = 65535 * 4;  // a grid has enough slabs for these, even if slabs are narrow

template <class Agent, class Task>
__global__ void __maxnreg__(Agent::registers) csr_kernel(const __grid_constant__ Task task) {
  Agent(task).run();
}

template <class Sums, class Task>
__global__ void __launch_bounds__(Sums::most_threads) csr_piece_sums_kernel(const __grid_constant__ Task task) {
  Sums(task).run();
}

template <class Task>
__global__ void csr_column_sums_kernel(const __grid_constant__ Task task) {
  CsrColumnSums<Task>(task).run();
}

/// Launches one product. Different kernels compute different columns.
template <class MatrixScalar, class VectorScalar, class Pattern>
class CsrLauncher {
  using Task = CsrTask<MatrixScalar, VectorScalar, Pattern>;
  using Scalar = typename Task::Scalar;
  static constexpr Ordinal vector_size = 16 / sizeof(VectorScalar);
  static constexpr int any_lanes = 0;
  static constexpr bool gathers = !is_complex_v<VectorScalar> && !is_half_v<VectorScalar>;

 public:
  /// \param policy  the policy for aligned columns; nullptr: csr_spmm() chooses
  CsrLauncher(Stream stream, const Pattern& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy* policy)
      : stream_(stream), policy_(policy) {
    task_.A = A;
    task_.product = product;
    task_.schedule = schedule;
    if (product.y.columns == 1) {  // a single column counts as adjacent
      task_.product.x.column_stride = 1;
      task_.product.y.column_stride = 1;
    }
    is_packed_ = !rows_are_readable(task_.product.x) && product.x_rows == nullptr &&
                 csr_packs(schedule.size, A.columns, product.y.columns);
    check_arguments(scratch);
    width_ = panel_columns(scratch.bytes);
    task_.partial_sums = reinterpret_cast<Scalar*>(scratch.data);
    packed_x_ = reinterpret_cast<VectorScalar*>(scratch.data + panel_bytes(0, width_));
  }

  void run() {
    const Ordinal columns = task_.product.y.columns;
    if (task_.A.rows == 0) return;
    task_.partial_stride = padded(width_);
    for (Ordinal first = 0; first < columns; first += width_) multiply_panel(first, std::min(width_, columns - first));
  }

 private:
  void check_arguments(Scratch scratch) const {
    expect_extents("csr_spmm", task_.A.rows, task_.A.columns, task_.product);
    if (policy_ != nullptr && !is_valid(*policy_)) {
      throw std::invalid_argument("csr_spmm: a policy of " + std::to_string(policy_->lanes) + " lanes, " +
                                  std::to_string(policy_->vectors) + " vectors, " + std::to_string(policy_->rounds) +
                                  " rounds and " + std::to_string(policy_->threads) + " threads is not valid");
    }
    if (task_.A.rows > 0 && task_.schedule.size.piece_length < 1) {
      throw std::invalid_argument("csr_spmm: the schedule was not built; its piece_length is " +
                                  std::to_string(task_.schedule.size.piece_length));
    }
    const Ordinal columns = is_half_v<VectorScalar> ? padded(task_.product.y.columns) : task_.product.y.columns;
    const std::size_t wanted =
        csr_workspace_bytes(task_.schedule.size, task_.A.columns, columns, sizeof(MatrixScalar), !is_packed_);
    if (scratch.bytes < wanted || (wanted > 0 && reinterpret_cast<std::uintptr_t>(scratch.data) % 16 != 0)) {
      throw std::invalid_argument("csr_spmm: " + std::to_string(wanted) + " bytes of scratch aligned to 16 wanted, " +
                                  std::to_string(scratch.bytes) + " given");
    }
  }

  /// Returns the number of columns that are computed at a time. There are fewer if an element is wider than the type
  /// that the scratch memory was sized for.
  Ordinal panel_columns(std::size_t scratch_bytes) const {
    const CsrScheduleSize& size = task_.schedule.size;
    const Ordinal packed_rows = is_packed_ ? task_.A.columns : 0, columns = task_.product.y.columns;
    Ordinal width = std::min(csr_panel_columns(size, task_.A.columns, columns), csr_most_columns);
    if (is_packed_) width = std::min(width, csr_packed_columns);
    while (width > vector_size && panel_bytes(packed_rows, width) > scratch_bytes)
      width = padded(ceil_divide(width, 2));
    return width;
  }

  /// Rounds columns up to whole vectors.
  static Ordinal padded(Ordinal columns) { return ceil_divide(columns, vector_size) * vector_size; }

  /// Returns the bytes of scratch memory of a panel. Packed elements of a 16-bit X use half of their share.
  std::size_t panel_bytes(Ordinal packed_rows, Ordinal width) const {
    return csr_panel_bytes(task_.schedule.size, packed_rows, padded(width), sizeof(Scalar));
  }

  void multiply_panel(Ordinal first, Ordinal columns) {
    Task panel = columns_of(task_, first, columns);
    panel.partial_sums = task_.partial_sums;  // each panel reuses them
    const CsrColumnKernel alone = column_kernel();
    if (alone.kind == CsrColumnKernel::Kind::Rows) return multiply_column_rows(panel, alone.lanes);
    if (alone.kind == CsrColumnKernel::Kind::Tiles) return multiply_tiles(panel);
    if (alone.kind == CsrColumnKernel::Kind::Blocks) return multiply_column_blocks(panel);
    if (rows_are_readable(panel.product.x)) {
      multiply_adjacent(panel);
    } else if (is_packed_ && columns > csr_narrow_columns) {
      multiply_aligned(packed(panel));
    } else {
      multiply_narrow(panel);
    }
    if (panel.schedule.size.long_rows > 0) add_pieces(panel);
  }

  /// Returns the same task with X packed in the scratch memory, where rows begin at multiples of 16 bytes.
  Task packed(Task task) const {
    auto& x = task.product.x;
    const std::ptrdiff_t stride = padded(x.columns);
    x.rows = task.A.columns;
    pack_rows(stream_, x, packed_x_, stride);
    x = {packed_x_, x.rows, static_cast<Ordinal>(stride), stride, 1};
    return task;
  }

  /// Returns the same task for some of its columns.
  static Task columns_of(Task task, Ordinal first, Ordinal columns) {
    task.product = Impl::columns_of(task.product, first, columns);
    if (task.partial_sums != nullptr) task.partial_sums += first;
    return task;
  }

  /// Returns how many of the first columns may be read 16 bytes at a time; 0 if they would be few and other columns
  /// remain.
  static Ordinal aligned_columns(const Task& task) {
    const auto& [x, y] = std::pair(task.product.x, task.product.y);
    if (!rows_are_aligned(x) || (y.column_stride == 1 && !rows_are_aligned(y))) return 0;
    const Ordinal columns = y.columns, aligned = columns / vector_size * vector_size;
    return aligned == columns || aligned >= 4 * vector_size ? aligned : 0;
  }

  /// Whether a lane may hold a row of X, and of Y, in two vectors, or in one vector of 16-bit elements.
  static bool is_few_vectors(const Task& task) {
    const Ordinal columns = task.product.y.columns;
    const bool is_few = columns == 2 * vector_size || (is_half_v<VectorScalar> && columns == vector_size);
    return is_few && task.product.y.column_stride == 1 && aligned_columns(task) == columns;
  }

  CsrProblem problem_of(const Task& task, std::size_t access_bytes) const {
    CsrProblem problem;
    problem.rows = task.A.rows;
    problem.columns = task.A.columns;
    problem.nonzeros = static_cast<double>(task.schedule.size.nonzeros);
    problem.mean_span = task.schedule.size.mean_span;
    // Long rows that are not cut count as one piece.
    problem.pieces = std::max<Ordinal>(task.schedule.size.pieces, task.schedule.size.piece_length == H200::uncut_row);
    problem.vector_columns = task.product.x.columns;
    problem.matrix_bytes = sizeof(MatrixScalar);
    problem.vector_bytes = sizeof(VectorScalar);
    problem.access_bytes = static_cast<double>(access_bytes);
    return problem;
  }

  static CsrMachine machine() {
    CsrMachine machine;
    machine.device.multiprocessors = multiprocessors();
    return machine;
  }

  /// Multiplies by an X with adjacent columns.
  void multiply_adjacent(const Task& task) const {
    const Ordinal columns = task.product.y.columns, aligned = aligned_columns(task);
    if (gathers_tiles(task)) return multiply_gathered(task);
    const bool has_own_lanes = aligned == columns && columns > csr_narrow_columns;  // whole vectors for several lanes
    if ((csr_is_narrow(task.schedule.size, columns) && !has_own_lanes) || is_few_vectors(task))
      return multiply_narrow(task);
    if (aligned > 0) multiply_aligned(columns_of(task, 0, aligned));
    if (aligned == columns) return;
    const Task rest = columns_of(task, aligned, columns - aligned);
    columns - aligned < csr_narrow_columns ? multiply_narrow(rest) : multiply_elements(rest);
  }

  /// Whether rows of X, in one, two or four vectors, are gathered for tiles of A.
  bool gathers_tiles(const Task& task) const {
    const CsrScheduleSize& size = task.schedule.size;
    const Ordinal columns = task.product.y.columns, vectors = columns / vector_size;
    if (!gathers || size.long_rows > 0 || (vectors != 1 && vectors != 2 && vectors != 4)) return false;
    if (task.product.y.column_stride != 1 || aligned_columns(task) != columns) return false;
    if (size.cuts_rows()) return false;
    if (policy_ != nullptr) return policy_->tiles;
    const double row_bytes = static_cast<double>(columns) * sizeof(VectorScalar);
    return csr_gathers_tiles(task.A.rows, static_cast<double>(size.nonzeros), static_cast<double>(size.longest_row),
                             row_bytes, sizeof(MatrixScalar), multiprocessors(), most_shared_bytes());
  }

  void multiply_gathered(const Task& task) const {
    if constexpr (gathers) {
      const Ordinal vectors = task.product.y.columns / vector_size;
      if (vectors == 1) return launch_gathered<CsrGatheredTile<Task, 1>>(task);
      if (vectors == 2) return launch_gathered<CsrGatheredTile<Task, 2>>(task);
      launch_gathered<CsrGatheredTile<Task, 4>>(task);
    }
  }

  template <class Tile>
  void launch_gathered(Task task) const {
    constexpr auto kernel = &csr_kernel<Tile, Task>;
    task.x_row_bytes = row_bytes(task.product.x);
    allow_shared_memory<kernel>("csr_spmm: shared memory", most_shared_bytes(), cudaSharedmemCarveoutMaxShared);
    launch_early<kernel>("csr_spmm: gathered tiles", static_cast<unsigned>(task.schedule.size.tiles), Tile::threads,
                         Tile::shared_bytes(task.schedule.size.longest_row), stream_, task);
  }

  /// Multiplies by an X with any strides, a few columns at a time.
  void multiply_narrow(const Task& task) const {
    const Ordinal columns = task.product.y.columns;
    const bool are_adjacent = task.product.x.column_stride == 1 && task.product.y.column_stride == 1;
    if (are_adjacent && columns == vector_size && aligned_columns(task) == columns) {
      launch_narrow<true, vector_size>(task);
    } else if (is_few_vectors(task)) {
      launch_narrow<true, 2 * vector_size>(task);
    } else if (columns == 1) {
      launch_narrow<false, 1>(task);
    } else if (columns == 2) {
      launch_narrow<false, 2>(task);
    } else if (columns == 3) {
      launch_narrow<false, 3>(task);
    } else {
      launch_narrow<false, csr_narrow_columns>(task);
    }
  }

  /// Multiplies by an X whose rows are read 16 bytes at a time; X may have more columns than Y.
  void multiply_aligned(const Task& task) const {
    const auto& [x, y] = std::pair(task.product.x, task.product.y);
    rows_are_aligned(y) && x.columns == y.columns ? multiply_vectors<false>(task) : multiply_vectors<true>(task);
  }

  template <bool tiled>
  void multiply_vectors(const Task& task) const {
    CsrProblem problem = problem_of(task, 16);
    if (tiled) problem.pieces = 0;  // a block waits for its longest row: with fewer lanes per row, blocks are smaller
    const CsrPolicy policy = policy_ != nullptr ? *policy_ : choose_csr_policy(problem, machine());
    if (policy.vectors == 4) {
      launch_rows<CsrRows<Task, true, 4, 32, tiled>, tiled>(task, policy);
    } else if (policy.vectors == 2 && policy.lanes == 32) {
      launch_rows<CsrRows<Task, true, 2, 32, tiled>, tiled>(task, policy);
    } else if (policy.vectors == 2) {
      launch_rows<CsrRows<Task, true, 2, 16, tiled>, tiled>(task, policy);
    } else if (!tiled && policy.eager) {
      launch_rows<CsrRows<Task, true, 1, any_lanes, false, true>, false>(task, policy);
    } else {
      launch_rows<CsrRows<Task, true, 1, any_lanes, tiled>, tiled>(task, policy);
    }
  }

  void multiply_elements(const Task& task) const {
    const CsrPolicy policy = choose_csr_policy(problem_of(task, sizeof(VectorScalar)), machine());
    launch_rows<CsrRows<Task, false, 1, any_lanes, false>, false>(task, policy);
  }

  /// Returns the kernel for an X of one column; if there are others, InOrder.
  CsrColumnKernel column_kernel() const {
    const CsrScheduleSize& size = task_.schedule.size;
    if (task_.product.y.columns != 1 || size.keeps_order || !rows_are_readable(task_.product.x)) return {};
    using Kind = CsrColumnKernel::Kind;
    const double rows = task_.A.rows, nonzeros = static_cast<double>(size.nonzeros);
    CsrColumnKernel kernel;
    bool may_have_blocks;
    if (policy_ != nullptr) {
      kernel = {policy_->tiles || policy_->blocks ? Kind::Tiles : Kind::Rows, policy_->lanes};
      may_have_blocks = policy_->blocks;
    } else {
      const auto longest_row = static_cast<double>(size.longest_row);
      kernel = choose_csr_column_kernel(rows, nonzeros, longest_row, sizeof(MatrixScalar));
      may_have_blocks =
          kernel.kind == Kind::Tiles && csr_has_column_blocks(rows, nonzeros, longest_row, multiprocessors());
    }
    const std::size_t bytes = CsrColumnBlock<Task>::shared_bytes(static_cast<std::size_t>(task_.A.columns));
    if (may_have_blocks && bytes <= static_cast<std::size_t>(most_shared_bytes())) kernel.kind = Kind::Blocks;
    return kernel;
  }

  void multiply_column_rows(Task task, int lanes) const {
    task.product.x.columns = 1;
    task.schedule.size.pieces = 0;  // items are rows only
    const CsrPolicy policy{.lanes = lanes, .threads = 256};
    are_entries_aligned(task) ? launch<CsrColumnRows<Task, true>>(task, policy, 0)
                              : launch<CsrColumnRows<Task, false>>(task, policy, 0);
  }

  void multiply_column_blocks(Task task) const {
    using Block = CsrColumnBlock<Task>;
    constexpr auto kernel = &csr_kernel<Block, Task>;
    task.x_row_bytes = row_bytes(task.product.x);
    allow_shared_memory<kernel>("csr_spmm: shared memory", most_shared_bytes(), cudaSharedmemCarveoutMaxShared);
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(multiprocessors(), task.schedule.size.tiles));
    launch_early<kernel>("csr_spmm: blocks with X", blocks, Block::threads,
                         Block::shared_bytes(static_cast<std::size_t>(task.A.columns)), stream_, task);
  }

  void multiply_tiles(const Task& task) const {
    if constexpr (sizeof(MatrixScalar) < 16) {
      if (are_entries_aligned(task)) return launch_tiles<true>(task);
    }
    launch_tiles<false>(task);
  }

  template <bool by_blocks>
  void launch_tiles(Task task) const {
    using Tile = CsrColumnTile<Task, by_blocks>;
    using Sums = CsrColumnSums<Task>;
    const auto tiles = static_cast<unsigned>(task.schedule.size.tiles);
    task.x_row_bytes = row_bytes(task.product.x);
    launch_early<&csr_kernel<Tile, Task>>("csr_spmm: tiles", tiles, Tile::threads, sizeof(typename Tile::Memory),
                                          stream_, task);
    if (csr_column_bytes(task.schedule.size) == 0) return;
    launch_early<&csr_column_sums_kernel<Task>>("csr_spmm: sums of tiles", ceil_divide<unsigned>(tiles, Sums::warps),
                                                32 * Sums::warps, 0, stream_, task);
  }

  template <bool aligned, int most_columns>
  void launch_narrow(const Task& task) const {
    CsrPolicy policy = choose_csr_narrow_policy(problem_of(task, sizeof(VectorScalar)));
    if (policy_ != nullptr) policy.rounds = policy_->rounds > 1 ? policy.lanes : 1;
    if (policy.lanes == 1 || !are_entries_aligned(task)) {
      policy.rounds = 1;
      launch_narrow<CsrNarrowRows<Task, aligned, most_columns, CsrNarrowOrder::Single>>(task, policy);
    } else if (policy.rounds == 1) {
      launch_narrow<CsrNarrowRows<Task, aligned, most_columns, CsrNarrowOrder::Blocks>>(task, policy);
    } else {
      Task pieces_apart = task;
      const Ordinal groups = policy.threads / policy.lanes;
      pieces_apart.piece_blocks = static_cast<unsigned>(ceil_divide(task.schedule.size.pieces, groups));
      launch_narrow<CsrNarrowRows<Task, aligned, most_columns, CsrNarrowOrder::LongestFirst>>(pieces_apart, policy);
    }
  }

  template <class Agent>
  void launch_narrow(const Task& task, const CsrPolicy& policy) const {
    launch<Agent>(task, policy, Agent::shared_bytes(policy.threads));
  }

  /// Whether entries may be read 16 bytes at a time.
  static bool are_entries_aligned(const Task& task) {
    return Task::Columns::are_aligned(task.A) && reinterpret_cast<std::uintptr_t>(task.product.values) % 16 == 0;
  }

  template <class Agent, bool tiled>
  void launch_rows(Task task, CsrPolicy policy) const {
    policy.rounds = 1;
    std::size_t shared_bytes = 0;
    if constexpr (tiled) {
      policy = with_row_tile(policy);
      // Slabs of Y with 16-bit elements have twice the columns: 256 threads with four vectors need 36 KB.
      if (is_half_v<VectorScalar> && policy.vectors == 4) policy.threads = std::min(policy.threads, 256);
      const int tile_rows = policy.threads / policy.lanes;
      task.tile_row_bits = std::countr_zero(static_cast<unsigned>(tile_rows));
      shared_bytes = CsrRowTile<Task>::bytes(tile_rows, Agent::slab_columns(policy.lanes));
    }
    launch<Agent>(task, policy, shared_bytes);
  }

  template <class Agent>
  void launch(Task task, const CsrPolicy& policy, std::size_t shared_bytes) const {
    const Ordinal pieces = task.schedule.size.pieces, rows = task.A.rows;
    const std::int64_t items = task.piece_blocks > 0 ? rows : std::int64_t(pieces) + rows;
    if (items == 0) return;
    const std::int64_t items_of_block = std::int64_t(policy.threads / policy.lanes) * policy.rounds;
    const std::int64_t blocks_of_slab = task.piece_blocks + ceil_divide(items, items_of_block);
    const std::int64_t slab_columns = Agent::slab_columns(policy.lanes);
    const std::int64_t slabs = ceil_divide<std::int64_t>(task.product.x.columns, slab_columns);
    if (blocks_of_slab > std::numeric_limits<int>::max() / policy.rounds || slabs > 65535) {
      throw std::length_error("csr_spmm: " + std::to_string(blocks_of_slab) + " blocks of threads for each of " +
                              std::to_string(slabs) + " slabs of columns are more than a grid may have");
    }
    task.pieces = pieces;
    task.rows = rows;
    task.lane_bits = std::countr_zero(static_cast<unsigned>(policy.lanes));
    task.rounds = static_cast<unsigned>(policy.rounds);
    task.x_row_bytes = static_cast<std::uint32_t>(task.product.x.row_stride * std::ptrdiff_t(sizeof(VectorScalar)));
    const dim3 blocks(static_cast<unsigned>(blocks_of_slab), static_cast<unsigned>(slabs));
    launch_early<&csr_kernel<Agent, Task>>("csr_spmm", blocks, dim3(static_cast<unsigned>(policy.threads)),
                                           shared_bytes, stream_, task);
  }

  void add_pieces(const Task& task) const {
    constexpr Ordinal many_rows = 4096, many_columns = 16;
    const bool has_many = task.schedule.size.long_rows > many_rows && task.product.y.columns > many_columns;
    has_many ? add_pieces<CsrPieceSums<Task, true>>(task) : add_pieces<CsrPieceSums<Task, false>>(task);
  }

  template <class Sums>
  void add_pieces(const Task& task) const {
    const Ordinal columns = task.product.y.columns;
    const dim3 threads = Sums::block(task.schedule.size, columns);
    const dim3 blocks(Sums::blocks(task.schedule.size, threads), ceil_divide<unsigned>(columns, threads.x));
    launch_early<&csr_piece_sums_kernel<Sums, Task>>("csr_spmm: sums of pieces", blocks, threads,
                                                     Sums::shared_bytes(threads), stream_, task);
  }

  Stream stream_;
  const CsrPolicy* policy_;
  Task task_;
  bool is_packed_ = false;
  Ordinal width_ = 0;  // columns of a panel
  VectorScalar* packed_x_ = nullptr;
};

template <class MatrixScalar, class VectorScalar>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  CsrLauncher(stream, A, schedule, product, scratch, nullptr).run();
}

template <class MatrixScalar, class VectorScalar>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy& policy) {
  CsrLauncher(stream, A, schedule, product, scratch, &policy).run();
}

#define TESSERA_INSTANTIATE_CSR_SPMM(MatrixScalar, VectorScalar)                \
  template void csr_spmm(Stream, const CsrPattern<Offset>&, const CsrSchedule&, \
                         const Product<MatrixScalar, VectorScalar>&, Scratch);  \
  template void csr_spmm(Stream, const CsrPattern<Offset>&, const CsrSchedule&, \
                         const Product<MatrixScalar, VectorScalar>&, Scratch, const CsrPolicy&);

}  // namespace Tessera::Impl::Cuda
