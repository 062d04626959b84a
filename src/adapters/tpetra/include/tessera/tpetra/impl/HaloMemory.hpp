// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Behavior.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/TpetraOptions.hpp>

namespace Tessera::Impl {

/// Returns the value of an environment variable; empty if there is none.
inline std::string environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Returns how rows are sent, by the rules of HaloMemory: not Auto.
///
/// \throws std::invalid_argument if an environment variable is needed and has another value than those it may have
inline HaloMemory chosen_halo_memory(HaloMemory wanted) {
  if (wanted != HaloMemory::Auto) return wanted;
  const std::string wish = environment("TESSERA_HALO_MEMORY");
  if (wish == "host") return HaloMemory::Host;
  if (wish == "device") return HaloMemory::Device;
  if (wish == "nccl") return HaloMemory::Nccl;
  if (!wish.empty()) {
    throw std::invalid_argument("Tessera: TESSERA_HALO_MEMORY is '" + wish + "'; expected host, device or nccl");
  }
  const std::string old = environment("TESSERA_MPI_DEVICE_BUFFERS");  // deprecated
  if (old == "0") return HaloMemory::Host;
  if (old == "1") return HaloMemory::Device;
  if (!old.empty()) {
    throw std::invalid_argument("Tessera: TESSERA_MPI_DEVICE_BUFFERS is '" + old +
                                "'; expected 0 or 1, or TESSERA_HALO_MEMORY in its place");
  }
  return Tpetra::Details::Behavior::assumeMpiIsGPUAware() ? HaloMemory::Device : HaloMemory::Host;
}

}  // namespace Tessera::Impl
