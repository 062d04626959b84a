// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/GatherRate.hpp>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/Device.hpp>

namespace Tessera::Cuda {

/// How csr_spmm shares a product among threads. A group of lanes computes a row of Y, or a slab of its columns: a slab
/// is lanes * vectors vectors wide, a vector 16 bytes or, where X or Y is not aligned for that, one element.
struct CsrPolicy {
  int lanes = 32;     ///< of a group: 4, 8, 16 or 32
  int vectors = 1;    ///< a lane: 1 or 2
  int unroll = 4;     ///< entries whose rows of X are fetched at once: 4, or 8 with vectors = 1
  int rows = 1;       ///< that a group computes side by side: 1, or 4 with vectors = 1
  int rounds = 1;     ///< rows that a group computes one after the other: at most as many as lanes, 1 with rows > 1
  int threads = 128;  ///< of a block: a multiple of 32 up to 512

  friend bool operator==(const CsrPolicy&, const CsrPolicy&) = default;
};

/// Whether the numbers are among those that csr_spmm is compiled for.
bool is_valid(const CsrPolicy& policy);

/// What the choice depends on.
struct CsrProblem {
  double rows = 0;
  double columns = 0;  ///< of A: rows of X
  double nonzeros = 0;
  double mean_span = 0;       ///< of a row: CsrScheduleSize::mean_span
  double vector_columns = 0;  ///< of X
  double matrix_bytes = 8;    ///< of a value of A
  double vector_bytes = 8;    ///< of an element of X and Y
  double access_bytes = 16;   ///< of a vector: 16, or vector_bytes
  double pieces = 0;          ///< of long rows: with any, rows are taken to differ much in length
};

/// What a GPU does in a second; measured on an H200, where gathers of rows of X run at these rates if the rows that are
/// in use at a time take so many bytes.
struct CsrMachine {
  GatherRate gathers[7] = {{1e6, 12.8e12},  {4e6, 9.5e12},   {32e6, 8.6e12}, {64e6, 7.2e12},
                           {128e6, 5.6e12}, {512e6, 4.6e12}, {2e9, 4.4e12}};
  Device device;               ///< how many of its threads compute at a time
  double streamed = 4.2e12;    ///< bytes of A
  double row_seconds = 2e-10;  ///< for a row and slab: where it begins and ends, its place in Y
  double worthwhile = 0.85;    ///< narrower slabs must be predicted to take less than this share of the time
  double short_row = 6;        ///< rows with fewer entries on average are computed several at a time, or in rounds
  double round_row = 100;      ///< rows with fewer on average are computed several rounds by the same group,
  double round_rows = 5e4;     ///< if there are so many rows that groups remain
  double sorted_row = 32;      ///< of few columns, rows that differ, with fewer entries on average, are sorted,
  double sorted_rows = 2e5;    ///< if there are so many that blocks of them fill the GPU
};

/// Seconds for fetching rows of X, each once from memory and then again at the rate for those in use, and for reading A
/// once a slab, with slabs of this many columns.
double predict_csr_seconds(const CsrProblem& problem, double slab_columns, const CsrMachine& machine = {});

/// The widest slabs, unless narrower ones make the part of X that is in use fit into the L2 cache and that saves more
/// than reading A once a slab costs. Rows of about equal length get two vectors a lane and few lanes, rows that differ
/// one and many, so that few rows share a warp and wait for each other; rows that are short, but not very short, come
/// in rounds. Results of csr_spmm do not depend on the choice.
CsrPolicy choose_csr_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// The same where a lane holds a few columns itself: 1, 2 or 4 lanes, the more, the longer rows are, and the fewer
/// columns there are to keep a lane busy. With more rounds than one, which are then as many as lanes, a block computes
/// the longest rows of its own first: for many short rows that differ much in length.
CsrPolicy choose_csr_narrow_policy(const CsrProblem& problem, const CsrMachine& machine = {});

/// The policy as it is where columns of Y are not adjacent, so that a block collects rows of Y before it writes them:
/// threads and rounds are powers of two; a block has at least 8 rows, so that it writes whole sectors, and of rows that
/// a group computes one at a time at most 32, so that they fit into its shared memory.
CsrPolicy with_row_tile(CsrPolicy policy);

}  // namespace Tessera::Cuda
