// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/MemoryLimit.hpp>
#include <tessera/select/Choice.hpp>
#include <vector>

namespace Tessera::Impl {

/// What Plan::explain() prints in addition to the choice.
struct Explanation {
  long long rows = 0;
  long long columns = 0;
  std::size_t nonzeros = 0;
  int num_vectors = 0;
  bool half_vectors = false;
  std::string execution_space;
  std::string made_on;  // if the plan was loaded, the execution space of make_plan(); else empty
  std::size_t format_bytes = 0;
  std::size_t transpose_bytes = 0;
  std::size_t slot_map_bytes = 0;
  std::size_t kernel_bytes = 0;
  std::size_t peak_bytes = 0;
  std::size_t memory_limit = no_memory_limit;
  bool duplicates_summed = false;
  std::string growth;            // what has happened and is due; empty if the plan was built at once
  std::uint64_t growth_due = 0;  // the product before which the next step is due; 0 if none is
  std::vector<std::string> notes;
};

/// What Plan::explain() prints about a block of rows.
struct BlockExplanation {
  long long first_row = 0;
  long long rows = 0;
  std::size_t nonzeros = 0;
  const Choice* choice = nullptr;
  const Choice* transposed = nullptr;      // null if there is no transpose
  std::string kernels, transpose_kernels;  // empty if there is only one kernel
};

/// \param blocks [in] all rows of the plan, at least one block
std::string explain(const Explanation& explanation, const std::vector<BlockExplanation>& blocks);

}  // namespace Tessera::Impl
