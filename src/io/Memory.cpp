// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tessera/io/impl/Memory.hpp>

namespace Tessera::Impl {
namespace {

std::optional<std::size_t> first_number(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The bytes that Linux says are available without swapping; on other systems, all physical memory.
std::size_t system_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, rest; meminfo >> key; std::getline(meminfo, rest)) {
    std::size_t kibibytes = 0;
    if (key == "MemAvailable:" && meminfo >> kibibytes) return kibibytes * 1024;
  }
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

std::string mebibytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f MiB", bytes / (1024.0 * 1024.0));
  return text;
}

}  // namespace

std::size_t available_memory() {
  std::size_t available = system_memory();
  // /proc/meminfo does not show the limit of a container. A process that exceeds it ends without a message.
  const auto limit = first_number("/sys/fs/cgroup/memory.max");
  const auto used = first_number("/sys/fs/cgroup/memory.current");
  if (limit && used) available = std::min(available, *limit - std::min(*limit, *used));
  return available;
}

void require_memory(double bytes, std::size_t limit, const std::string& subject) {
  // For small matrices the question, up to three system calls, is not worth its cost.
  constexpr double small = 1 << 20;
  if (limit == 0 && bytes <= small) return;
  const double available = static_cast<double>(limit > 0 ? limit : available_memory());
  if (bytes > available) {
    throw std::runtime_error(subject + " needs " + mebibytes(bytes) + " of memory, " + mebibytes(available) +
                             (limit > 0 ? " are allowed" : " are available"));
  }
}

}  // namespace Tessera::Impl
