// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/H200.hpp>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/Device.hpp>

namespace Tessera::Cuda {

/// How csr_spmm() shares a product among threads. A group of lanes computes a row of Y, or a slab of its columns. A
/// slab is lanes * vectors vectors wide. A vector has 16 bytes or, if X or Y is not aligned for that, one element.
struct CsrPolicy {
  int lanes = 32;      ///< lanes of a group: 4, 8, 16 or 32; 16 or 32 with two vectors, 32 with four
  int vectors = 1;     ///< vectors of a lane: 1, 2 or 4
  int rounds = 1;      ///< rows of a group, at most `lanes`, for few columns of X; otherwise a group computes one row
  int threads = 128;   ///< threads of a block: a multiple of 32 up to 512
  bool tiles = false;  ///< whether a single column of floats is multiplied in tiles of entries, if these are aligned
  /// Whether a lane with one vector fetches 8 rows of X at once, in more registers; only if X and Y are aligned, and
  /// have more columns than kernels for few.
  bool eager = false;

  friend bool operator==(const CsrPolicy&, const CsrPolicy&) = default;
};

/// Whether csr_spmm() is compiled for these numbers.
bool is_valid(const CsrPolicy& policy);

/// What the choice of a policy depends on.
struct CsrProblem {
  double rows = 0;            ///< rows of A
  double columns = 0;         ///< columns of A
  double nonzeros = 0;        ///< entries of A
  double mean_span = 0;       ///< CsrScheduleSize::mean_span
  double vector_columns = 0;  ///< columns of X
  double matrix_bytes = 8;    ///< bytes of a value of A
  double vector_bytes = 8;    ///< bytes of an element of X or Y
  double access_bytes = 16;   ///< bytes of a vector: 16, or vector_bytes
  double pieces = 0;          ///< pieces of long rows; if there are any, the lengths of rows are taken to differ much
};

/// What a GPU does in a second, measured on an H200.
struct CsrMachine {
  /// Rates at which rows of X are gathered, by the bytes of X that are in use at a time.
  std::array<GatherRate, 7> gathers = H200::csr_gathers;
  /// Bytes of A streamed in a second.
  double streamed = H200::streamed_rate;
  Device device;               ///< the GPU
  double row_seconds = 6e-11;  ///< seconds for a row in a slab: reading its offsets, writing its place in Y
  double worthwhile = 0.95;    ///< the share of the time that narrower slabs must be predicted to stay below
  double small_entries = H200::small_entries;  ///< entries below which the longest row takes longer than all others
  double short_row = 6;                        ///< mean entries below which one lane sums a row, for few columns of X
  double round_row = 100;                      ///< mean entries below which two lanes do, for three or four columns
  double sorted_row = 32;      ///< mean entries below which rows that differ in length are sorted, for few columns of X
  double sorted_rows = 2e5;    ///< the fewest rows that are sorted; with fewer, blocks would not fill the GPU
  double tiled_row = 48;       ///< mean entries from which rows are multiplied in tiles, for a single column of floats
  double tiled_entries = 4e6;  ///< the fewest entries for tiles; with fewer, they would not fill the GPU
  double eager_threads = 3500;  ///< the most threads for each multiprocessor that are eager: about four times what fits
};

/// Predicts the seconds for slabs of this many columns: for fetching each row of X once from memory and then at the
/// rate for rows in use, and for reading A once for each slab.
double predict_csr_seconds(const CsrProblem& problem, double slab_columns, const CsrMachine& machine = {});

/// Chooses a policy. It takes the widest slabs, unless narrower ones make the part of X in use fit into the L2 cache
/// and that saves more than reading A once for each slab costs. A lane has several vectors where there are enough of
/// them: it finds a row of X once for all. Rows that differ in length get more lanes of one vector, so that fewer of
/// them share a warp and wait for each other. Lanes are eager if there are so few that a product waits for memory, and
/// for the longest row or piece. Results of csr_spmm() do not depend on the choice.
CsrPolicy choose_csr_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// Chooses a policy for few columns of X, which each lane holds itself. It takes 1, 2 or 4 lanes: more for longer rows,
/// and for fewer columns. A single column of floats goes by tiles of entries where rows are long, or differ in length
/// and are not very short. With several rounds, whose number is then that of lanes, a block computes its longest rows
/// first. That is for many short rows that differ much in length.
CsrPolicy choose_csr_narrow_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// Adapts a policy to a Y whose columns are not adjacent: a block then collects rows of Y before it writes them.
/// Threads become a power of two. A block has at least 8 rows, so that it writes whole sectors.
CsrPolicy with_row_tile(CsrPolicy policy);

}  // namespace Tessera::Cuda
