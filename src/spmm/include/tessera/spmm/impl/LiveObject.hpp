// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace Tessera::Impl {

/// An object that holds memory or an instance of Kokkos and may outlive Kokkos, for example in a static variable.
/// Kokkos would end the program if such memory were freed after Kokkos::finalize().
///
/// Therefore a hook of Kokkos::finalize() calls release() of every object that is alive, and warns how many
/// plans and workspaces these were. (Hooks that users pushed before the first object was made run later.)
class LiveObject {
 public:
  enum class Kind { Plan, Workspace, Instance };  ///< an Instance is not reported

  LiveObject(const LiveObject&) = delete;
  LiveObject& operator=(const LiveObject&) = delete;

 protected:
  explicit LiveObject(Kind kind);
  virtual ~LiveObject();

 private:
  friend class LiveObjects;
  virtual std::size_t held_bytes() const = 0;
  /// Frees all that the object holds of Kokkos.
  virtual void release() noexcept = 0;

  Kind kind_;
  LiveObject* next_ = nullptr;  // links a list of all objects, which takes no memory and cannot fail
  LiveObject* previous_ = nullptr;
};

}  // namespace Tessera::Impl
