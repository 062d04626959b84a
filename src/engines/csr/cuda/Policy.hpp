// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/H200.hpp>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/Device.hpp>

namespace Tessera::Impl::Cuda {

/// How csr_spmm() divides a product among threads. A group of lanes computes a row of Y, or a slab of its columns. A
/// slab has lanes * vectors vectors. A vector has 16 bytes or, if X or Y is not aligned to 16 bytes, one element.
struct CsrPolicy {
  int lanes = 32;     ///< lanes of a group: 4, 8, 16 or 32; 16 or 32 with two vectors, 32 with four
  int vectors = 1;    ///< vectors of a lane: 1, 2 or 4
  int rounds = 1;     ///< rows of a group, at most `lanes`, for few columns of X; otherwise a group computes one row
  int threads = 128;  ///< threads of a block: a multiple of 32 up to 512
  /// Whether a single column is multiplied in tiles of entries, and few columns in gathered tiles, which need rows that
  /// are not cut.
  bool tiles = false;
  /// Whether a single column is multiplied by blocks that have all of X in shared memory, or in tiles if it does not
  /// fit.
  bool blocks = false;
  /// Whether a lane with one vector fetches 8 rows of X at once, which takes more registers. Possible only if X and Y
  /// are aligned and too wide for the narrow kernels.
  bool eager = false;

  friend bool operator==(const CsrPolicy&, const CsrPolicy&) = default;
};

/// Whether csr_spmm() is compiled for these numbers.
bool is_valid(const CsrPolicy& policy);

/// Input of the choice of a policy.
struct CsrProblem {
  double rows = 0;            ///< rows of A
  double columns = 0;         ///< columns of A
  double nonzeros = 0;        ///< entries of A
  double mean_span = 0;       ///< CsrScheduleSize::mean_span
  double vector_columns = 0;  ///< columns of X
  double matrix_bytes = 8;    ///< bytes of a value of A
  double vector_bytes = 8;    ///< bytes of an element of X or Y
  double access_bytes = 16;   ///< bytes of a vector: 16, or vector_bytes
  double pieces = 0;          ///< pieces of long rows; if there are any, lengths of rows are assumed to differ much
};

/// Rates and thresholds of a GPU, measured on an H200.
struct CsrMachine {
  /// Rates at which rows of X are gathered, by the bytes of X in use at a time.
  std::array<GatherRate, 7> gathers = H200::csr_gathers;
  /// Bytes of A streamed per second.
  double streamed = H200::streamed_rate;
  Device device;               ///< the GPU
  double row_seconds = 6e-11;  ///< seconds for a row in a slab: reading its offsets, writing its row of Y
  double worthwhile = 0.95;    ///< narrower slabs must be predicted to take less than this share of the time
  double small_entries = H200::small_entries;  ///< entries below which the longest row lasts longer than all others
  double short_row = 6;         ///< mean row length below which one lane sums a row, if X has few columns
  double round_row = 100;       ///< mean row length below which two lanes sum a row of 3 or 4 columns
  double sorted_row = 32;       ///< mean row length below which rows of different lengths are sorted
  double sorted_rows = 2e5;     ///< lower bound on rows for sorting; with fewer, blocks would not fill the GPU
  double eager_threads = 3500;  ///< most threads per multiprocessor for eager lanes: about four times what fits
};

/// Predicts the seconds for slabs of this many columns. The time is that of fetching each row of X once from memory and
/// then at the rate for rows in use, plus that of reading A once for each slab.
double predict_csr_seconds(const CsrProblem& problem, double slab_columns, const CsrMachine& machine = {});

/// Chooses a policy with the widest slabs, unless narrower slabs make the part of X in use fit in the L2 cache, and
/// that saves more time than reading A once per slab costs. A lane has several vectors if there are enough: it then
/// computes the address of a row of X once for all of them. If lengths of rows differ, a row gets more lanes of one
/// vector each: fewer rows share a warp and wait for each other. Lanes are eager if they are so few that memory
/// latency, or the longest row or piece, limits a product. Results of csr_spmm() do not depend on the choice.
CsrPolicy choose_csr_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// Chooses a policy for so few columns of X that each lane holds all of them. A group has 1, 2 or 4 lanes: more for
/// longer rows, and for fewer columns. For many short rows that differ much in length, the number of rounds is the
/// number of lanes, and a block computes its longest rows first.
CsrPolicy choose_csr_narrow_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// Adapts a policy to a Y whose columns are not adjacent: a block then collects rows of Y before it writes them. The
/// number of threads becomes a power of two. A block has at least 8 rows, so it writes whole sectors.
CsrPolicy with_row_tile(CsrPolicy policy);

}  // namespace Tessera::Impl::Cuda
