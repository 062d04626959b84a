// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace Tessera::Impl::Test {

/// Counts the bytes of Views that Kokkos Tools reports while the object lives, except those that Kokkos allocates for
/// itself. Only one object may exist at a time. Its destructor restores the former callbacks.
class MemoryMeter {
 public:
  MemoryMeter() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace Tools = Kokkos::Tools::Experimental;
    count() = {};
    Tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (!is_users(label)) return;
          Count& c = count();
          c.now += static_cast<std::int64_t>(bytes);
          c.live[label] += static_cast<std::int64_t>(bytes);
          if (c.now <= c.peak) return;
          c.peak = c.now;
          c.live_at_peak = c.live;
        });
    Tools::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (!is_users(label)) return;
          count().now -= static_cast<std::int64_t>(bytes);
          count().live[label] -= static_cast<std::int64_t>(bytes);
        });
  }
  ~MemoryMeter() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// The current bytes, minus the bytes at the construction of this object.
  std::int64_t now() const { return count().now; }
  /// The peak bytes, minus the bytes at the construction of this object.
  std::int64_t peak() const { return count().peak; }

  /// Lists the arrays that existed at the peak, with their bytes.
  std::string at_peak() const {
    std::string text;
    for (const auto& [label, bytes] : count().live_at_peak)
      if (bytes != 0) text += "  " + label + ' ' + std::to_string(bytes) + '\n';
    return text;
  }

 private:
  struct Count {
    std::int64_t now = 0, peak = 0;
    std::map<std::string, std::int64_t> live, live_at_peak;  // by label
  };
  // Kokkos Tools' callbacks are function pointers without data, so the counts are static.
  static Count& count() {
    static Count bytes;
    return bytes;
  }
  static bool is_users(std::string_view label) {
    return !label.starts_with("Kokkos::") && !label.starts_with("[unlabeled]");
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace Tessera::Impl::Test
