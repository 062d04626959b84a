// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Array.hpp>
#include <Kokkos_Core.hpp>
#include <Session.hpp>
#include <type_traits>

namespace Tessera::Python {

/// Keeps the current GPU of the thread, which Kokkos sets.
class KeepCurrentGpu {
 public:
  KeepCurrentGpu() noexcept;
  ~KeepCurrentGpu();
  KeepCurrentGpu(const KeepCurrentGpu&) = delete;
  KeepCurrentGpu& operator=(const KeepCurrentGpu&) = delete;

 private:
  int gpu_ = -1;
};

/// Returns the instance that queues work on the stream.
template <class Exec>
Exec instance_of(Stream) {
  return Exec();
}

#ifdef KOKKOS_ENABLE_CUDA
/// Instances are kept for all streams ever used: making one allocates and waits, and one whose stream the program has
/// destroyed must not be destroyed, because it would wait for the stream.
template <>
Kokkos::Cuda instance_of<Kokkos::Cuda>(Stream stream);
#endif

/// Returns the device of plans on this backend.
template <class Exec>
Device device_of() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return {true, Kokkos::device_id()};
#endif
  return {};
}

}  // namespace Tessera::Python
