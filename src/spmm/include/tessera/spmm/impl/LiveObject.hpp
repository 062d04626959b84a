// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace Tessera::Impl {

/// An object that holds memory or an instance of Kokkos, and may outlive Kokkos, for example as a static variable.
/// Freeing such memory after Kokkos::finalize() would abort the program.
///
/// A hook of Kokkos::finalize() therefore calls release() of every object that exists, and warns how many plans and
/// workspaces were released. (Users' hooks run later if they were pushed before the first of these objects was made.)
class LiveObject {
 public:
  enum class Kind { Plan, Workspace, Instance };  ///< instances are not reported

  LiveObject(const LiveObject&) = delete;
  LiveObject& operator=(const LiveObject&) = delete;

 protected:
  explicit LiveObject(Kind kind);
  virtual ~LiveObject();

 private:
  friend class LiveObjects;
  virtual std::size_t held_bytes() const = 0;
  /// Frees all Kokkos memory and instances that the object holds.
  virtual void release() noexcept = 0;

  Kind kind_;
  LiveObject* next_ = nullptr;  // links the list of all objects, which needs no other memory and cannot fail
  LiveObject* previous_ = nullptr;
};

}  // namespace Tessera::Impl
