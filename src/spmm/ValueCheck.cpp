// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <tessera/ValueCheck.hpp>
#include <tessera/common/Mix.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera {

namespace {

#ifdef TESSERA_DEBUG
constexpr bool is_debug_build = true;
#else
constexpr bool is_debug_build = false;
#endif

std::atomic<bool>& wanted_checks() {
  static std::atomic<bool> wanted = [] {
    const char* wish = std::getenv("TESSERA_DEBUG");
    return wish == nullptr || *wish == '\0' ? is_debug_build : std::string_view(wish) != "0";
  }();
  return wanted;
}

}  // namespace

bool checks_values() { return wanted_checks().load(std::memory_order_relaxed); }
void check_values(bool wanted) { wanted_checks() = wanted; }

namespace Impl {

template <class ExecutionSpace>
std::uint64_t checksum_of_words(const ExecutionSpace& exec, const std::uint32_t* words, std::size_t size) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::checksum", IndexPolicy<ExecutionSpace>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & part) {
        part += mix_bits(i * mix_step + words[i]);  // each word is mixed with its index
      },
      sum);
  exec.fence("Tessera::checksum");
  return sum == 0 ? 1 : sum;
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template std::uint64_t checksum_of_words(const Exec&, const std::uint32_t*, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Impl

}  // namespace Tessera
