// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <tessera/Mode.hpp>
#include <tessera/common/Batch.hpp>
#include <tessera/spmm/impl/LiveObject.hpp>
#include <tessera/spmm/impl/PlanState.hpp>

namespace Tessera::Impl {

/// The compiled part of a BatchPlan. The library instantiates it for every enabled execution space, and its products
/// for every scalar type.
template <class ExecutionSpace>
class BatchState final : private LiveObject {
 public:
  BatchState(const ExecutionSpace& exec, const UserRows& A);
  ~BatchState() override;
  BatchState(const BatchState&) = delete;
  BatchState& operator=(const BatchState&) = delete;

  /// False after Kokkos::finalize(): no other function may be called then.
  bool is_alive() const { return members_ != nullptr; }
  Ordinal rows() const;
  Ordinal columns() const;
  std::size_t entries() const;
  std::size_t bytes() const;
  /// Builds what products in a mode need, if no call has built it before. Several threads may call this.
  void prepare(const ExecutionSpace& exec, Mode mode) const;
  /// See spmm_batch().
  template <class Scalar>
  void multiply(const ExecutionSpace& exec, Mode mode, Scalar alpha, const ValueBatch<Scalar>& values,
                const MultivectorBatch<const Scalar>& X, Scalar beta, const MultivectorBatch<Scalar>& Y) const;

 private:
  struct Members;
  std::size_t held_bytes() const override;
  void release() noexcept override;

  std::unique_ptr<Members> members_;
};

}  // namespace Tessera::Impl
