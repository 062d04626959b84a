// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string_view>

namespace Tessera::Test {

/// Bytes of Views that Kokkos Tools reports while an object of this class lives, without what Kokkos takes for itself:
/// one object at a time. The callbacks that were there before come back with its end.
class MemoryMeter {
 public:
  MemoryMeter() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace Tools = Kokkos::Tools::Experimental;
    count() = {};
    Tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (!is_users(label)) return;
          count().now += static_cast<std::int64_t>(bytes);
          count().peak = std::max(count().peak, count().now);
        });
    Tools::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (is_users(label)) count().now -= static_cast<std::int64_t>(bytes);
        });
  }
  ~MemoryMeter() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// More than there were when this object began.
  std::int64_t now() const { return count().now; }
  /// The most of that.
  std::int64_t peak() const { return count().peak; }

 private:
  struct Count {
    std::int64_t now = 0, peak = 0;
  };
  // The callbacks are plain functions.
  static Count& count() {
    static Count bytes;
    return bytes;
  }
  static bool is_users(std::string_view label) {
    return !label.starts_with("Kokkos::") && !label.starts_with("[unlabeled]");
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace Tessera::Test
