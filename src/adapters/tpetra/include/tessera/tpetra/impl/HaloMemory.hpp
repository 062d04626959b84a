// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Behavior.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/tpetra/TpetraOptions.hpp>

namespace Tessera::Impl {

/// Returns whether MPI is given memory of the device, by the rules of HaloMemory.
///
/// \throws std::invalid_argument if the environment variable is needed and is neither 0 nor 1
inline bool sends_device_memory(HaloMemory wanted) {
  if (wanted != HaloMemory::Auto) return wanted == HaloMemory::Device;
  const char* const text = std::getenv("TESSERA_MPI_DEVICE_BUFFERS");
  const std::string_view wish = text == nullptr ? "" : text;
  if (wish.empty()) return Tpetra::Details::Behavior::assumeMpiIsGPUAware();
  if (wish != "0" && wish != "1") {
    throw std::invalid_argument("Tessera: TESSERA_MPI_DEVICE_BUFFERS is '" + std::string(wish) + "'; expected 0 or 1");
  }
  return wish == "1";
}

}  // namespace Tessera::Impl
