// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Mode.hpp>

namespace Tessera {

/// The scratch memory of products with one plan, one mode and up to a number of columns, on one execution space
/// instance.
///
/// Made by Plan::prepare, which is where everything is allocated: a product with a workspace allocates nothing. Two
/// products that may run at the same time (two streams, two host threads) need two workspaces; one plan serves both.
template <class ExecutionSpace>
class Workspace {
 public:
  Workspace() = default;

  Mode mode() const { return mode_; }
  int columns() const { return columns_; }                             ///< the most columns a product may have
  std::size_t bytes() const { return buffer_.extent(0); }              ///< device memory held
  std::byte* data() const { return buffer_.data(); }                   ///< for the library: packed columns of X
  bool belongs_to(std::uint64_t plan) const { return plan_ == plan; }  ///< for the library

  /// For the library: users call Plan::prepare.
  Workspace(const ExecutionSpace& exec, std::uint64_t plan, Mode mode, int columns, std::size_t bytes)
      : plan_(plan), mode_(mode), columns_(columns) {
    if (bytes > 0) buffer_ = Buffer(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Tessera::Workspace"), bytes);
  }

 private:
  using Buffer = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;

  std::uint64_t plan_ = 0;  // the number of a plan: an address could be that of a later one
  Mode mode_ = Mode::NoTranspose;
  int columns_ = 0;
  Buffer buffer_;
};

}  // namespace Tessera
