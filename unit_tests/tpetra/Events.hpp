// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Tessera::Impl::Test {

/// While the object lives, records the names of regions, kernels, allocations, Tessera's fences and copies between
/// arrays, and the arguments of note().
class Events {
 public:
  Events() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    names().clear();
    is_recording() = true;
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_push_region_callback([](const char* name) { names().push_back(name); });
    Tools::set_begin_parallel_for_callback(
        [](const char* name, std::uint32_t, std::uint64_t*) { names().push_back(name); });
    // On Cuda, Kokkos reports an allocation even for a team without scratch memory.
    Tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (bytes > 0) names().push_back(std::string("allocate ") + label);
        });
    Tools::set_begin_fence_callback([](const char* name, std::uint32_t, std::uint64_t*) {
      if (std::string_view(name).starts_with("Tessera")) names().push_back(std::string("fence ") + name);
    });
    Tools::set_begin_deep_copy_callback([](Kokkos::Tools::SpaceHandle, const char* target, const void*,
                                           Kokkos::Tools::SpaceHandle, const char*, const void*,
                                           std::uint64_t) { names().push_back(std::string("copy to ") + target); });
  }
  ~Events() {
    is_recording() = false;
    Kokkos::Tools::Experimental::set_callbacks(before_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// Adds a name if names are being recorded.
  static void note(const char* name) {
    if (is_recording()) names().push_back(name);
  }

  static std::size_t count(const std::string& text) {
    const auto contains = [&](const std::string& name) { return name.find(text) != std::string::npos; };
    return std::size_t(std::count_if(names().begin(), names().end(), contains));
  }
  /// Returns the index of the first name that contains the text, or -1.
  static std::ptrdiff_t find(const std::string& text) {
    const auto found = std::find_if(names().begin(), names().end(),
                                    [&](const std::string& name) { return name.find(text) != std::string::npos; });
    return found == names().end() ? -1 : found - names().begin();
  }
  static std::ptrdiff_t find_last(const std::string& text) {
    auto place = static_cast<std::ptrdiff_t>(names().size()) - 1;
    while (place >= 0 && names()[std::size_t(place)].find(text) == std::string::npos) --place;
    return place;
  }
  static std::string all() {
    std::string text;
    for (const auto& name : names()) text += name + '\n';
    return text;
  }

 private:
  static bool& is_recording() {
    static bool is = false;
    return is;
  }
  static std::vector<std::string>& names() {
    static std::vector<std::string> list;
    return list;
  }
  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace Tessera::Impl::Test
