// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace Tessera::Impl {

/// What holds memory or an instance of Kokkos', and may outlive Kokkos itself: in a static variable, or in a member of
/// somebody who forgot. Kokkos would end the program when it is destroyed after Kokkos::finalize().
///
/// Hence Kokkos::finalize() has every object that is alive release() what it holds, and says on stderr how many plans
/// and workspaces that were. (Hooks that users pushed before the first object was made run later.)
class LiveObject {
 public:
  enum class Kind { Plan, Workspace, Instance };  ///< an Instance is no news

  LiveObject(const LiveObject&) = delete;
  LiveObject& operator=(const LiveObject&) = delete;

 protected:
  explicit LiveObject(Kind kind);
  virtual ~LiveObject();

 private:
  friend class LiveObjects;
  virtual std::size_t held_bytes() const = 0;
  /// Leaves the object such that it holds nothing of Kokkos'.
  virtual void release() noexcept = 0;

  Kind kind_;
  LiveObject* next_ = nullptr;  // a list of all, which costs no memory and cannot fail
  LiveObject* previous_ = nullptr;
};

}  // namespace Tessera::Impl
