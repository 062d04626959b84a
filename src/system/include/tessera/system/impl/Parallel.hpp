// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>

namespace Tessera::Impl {

/// Reports the finished fraction of a part of a longer job.
class Progress {
 public:
  Progress() = default;
  explicit Progress(const std::function<void(double)>& callback, double begin = 0, double end = 1)
      : callback_(callback ? &callback : nullptr), begin_(begin), end_(end) {}

  Progress part(double begin, double end) const {
    Progress result = *this;
    result.begin_ = begin_ + begin * (end_ - begin_);
    result.end_ = begin_ + end * (end_ - begin_);
    return result;
  }
  void operator()(double fraction) const {
    if (callback_ != nullptr) (*callback_)(begin_ + fraction * (end_ - begin_));
  }

 private:
  const std::function<void(double)>* callback_ = nullptr;
  double begin_ = 0;
  double end_ = 1;
};

/// Returns the number of threads for a request; 0 stands for all that the process may use. Throws std::invalid_argument
/// for a negative number.
int thread_count(int requested);

/// Calls task(index, worker) for each index in [0, count) on up to `threads` threads; the caller is worker 0.
///
/// Indices are handed out in ascending order, and none after a task has thrown. Hence all tasks with a lower index than
/// the first one that throws are run. Its exception is rethrown. Only worker 0 reports progress, finally 1.
void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t index, int worker)>& task,
                  const Progress& progress = {});

}  // namespace Tessera::Impl
