// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/parallel/Teams.hpp>
#include <vector>

/// Units of work, some of which hold many times the entries of others, a batch at a time: for memory in proportion to
/// the entries of those that are at work.
namespace Tessera::Impl {

/// Entries of a batch: an eighth of all, or as many as keep everybody busy.
///
/// \param device_least [in] that number on devices; on hosts a batch is for their caches
template <class ExecutionSpace>
std::size_t entries_of_batch(std::size_t entries, std::size_t device_least) {
  return std::max(entries / 8, is_host_space<ExecutionSpace> ? std::size_t(1) << 18 : device_least);
}

/// The end of the batch that begins with a unit, which it has at least.
///
/// \param before [in] units + 1: the entries in the units before
inline std::size_t end_of_batch(const std::vector<std::size_t>& before, std::size_t first, std::size_t entries) {
  const auto begin = before.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = std::upper_bound(begin, before.end(), *begin + entries);
  return std::max(first + 1, static_cast<std::size_t>(end - before.begin()) - 1);
}

}  // namespace Tessera::Impl
