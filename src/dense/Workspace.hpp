// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <tessera/dense/DenseAlgebra.hpp>

namespace Tessera::Impl {

/// Arrays that grow if a call needs more memory than earlier calls. They are not initialized.
template <class ExecutionSpace>
struct DenseWorkspace<ExecutionSpace>::Memory {
  using DeviceSpace = typename ExecutionSpace::memory_space;
  using PinnedSpace = Kokkos::SharedHostPinnedSpace;
  template <class Space>
  using Bytes = Kokkos::View<std::byte*, Space>;

  /// Slots of a ring of small matrices for the device. A slot is used again once its copy is known to be complete.
  static constexpr int slots = 16;

  Bytes<DeviceSpace> partial;  ///< sums of parts of rows, or copies of rows that are overwritten
  Bytes<DeviceSpace> matrix;   ///< the small matrix of the running kernel
  Bytes<DeviceSpace> copies;   ///< row-major copies of multivectors with other layouts
  Bytes<PinnedSpace> results;  ///< results that the host waits for
  Bytes<PinnedSpace> ring;
  std::size_t slot_bytes = 0;
  int used_slots = 0;  ///< slots used since the last fence

  /// Returns an array of at least `count` elements. If it must grow, first waits for kernels that use it.
  template <class T, class Space>
  static T* take(const ExecutionSpace& exec, Bytes<Space>& array, const char* label, std::size_t count) {
    if (array.extent(0) < count * sizeof(T)) {
      exec.fence("Tessera::DenseWorkspace");
      array = {};
      array =
          Bytes<Space>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), count * sizeof(T));
    }
    return reinterpret_cast<T*>(array.data());
  }
  template <class T>
  T* take_partial(const ExecutionSpace& exec, std::size_t count) {
    return take<T>(exec, partial, "Tessera::DenseWorkspace::partial", count);
  }
  template <class T>
  T* take_matrix(const ExecutionSpace& exec, std::size_t count) {
    return take<T>(exec, matrix, "Tessera::DenseWorkspace::matrix", count);
  }
  template <class T>
  T* take_copies(const ExecutionSpace& exec, std::size_t count) {
    return take<T>(exec, copies, "Tessera::DenseWorkspace::copies", count);
  }
  template <class T>
  T* take_results(const ExecutionSpace& exec, std::size_t count) {
    return take<T>(exec, results, "Tessera::DenseWorkspace::results", count);
  }

  /// Copies `count` elements, which write(elements) writes, to the device. Waits only in every 16th call.
  template <class T, class Write>
  const T* send(const ExecutionSpace& exec, std::size_t count, const Write& write) {
    const std::size_t bytes = count * sizeof(T);
    T* target = take_matrix<T>(exec, count);
    if (bytes > slot_bytes) {
      const std::size_t larger = (bytes + 255) / 256 * 256;
      slot_bytes = 0;  // in case the allocation fails
      take<std::byte>(exec, ring, "Tessera::DenseWorkspace::ring", larger * slots);
      slot_bytes = larger;
      used_slots = 0;
    }
    if (used_slots == slots) wait(exec);
    auto* slot = ring.data() + std::size_t(used_slots++) * slot_bytes;
    write(reinterpret_cast<T*>(slot));
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(exec, Kokkos::View<T*, DeviceSpace, Unmanaged>(target, count),
                      Kokkos::View<const T*, PinnedSpace, Unmanaged>(reinterpret_cast<const T*>(slot), count));
    return target;
  }

  void wait(const ExecutionSpace& exec) {
    exec.fence("Tessera::DenseWorkspace");
    used_slots = 0;
  }
};

}  // namespace Tessera::Impl
