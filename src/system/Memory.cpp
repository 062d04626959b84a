// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/system/impl/Memory.hpp>

namespace Tessera::Impl {
namespace {

std::optional<std::size_t> first_number(const std::string& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// Returns the number after a name, in a file whose lines have a name and a number.
std::optional<std::size_t> named_number(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::size_t number = 0;
  for (std::string key, rest; file >> key; std::getline(file, rest)) {
    if (key == name && file >> number) return number;
  }
  return std::nullopt;
}

/// Returns the bytes that Linux reports as available without swapping; on other systems, all physical memory.
std::size_t system_memory() {
  if (const auto kibibytes = named_number("/proc/meminfo", "MemAvailable:")) return *kibibytes * 1024;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

std::string mebibytes(double bytes) {
  constexpr double mebibyte = 1 << 20;
  char text[64];
  std::snprintf(text, sizeof text, bytes < mebibyte ? "%.0f bytes" : "%.0f MiB",
                bytes < mebibyte ? bytes : bytes / mebibyte);
  return text;
}

}  // namespace

std::size_t available_memory(const std::string& control_group) {
  const std::size_t available = system_memory();
  // /proc/meminfo ignores the limit of a container. A process that exceeds it is killed without a message.
  const auto limit = first_number(control_group + "/memory.max");
  const auto used = first_number(control_group + "/memory.current");
  if (!limit || !used) return available;
  // Linux caches files in memory, and frees the cache when a process needs the memory.
  const std::size_t files = named_number(control_group + "/memory.stat", "inactive_file").value_or(0);
  const std::size_t kept = *used - std::min(*used, files);
  return std::min(available, *limit - std::min(*limit, kept));
}

void require_memory(double bytes, std::size_t limit, const std::string& subject) {
  // For small matrices the check, up to three system calls, is not worth its cost.
  constexpr double small = 1 << 20;
  if (limit == 0 && bytes <= small) return;
  const double available = static_cast<double>(limit > 0 ? limit : available_memory());
  if (bytes > available) {
    throw std::runtime_error(subject + " needs " + mebibytes(bytes) + " of memory, " + mebibytes(available) +
                             (limit > 0 ? " are allowed" : " are available"));
  }
}

void reject_more_memory(std::size_t limit, const std::string& subject) {
  throw std::runtime_error(subject + " needs more than " + mebibytes(static_cast<double>(limit)) +
                           " of memory, which are allowed");
}

}  // namespace Tessera::Impl
