// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Context.hpp"

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <fstream>
#include <harness/KokkosKernels.hpp>
#include <harness/Statistics.hpp>
#include <harness/TextFormat.hpp>
#include <harness/Timing.hpp>
#include <string>
#include <tessera/Version.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl::Benchmarks {

using namespace Harness;

namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// Returns the name of the GPU, or of the processor if Linux reports it.
std::string device_name() {
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Cuda().cuda_device_prop().name;
#else
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
#endif
}

double measure_copy_rate() {
  constexpr std::size_t count = std::size_t(1) << 24;  // doubles
  const Space exec;
  const Kokkos::View<double*, Space> source("source", count), target("target", count);
  std::vector<double> seconds(5);
  for (double& sample : seconds) {
    sample = seconds_of(exec, [&] {
      Kokkos::parallel_for(
          "copy", Kokkos::RangePolicy<Space>(exec, 0, count), KOKKOS_LAMBDA(int i) { target(i) = source(i); });
    });
  }
  return 2 * count * sizeof(double) / spread_of(seconds).median;
}

}  // namespace

double copy_bytes_per_second() {
  static const double rate = measure_copy_rate();
  return rate;
}

std::vector<std::pair<std::string, std::string>> context() {
  const Space exec;
  const KokkosKernelsBuild kernels = kokkos_kernels_build();
  return {{"device", device_name()},
          {"execution_space", exec.name()},
          {"concurrency", std::to_string(exec.concurrency())},
          {"tessera_version", TESSERA_VERSION_STRING},
          {"tessera_commit", std::string(version().commit)},
          {"kokkos_version", version_text(KOKKOS_VERSION)},
          {"kokkos_kernels", kernels.version.empty() ? "none" : kernels.version + ", " + kernels.flags},
          {"compiler", TESSERA_COMPILER},
          {"flags", TESSERA_FLAGS},
          {"copy_gb_per_s", std::to_string(1e-9 * copy_bytes_per_second())}};
}

void add_context() {
  for (const auto& [key, text] : context()) benchmark::AddCustomContext(key, text);
}

}  // namespace Tessera::Impl::Benchmarks
