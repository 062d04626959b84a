// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tessera/Workspace.hpp>
#include <utility>

namespace Tessera::Impl {

/// Gives the library, its tests and its benchmarks access to private members of plans and workspaces.
struct Access {
  /// Returns the compiled part of a plan, which its copies share.
  /// \throws std::logic_error if the plan is empty or Kokkos has ended
  template <class Plan>
  static typename Plan::State& state(const Plan& plan) {
    return plan.state();
  }
  template <class Plan>
  static Plan plan(std::shared_ptr<typename Plan::State> state) {
    return Plan(std::move(state));
  }

  /// Makes a workspace for the plan with the id `plan`.
  template <class ExecutionSpace>
  static Workspace<ExecutionSpace> workspace(const ExecutionSpace& exec, std::uint64_t plan, Mode mode, int num_vectors,
                                             std::size_t bytes) {
    return Workspace<ExecutionSpace>(exec, plan, mode, num_vectors, bytes);
  }
  /// Returns whether a workspace was made for the plan with the id `plan`.
  template <class ExecutionSpace>
  static bool belongs_to(const Workspace<ExecutionSpace>& work, std::uint64_t plan) {
    return work.plan_ == plan;
  }
  /// Returns whether products with this workspace run in order with those of `exec`.
  template <class ExecutionSpace>
  static bool is_of(const Workspace<ExecutionSpace>& work, const ExecutionSpace& exec) {
    return work.memory_ && work.memory_->is_of(exec);
  }
  /// Returns the scratch memory of products, in the memory of the device.
  template <class ExecutionSpace>
  static std::byte* data(const Workspace<ExecutionSpace>& work) {
    return work.memory_ ? work.memory_->data() : nullptr;
  }
  /// Replaces the scratch memory of products by `bytes` bytes. Waits for products that use it.
  template <class ExecutionSpace>
  static void enlarge(const Workspace<ExecutionSpace>& work, const ExecutionSpace& exec, std::size_t bytes) {
    work.memory_->enlarge(exec, bytes);
  }
  /// Returns the memory for sums over rows.
  template <class ExecutionSpace>
  static const DenseWorkspace<ExecutionSpace>& dense(const Workspace<ExecutionSpace>& work) {
    return work.memory_->dense();
  }
};

}  // namespace Tessera::Impl
