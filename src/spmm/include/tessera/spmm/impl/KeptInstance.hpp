// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <optional>
#include <tessera/parallel/OneQueue.hpp>
#include <tessera/spmm/impl/LiveObject.hpp>

namespace Tessera::Impl {

/// Holds a Kokkos object as a member variable. It is empty after Kokkos::finalize(). A static object of this class does
/// not use Kokkos before it is set.
template <class Content>
class Kept {
 public:
  /// Returns the content, or null if it is empty.
  const Content* get() const { return kept_ && kept_->content ? &*kept_->content : nullptr; }
  void set(const Content& content) {
    if (!kept_) kept_.emplace();
    kept_->content = content;
  }

 private:
  struct Object final : LiveObject {
    Object() : LiveObject(Kind::Instance) {}
    std::size_t held_bytes() const override { return 0; }
    void release() noexcept override { content.reset(); }

    std::optional<Content> content;
  };

  std::optional<Object> kept_;
};

/// Holds an execution space instance.
template <class ExecutionSpace>
class KeptInstance : public Kept<ExecutionSpace> {
 public:
  /// Returns whether work on `exec` runs after all earlier work on the instance held here.
  bool is_one_queue_with(const ExecutionSpace& exec) const {
    return this->get() != nullptr && are_one_queue(*this->get(), exec);
  }
};

}  // namespace Tessera::Impl
