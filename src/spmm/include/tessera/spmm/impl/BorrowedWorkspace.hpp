// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Mode.hpp>
#include <tessera/Workspace.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <utility>

namespace Tessera::Impl {

/// A workspace that a plan lends to a product that brings none. The destructor gives it back to the plan.
template <class Scalar, class Exec>
class BorrowedWorkspace {
 public:
  /// Builds the transpose if the mode needs it and the plan lacks it. Allocates memory unless a free workspace belongs
  /// to the instance and the mode, and has room for this number of columns.
  BorrowedWorkspace(const PlanState<Scalar, Exec>& plan, const Exec& exec, Mode mode, int num_vectors)
      : plan_(plan), work_(plan.borrow(exec, mode, num_vectors)) {}
  ~BorrowedWorkspace() { plan_.give_back(std::move(work_)); }
  BorrowedWorkspace(const BorrowedWorkspace&) = delete;
  BorrowedWorkspace& operator=(const BorrowedWorkspace&) = delete;

  Workspace<Exec>& get() { return work_; }

 private:
  const PlanState<Scalar, Exec>& plan_;
  Workspace<Exec> work_;
};

}  // namespace Tessera::Impl
