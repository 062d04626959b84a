// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tessera/common/Mode.hpp>
#include <tessera/spmm/impl/KeptInstance.hpp>
#include <tessera/spmm/impl/LiveObject.hpp>

namespace Tessera {

namespace Impl {

/// The scratch memory of a workspace and the instance whose products use it.
template <class ExecutionSpace>
class WorkspaceMemory final : private LiveObject {
 public:
  WorkspaceMemory(const ExecutionSpace& exec, std::size_t bytes) : LiveObject(Kind::Workspace), instance_(exec) {
    if (bytes > 0) buffer_ = Buffer(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Tessera::Workspace"), bytes);
  }

  std::size_t bytes() const { return buffer_.extent(0); }
  std::byte* data() const { return buffer_.data(); }
  bool is_of(const ExecutionSpace& exec) const { return instance_ && are_one_queue(*instance_, exec); }
  void move_to(const ExecutionSpace& exec) { instance_ = exec; }

 private:
  using Buffer = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;

  std::size_t held_bytes() const override { return bytes(); }
  void release() noexcept override {
    buffer_ = {};
    instance_.reset();
  }

  std::optional<ExecutionSpace> instance_;
  Buffer buffer_;
};

}  // namespace Impl

/// The scratch memory of products with one plan, in one mode, with up to a given number of columns, on one execution
/// space instance.
///
/// Plan::prepare makes it and allocates everything: a product with a workspace allocates nothing. Two products that may
/// run at the same time (two streams, two host threads) need two workspaces; one plan serves both. Copies of a
/// workspace share its memory, like Kokkos::View.
template <class ExecutionSpace>
class Workspace {
 public:
  /// An empty workspace: valid only as the target of an assignment.
  Workspace() = default;

  Mode mode() const { return mode_; }                                      ///< the mode of its products
  int columns() const { return columns_; }                                 ///< upper bound on the columns of a product
  std::size_t bytes() const { return memory_ ? memory_->bytes() : 0; }     ///< bytes of device memory held
  std::byte* data() const { return memory_ ? memory_->data() : nullptr; }  ///< for the library: packed columns of X
  bool belongs_to(std::uint64_t plan) const { return plan_ == plan; }      ///< for the library
  bool is_of(const ExecutionSpace& exec) const { return memory_ && memory_->is_of(exec); }  ///< for the library

  /// Makes products with this workspace, and with its copies, run on `exec` from now on. The caller has fenced the
  /// instance that they ran on before.
  ///
  /// \throws std::logic_error if the workspace is empty
  void move_to(const ExecutionSpace& exec) {
    if (!memory_)
      throw std::logic_error(
          "Tessera::Workspace::move_to: this workspace is empty; assign a result of prepare() first");
    memory_->move_to(exec);
  }

  /// For the library: users call Plan::prepare.
  Workspace(const ExecutionSpace& exec, std::uint64_t plan, Mode mode, int columns, std::size_t bytes)
      : plan_(plan),
        mode_(mode),
        columns_(columns),
        memory_(std::make_shared<Impl::WorkspaceMemory<ExecutionSpace>>(exec, bytes)) {}

 private:
  std::uint64_t plan_ = 0;  // id of a plan: an address may be reused by a later one
  Mode mode_ = Mode::NoTranspose;
  int columns_ = 0;
  std::shared_ptr<Impl::WorkspaceMemory<ExecutionSpace>> memory_;
};

}  // namespace Tessera
