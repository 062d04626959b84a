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

/// Records what Kokkos Tools reports while the object lives. Only one object may exist at a time. Its destructor
/// restores the former callbacks.
class ToolEvents {
 public:
  ToolEvents() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace Tools = Kokkos::Tools::Experimental;
    log() = {};
    Tools::set_push_region_callback([](const char* name) {
      log().regions.emplace_back(name);
      ++log().open_regions;
    });
    Tools::set_pop_region_callback([] { --log().open_regions; });
    const auto note_kernel = [](const char* name, std::uint32_t, std::uint64_t*) { log().kernels.emplace_back(name); };
    Tools::set_begin_parallel_for_callback(note_kernel);
    Tools::set_begin_parallel_reduce_callback(note_kernel);
    Tools::set_begin_parallel_scan_callback(note_kernel);
    Tools::set_begin_fence_callback([](const char* name, std::uint32_t, std::uint64_t*) {
      // Ignores fences that Kokkos makes for these callbacks, and the fence at the start of each kernel of
      // Kokkos::Threads.
      const std::string_view fence = name;
      if (!fence.starts_with("Kokkos::Tools::invoke_kokkosp_callback") &&
          fence != "Kokkos::ThreadsInternal::fence: Unnamed Instance Fence")
        log().fences.emplace_back(name);
    });
    // On Cuda, Kokkos reports an allocation even for a team without scratch memory.
    Tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (bytes > 0) log().allocations.emplace_back(label);
        });
    Tools::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          if (bytes > 0) log().deallocations.emplace_back(label);
        });
    Tools::set_begin_deep_copy_callback([](Kokkos::Tools::SpaceHandle, const char* target, const void*,
                                           Kokkos::Tools::SpaceHandle, const char*, const void*,
                                           std::uint64_t) { log().copies.emplace_back(target); });
  }
  ~ToolEvents() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  ToolEvents(const ToolEvents&) = delete;
  ToolEvents& operator=(const ToolEvents&) = delete;

  /// The number of products.
  std::size_t executions() const { return count(log().regions, "Tessera::spmm"); }
  /// The number of plans that were made.
  std::size_t plans() const { return count(log().regions, "Tessera::make_plan"); }
  /// The number of kernels with a name.
  std::size_t count_kernels(std::string_view name) const { return count(log().kernels, name); }
  /// The number of matrices that were analysed: check_and_copy is the first kernel of make_plan().
  std::size_t analyses() const { return count(log().kernels, "Tessera::check_and_copy"); }
  /// The number of times that a plan took new values.
  std::size_t updates() const { return count(log().kernels, "Tessera::gather_values"); }
  /// The number of kernels and regions of Kokkos Kernels, including its BLAS. Regions named NATIVE (no other library
  /// computes) are not counted, because the kernels in them are.
  std::size_t kokkos_kernels() const {
    return count(log().kernels, "KokkosSparse::") + count(log().kernels, "KokkosBlas::") +
           count(log().regions, "KokkosSparse::") + count(log().regions, "KokkosBlas::") -
           count(log().regions, "KokkosSparse::spmv[NATIVE");
  }
  std::size_t allocations() const { return log().allocations.size(); }
  std::size_t allocations(std::string_view name) const { return count(log().allocations, name); }
  std::size_t copies() const { return log().copies.size(); }
  std::size_t fences(std::string_view name) const { return count(log().fences, name); }
  /// The number of events that make the host wait, or allocate or free memory.
  std::size_t waits_and_memory() const {
    return log().fences.size() + log().copies.size() + log().allocations.size() + log().deallocations.size();
  }
  const std::vector<std::string>& kernels() const { return log().kernels; }
  const std::vector<std::string>& regions() const { return log().regions; }
  /// The number of regions that were entered but not left.
  int open_regions() const { return log().open_regions; }

  /// All events as text, for the message of a test that fails.
  std::string text() const {
    std::string result;
    const auto append = [&](const char* what, const std::vector<std::string>& names) {
      for (const std::string& name : names) result += std::string(what) + ' ' + name + '\n';
    };
    append("region", log().regions);
    append("kernel", log().kernels);
    append("fence", log().fences);
    append("allocation", log().allocations);
    append("deallocation", log().deallocations);
    append("deep copy to", log().copies);
    return result;
  }

 private:
  struct Log {
    std::vector<std::string> regions, kernels, fences, allocations, deallocations, copies;
    int open_regions = 0;
  };
  // Kokkos Tools' callbacks are function pointers without data, so the log is static.
  static Log& log() {
    static Log names;
    return names;
  }
  static std::size_t count(const std::vector<std::string>& names, std::string_view start) {
    const auto starts = [&](const std::string& name) { return name.starts_with(start); };
    return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), starts));
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace Tessera::Impl::Test
