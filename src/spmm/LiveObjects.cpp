// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <mutex>
#include <string>
#include <tessera/spmm/impl/LiveObject.hpp>

#include "Warn.hpp"

namespace Tessera::Impl {

/// The list of all live objects of the process.
class LiveObjects {
 public:
  /// Returns the list, which is never destroyed: static plans remove themselves from it at the end of the program.
  static LiveObjects& all() {
    static auto* objects = new LiveObjects;
    return *objects;
  }

  void add(LiveObject& object) {
    const std::lock_guard lock(mutex_);
    // One hook is enough: Kokkos cannot start again. A user's hook that runs later must free the objects that it makes.
    if (!is_hooked_) Kokkos::push_finalize_hook([] { all().release(); });
    is_hooked_ = true;
    object.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &object;
    first_ = &object;
  }

  void remove(LiveObject& object) {
    const std::lock_guard lock(mutex_);
    (object.previous_ == nullptr ? first_ : object.previous_->next_) = object.next_;
    if (object.next_ != nullptr) object.next_->previous_ = object.previous_;
  }

 private:
  struct Tally {
    std::size_t count = 0;
    std::size_t bytes = 0;

    std::string text(const char* what) const {
      return std::to_string(count) + ' ' + what + (count == 1 ? " (" : "s (") + std::to_string(bytes) + " bytes)";
    }
  };

  void release() {
    Tally plans, workspaces;
    release_and_count(plans, workspaces);
    if (plans.count + workspaces.count == 0) return;
    warn(plans.text("plan") + " and " + workspaces.text("workspace") +
         " are alive at Kokkos::finalize(), which frees them: they must not be used any more, and should be destroyed "
         "before");
  }

  void release_and_count(Tally& plans, Tally& workspaces) {
    const std::lock_guard lock(mutex_);
    for (LiveObject* object = first_; object != nullptr; object = object->next_) {
      if (object->kind_ != LiveObject::Kind::Instance) {
        Tally& tally = object->kind_ == LiveObject::Kind::Plan ? plans : workspaces;
        ++tally.count;
        tally.bytes += object->held_bytes();
      }
      object->release();
    }
  }

  std::mutex mutex_;
  LiveObject* first_ = nullptr;
  bool is_hooked_ = false;
};

LiveObject::LiveObject(Kind kind) : kind_(kind) { LiveObjects::all().add(*this); }
LiveObject::~LiveObject() { LiveObjects::all().remove(*this); }

}  // namespace Tessera::Impl
