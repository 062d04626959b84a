// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <tessera/common/Mode.hpp>
#include <tessera/spmm/Workspace.hpp>

namespace Tessera {

/// The workspaces of one plan, one a mode, for callers who learn only with a product which mode and how many columns it
/// has: the adapters to Kokkos Kernels and Tpetra.
template <class ExecutionSpace>
class Workspaces {
 public:
  /// The workspace for products on `exec` in this mode with `columns` columns. The caller has fenced the instance that
  /// the last product ran on, if it was another one.
  ///
  /// Prepared anew only when none in this mode has had as many: a workspace grows and never shrinks, so that a block
  /// solver that deflates and starts again allocates once.
  template <class PlanType>
  Workspace<ExecutionSpace>& get(const ExecutionSpace& exec, PlanType& plan, Mode mode, int columns) {
    Slot& slot = slots_[static_cast<std::size_t>(mode)];
    if (!slot.prepared || columns < 0 || slot.workspace.columns() < columns) {  // prepare() refuses a negative number
      slot.workspace = plan.prepare(exec, columns, mode);
      slot.prepared = true;
    }
    if (!slot.workspace.is_of(exec)) slot.workspace.move_to(exec);
    return slot.workspace;
  }

  /// Forgets all: the next product is another plan's.
  void reset() { slots_ = {}; }

 private:
  struct Slot {
    Workspace<ExecutionSpace> workspace;
    bool prepared = false;
  };
  std::array<Slot, 4> slots_;
};

}  // namespace Tessera
