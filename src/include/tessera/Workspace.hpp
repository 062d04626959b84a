// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tessera/Mode.hpp>
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/spmm/impl/KeptInstance.hpp>
#include <tessera/spmm/impl/LiveObject.hpp>

namespace Tessera {

namespace Impl {

struct Access;

/// The scratch memory of a workspace and the instance whose products use it.
template <class ExecutionSpace>
class WorkspaceMemory final : private LiveObject {
 public:
  WorkspaceMemory(const ExecutionSpace& exec, std::size_t bytes) : LiveObject(Kind::Workspace), instance_(exec) {
    enlarge(exec, bytes);
  }

  /// Replaces the buffer. Waits for the device before it frees memory.
  void enlarge(const ExecutionSpace& exec, std::size_t bytes) {
    buffer_ = {};
    buffer_ = allocate<Buffer>(exec, "Tessera::Workspace", bytes);
  }

  std::size_t bytes() const { return buffer_.extent(0); }
  std::byte* data() const { return buffer_.data(); }
  bool is_of(const ExecutionSpace& exec) const { return instance_ && are_one_queue(*instance_, exec); }
  void move_to(const ExecutionSpace& exec) { instance_ = exec; }
  /// Returns the memory for sums over rows. The first product that needs it allocates it, and it grows.
  const DenseWorkspace<ExecutionSpace>& dense() {
    if (!dense_) dense_.emplace();
    return *dense_;
  }

 private:
  using Buffer = Array<std::byte*, typename ExecutionSpace::memory_space>;

  std::size_t held_bytes() const override { return bytes(); }
  void release() noexcept override {
    buffer_ = {};
    dense_.reset();
    instance_.reset();
  }

  std::optional<ExecutionSpace> instance_;
  Buffer buffer_;
  std::optional<DenseWorkspace<ExecutionSpace>> dense_;
};

}  // namespace Impl

/// The scratch memory of products with one plan, in one mode, with up to a given number of columns, on one execution
/// space instance.
///
/// Plan::prepare makes it and allocates everything: spmm() with a workspace allocates nothing. Products with sums also
/// keep their sums in it; this memory grows with the number of columns. Two products that may run at the same time (two
/// streams, two host threads) need two workspaces; one plan serves both. Copies of a workspace share its memory, like
/// Kokkos::View.
template <class ExecutionSpace>
class Workspace {
 public:
  /// Makes an empty workspace, which may only be assigned to.
  Workspace() = default;

  Mode mode() const { return mode_; }                                   ///< the mode of its products
  int num_vectors() const { return num_vectors_; }                      ///< upper bound on the columns of X
  std::size_t bytes() const { return memory_ ? memory_->bytes() : 0; }  ///< bytes of device memory that spmm() uses

  /// Makes later products with this workspace, and with its copies, run on `exec`. The caller must have fenced the
  /// instance that earlier products ran on.
  ///
  /// \throws std::logic_error if the workspace is empty
  void move_to(const ExecutionSpace& exec) {
    if (!memory_)
      throw std::logic_error(
          "Tessera::Workspace::move_to: this workspace is empty; assign a result of prepare() first");
    memory_->move_to(exec);
  }

 private:
  friend struct Impl::Access;
  Workspace(const ExecutionSpace& exec, std::uint64_t plan, Mode mode, int num_vectors, std::size_t bytes)
      : plan_(plan),
        mode_(mode),
        num_vectors_(num_vectors),
        memory_(std::make_shared<Impl::WorkspaceMemory<ExecutionSpace>>(exec, bytes)) {}

  std::uint64_t plan_ = 0;  // id of the plan: a later plan may have the same address
  Mode mode_ = Mode::NoTranspose;
  int num_vectors_ = 0;
  std::shared_ptr<Impl::WorkspaceMemory<ExecutionSpace>> memory_;
};

}  // namespace Tessera
