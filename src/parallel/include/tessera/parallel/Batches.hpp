// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/parallel/Teams.hpp>
#include <vector>

/// Batches of units of work, whose numbers of entries may differ widely. Batches are processed one at a time, so the
/// memory needed is proportional to the entries of one batch.
namespace Tessera::Impl {

/// Returns the number of entries of a batch: an eighth of all, but at least enough to keep all threads busy.
///
/// \param entries      [in] number of all entries
/// \param device_least [in] the number of entries that keeps a device busy; on hosts, the smallest batch fits in cache
template <class ExecutionSpace>
std::size_t entries_of_batch(std::size_t entries, std::size_t device_least) {
  return std::max(entries / 8, is_host_space<ExecutionSpace> ? std::size_t(1) << 18 : device_least);
}

/// Returns the end of the batch that begins with unit `first`. The batch contains at least this unit.
///
/// \param before  [in] units + 1 numbers: before[u] is the number of entries in the units before u
/// \param first   [in] the first unit of the batch
/// \param entries [in] upper bound on the entries of a batch with several units
inline std::size_t end_of_batch(const std::vector<std::size_t>& before, std::size_t first, std::size_t entries) {
  const auto begin = before.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = std::upper_bound(begin, before.end(), *begin + entries);
  return std::max(first + 1, static_cast<std::size_t>(end - before.begin()) - 1);
}

}  // namespace Tessera::Impl
