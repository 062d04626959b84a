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
  int lanes = 32;      ///< lanes of a group: 4, 8, 16 or 32
  int vectors = 1;     ///< vectors of a lane: 1 or 2
  int unroll = 4;      ///< entries whose rows of X are fetched at once: 4, or 8 with vectors = 1
  int rows = 1;        ///< rows that a group computes at the same time: 1, or 4 with vectors = 1
  int rounds = 1;      ///< rows that a group computes one after the other: at most `lanes`, 1 with rows > 1
  int threads = 128;   ///< threads of a block: a multiple of 32 up to 512
  bool tiles = false;  ///< whether a single column of floats is multiplied in tiles of entries, if these are aligned

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
  double row_seconds = 2e-10;  ///< seconds for a row in a slab: reading its offsets, writing its place in Y
  double worthwhile = 0.85;    ///< the share of the time that narrower slabs must be predicted to stay below
  double small_entries = H200::small_entries;  ///< entries below which the longest row takes longer than all others
  double short_row = 6;        ///< mean entries below which a group computes several rows at a time, or in rounds
  double round_row = 100;      ///< mean entries below which a group computes rows in rounds
  double round_rows = 5e4;     ///< the fewest rows for which groups compute rows in rounds
  double sorted_row = 32;      ///< mean entries below which rows that differ in length are sorted, for few columns of X
  double tiled_row = 48;       ///< mean entries from which rows are multiplied in tiles, for a single column of floats
  double tiled_entries = 4e6;  ///< the fewest entries for tiles; with fewer, they would not fill the GPU
  double sorted_rows = 2e5;    ///< the fewest rows that are sorted; with fewer, blocks would not fill the GPU
};

/// Predicts the seconds for slabs of this many columns: for fetching each row of X once from memory and then at the
/// rate for rows in use, and for reading A once for each slab.
double predict_csr_seconds(const CsrProblem& problem, double slab_columns, const CsrMachine& machine = {});

/// Chooses a policy. It takes the widest slabs, unless narrower ones make the part of X in use fit into the L2 cache
/// and that saves more than reading A once for each slab costs. Rows of about equal length get few lanes of two
/// vectors. Rows that differ get many lanes of one vector, so that few rows share a warp and wait for each other. Rows
/// that are short, but not very short, come in rounds. Results of csr_spmm() do not depend on the choice.
CsrPolicy choose_csr_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// Chooses a policy for few columns of X, which each lane holds itself. It takes 1, 2 or 4 lanes: more for longer rows,
/// and for fewer columns. A single column of floats goes by tiles of entries where rows are long, or differ in length
/// and are not very short. With several rounds, whose number is then that of lanes, a block computes its longest rows
/// first. That is for many short rows that differ much in length.
CsrPolicy choose_csr_narrow_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// Adapts a policy to a Y whose columns are not adjacent: a block then collects rows of Y before it writes them.
/// Threads and rounds become powers of two. A block has at least 8 rows, so that it writes whole sectors. If a group
/// computes one row at a time, a block has at most 32 rows, so that they fit into its shared memory.
CsrPolicy with_row_tile(CsrPolicy policy);

}  // namespace Tessera::Cuda
