// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <AnyPlan.hpp>
#include <Runtime.hpp>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace Tessera::Python {

namespace {

std::mutex starting;
std::atomic<int> calls = 0;            // that use Kokkos now
std::atomic<int> calls_in_python = 0;  // of these
std::atomic<bool> has_started = false;
std::atomic<bool> was_forked = false;
std::atomic<bool> has_ended = false;
std::atomic<std::thread::id> last_thread;  // that ends Python, if has_ended
bool is_ours = false;

/// The number of threads that the environment asks for; 0 for Kokkos' default.
int asked_threads() {
  const char* const text = std::getenv("TESSERA_NUM_THREADS");
  if (text == nullptr) return 0;
  const std::string_view asked(text);
  int threads = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), threads);
  if (error != std::errc() || end != asked.data() + asked.size() || threads < 1) {
    throw std::invalid_argument("tessera: the environment variable TESSERA_NUM_THREADS is \"" + std::string(asked) +
                                "\"; expected a number from 1 on");
  }
  return threads;
}

int current_gpu() noexcept {
  int gpu = -1;
#ifdef KOKKOS_ENABLE_CUDA
  if (cudaGetDevice(&gpu) != cudaSuccess) gpu = -1;
#endif
  return gpu;
}

void initialize(const Device& device) {
  if (Kokkos::is_finalized())
    throw std::runtime_error("tessera: Kokkos was finalized in this process; it cannot be initialized again");
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (const int threads = asked_threads(); threads > 0) settings.set_num_threads(threads);
  if (const int gpu = device.is_cuda ? device.id : current_gpu(); gpu >= 0) settings.set_device_id(gpu);
  Kokkos::initialize(settings);
  is_ours = true;
}

void check_device(const Device& device) {
  if (!device.is_cuda) return;
#ifdef KOKKOS_ENABLE_CUDA
  if (device.id == Kokkos::device_id()) return;
  throw std::invalid_argument("tessera: an array is on " + name_of(device) + "; expected CUDA device " +
                              std::to_string(Kokkos::device_id()) +
                              ", the only one that this process uses: that of its first plan");
#else
  throw std::invalid_argument("tessera: an array is on " + name_of(device) +
                              "; expected the host, because this tessera was built with a Kokkos without CUDA");
#endif
}

void start(const Device& device) {
  if (!has_started) {
    const std::lock_guard lock(starting);
    if (!has_started) {
      const KeepCurrentGpu keep;
#ifndef KOKKOS_ENABLE_CUDA
      check_device(device);
#endif
      if (!Kokkos::is_initialized()) initialize(device);
      has_started = true;
    }
  }
  check_device(device);
}

}  // namespace

InUse::InUse(const Device& device) {
  if (was_forked) {
    throw std::runtime_error(
        "tessera: this process was forked from one that had used tessera, and threads do not survive a fork; expected "
        "the start method \"spawn\" or \"forkserver\" of multiprocessing");
  }
  ++calls;  // before has_ended is read
  try {
    if (has_ended) throw std::runtime_error("tessera: Python is about to end; expected no use of tessera");
    start(device);
  } catch (...) {
    --calls;
    // The process has usually ended after a second. Errors of its daemon threads would disturb until then.
    if (has_ended && std::this_thread::get_id() != last_thread.load())
      std::this_thread::sleep_for(std::chrono::seconds(1));
    throw;
  }
}

InUse::~InUse() { --calls; }

InPython::InPython() noexcept { ++calls_in_python; }

InPython::~InPython() { --calls_in_python; }

void finish() noexcept {
  last_thread = std::this_thread::get_id();
  has_ended = true;  // no call begins from now on
  if (was_forked) return;
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + std::chrono::seconds(5);
  while (calls > calls_in_python && steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (calls > 0 || !has_started) return;  // a thread may outlive the interpreter
  release_all();
  if (is_ours && Kokkos::is_initialized()) Kokkos::finalize();
}

void note_fork() noexcept { was_forked = was_forked || has_started || calls > 0; }

bool is_forked() noexcept { return was_forked; }

KeepCurrentGpu::KeepCurrentGpu() noexcept : gpu_(current_gpu()) {}

KeepCurrentGpu::~KeepCurrentGpu() {
#ifdef KOKKOS_ENABLE_CUDA
  if (gpu_ >= 0 && current_gpu() != gpu_) static_cast<void>(cudaSetDevice(gpu_));
#endif
}

#ifdef KOKKOS_ENABLE_CUDA
template <>
Kokkos::Cuda instance_of<Kokkos::Cuda>(Stream stream) {
  static std::mutex mutex;
  static auto* const instances = new std::unordered_map<Stream, Kokkos::Cuda>;
  const std::lock_guard lock(mutex);
  auto found = instances->find(stream);
  if (found == instances->end()) {
    static_cast<void>(cudaSetDevice(Kokkos::device_id()));  // an instance belongs to the current GPU
    found = instances->emplace(stream, Kokkos::Cuda(reinterpret_cast<cudaStream_t>(stream))).first;
  }
  return found->second;
}
#endif

}  // namespace Tessera::Python
