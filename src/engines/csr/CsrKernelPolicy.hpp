// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "KernelPolicy.hpp"
#include "csr/cuda/Policy.hpp"

namespace Tessera::Impl {

/// Returns the policy of csr_spmm() that a benchmark sets; nothing if it sets none.
///
/// \param policy [in]     the benchmark's numbers
/// \param piece  [in,out] entries of a piece; 0: the schedule chooses
/// \param chunks [in,out] whether X is multiplied in chunks
/// \param column_chunks [in,out] whether a single column may be multiplied in chunks
inline std::optional<Cuda::CsrPolicy> take_csr_policy(const KernelPolicy& policy, int& piece, int& chunks,
                                                      int& column_chunks) {
  Cuda::CsrPolicy own{.lanes = 0};
  int eager = 0, tiles = 0, blocks = 0;
  policy.replace({{"piece", piece},
                  {"chunks", chunks, 0, 1},
                  {"column_chunks", column_chunks, 0, 1},
                  {"lanes", own.lanes},
                  {"vectors", own.vectors},
                  {"rounds", own.rounds},
                  {"threads", own.threads},
                  {"eager", eager, 0, 1},
                  {"tiles", tiles, 0, 1},
                  {"blocks", blocks, 0, 1}});
  own.eager = eager != 0;
  own.tiles = tiles != 0;
  own.blocks = blocks != 0;
  if (own == Cuda::CsrPolicy{.lanes = 0}) return {};
  if (!Cuda::is_valid(own))
    throw PolicyError("policy lanes=" + std::to_string(own.lanes) + ",vectors=" + std::to_string(own.vectors) +
                      ",rounds=" + std::to_string(own.rounds) + ",threads=" + std::to_string(own.threads) +
                      ",eager=" + std::to_string(eager) +
                      ": expected 4 to 32 lanes, 16 or 32 with two vectors, 32 with four; eager ones with one vector;"
                      " rounds up to the lanes; threads a multiple of 32 up to 512");
  return own;
}

}  // namespace Tessera::Impl
