// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tessera/system/impl/Parallel.hpp>
#include <thread>
#include <vector>

namespace Tessera::Impl {

int thread_count(int requested) {
  if (requested < 0) {
    throw std::invalid_argument("number of threads is " + std::to_string(requested) +
                                ", expected 0 (all available) or more");
  }
  return requested > 0 ? requested : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t, int)>& task,
                  const Progress& progress) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_index = count;

  const auto work = [&](int worker) {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        task(index, worker);
        ++done;
        if (worker == 0) progress(static_cast<double>(done) / static_cast<double>(count));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (index < error_index) {
          error = std::current_exception();
          error_index = index;
        }
        next = count;
      }
    }
  };

  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min(static_cast<std::size_t>(threads), count);
    try {
      for (std::size_t worker = 1; worker < wanted; ++worker) helpers.emplace_back(work, static_cast<int>(worker));
    } catch (const std::system_error&) {
      // The system grants no more threads: the running ones do all the work.
    }
    work(0);
  }
  if (error) std::rethrow_exception(error);
  progress(1);
}

}  // namespace Tessera::Impl
