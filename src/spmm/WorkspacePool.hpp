// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <mutex>
#include <tessera/Workspace.hpp>
#include <tessera/spmm/impl/Access.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// The workspaces for products that are called without a workspace. Several host threads may use the pool concurrently.
///
/// A workspace serves one product at a time. It is used again only for products that run in order with its earlier
/// products. Kokkos waits for the device before it frees a workspace.
template <class Exec>
class WorkspacePool {
 public:
  WorkspacePool() { idle_.reserve(most_idle + 1); }

  /// Returns an idle workspace with room for `num_vectors` columns, or the result of prepare().
  template <class Prepare>
  Workspace<Exec> take(const Exec& exec, Mode mode, int num_vectors, const Prepare& prepare) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const Workspace<Exec>& work) {
      return work.mode() == mode && Access::is_of(work, exec);
    });
    if (found != idle_.end()) {
      Workspace<Exec> work = std::move(*found);
      idle_.erase(found);
      if (num_vectors >= 0 && work.num_vectors() >= num_vectors) return work;
    }
    return prepare();
  }

  /// Keeps a workspace for later products. If there are too many, frees the one that was least recently used.
  void put_back(Workspace<Exec> work) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(work));  // does not allocate
    if (idle_.size() > most_idle) idle_.erase(idle_.begin());
  }

 private:
  static constexpr std::size_t most_idle = 16;

  std::mutex mutex_;
  std::vector<Workspace<Exec>> idle_;  // in the order of last use
};

}  // namespace Tessera::Impl
