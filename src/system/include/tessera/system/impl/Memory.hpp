// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace Tessera::Impl {

/// Returns the bytes that the process can still allocate without swapping, within the system and its container.
///
/// \param control_group [in] folder of the files with a container's limit (memory.max) and use on Linux
std::size_t available_memory(const std::string& control_group = "/sys/fs/cgroup");

/// Throws std::runtime_error("<subject> needs ... of memory, ... available") if `bytes` exceeds `limit`; a limit of 0
/// stands for the available memory.
void require_memory(double bytes, std::size_t limit, const std::string& subject);

/// Throws std::runtime_error("<subject> needs more than ... of memory, which are allowed"). For callers who know that
/// the limit is too small, but not the number of bytes needed.
[[noreturn]] void reject_more_memory(std::size_t limit, const std::string& subject);

}  // namespace Tessera::Impl
