// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <tessera/Mode.hpp>
#include <tessera/spmm/impl/Access.hpp>

namespace Tessera::Impl {

/// The workspaces of a plan, one for each mode. For callers such as the adapters for Kokkos Kernels and Tpetra, which
/// learn the mode and the number of columns only when the product is called.
template <class ExecutionSpace>
class Workspaces {
 public:
  /// Returns the workspace for products on `exec` in this mode with `columns` columns. If the last product ran on
  /// another instance, the caller must have fenced that instance.
  ///
  /// A workspace grows and never shrinks: it is prepared again only if `columns` exceeds the largest number so far in
  /// this mode. Hence a block solver that deflates and starts again allocates once.
  template <class PlanType>
  Workspace<ExecutionSpace>& get(const ExecutionSpace& exec, PlanType& plan, Mode mode, int columns) {
    Slot& slot = slots_[static_cast<std::size_t>(mode)];
    if (!slot.prepared || columns < 0 ||
        slot.workspace.num_vectors() < columns) {  // prepare() rejects a negative number
      slot.workspace = plan.prepare(exec, columns, mode);
      slot.prepared = true;
    }
    if (!Access::is_of(slot.workspace, exec)) slot.workspace.move_to(exec);
    return slot.workspace;
  }

  /// Forgets all workspaces, for another plan.
  void reset() { slots_ = {}; }

 private:
  struct Slot {
    Workspace<ExecutionSpace> workspace;
    bool prepared = false;
  };
  std::array<Slot, 4> slots_;
};

}  // namespace Tessera::Impl
