// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "Block.hpp"

namespace Tessera::Impl::Emulation {

/// The state of the emulated CUDA runtime other than memory, and the number of calls to it.
class Runtime {
 public:
  static constexpr int block_bytes = 227 * 1024;  // limit on shared memory, if the kernel allows it
  static constexpr int block_bytes_without_leave = 48 * 1024;

  static Runtime& instance() {
    static Runtime runtime;
    return runtime;
  }

  /// Returns the number of calls that a repeated product can avoid: all but launches and queries for the device number.
  int questions() const { return questions_; }
  void count_question() { ++questions_; }

  /// Stores an error until it is queried.
  template <class Error>
  Error remember(Error error) {
    if (error != Error()) last_error_ = static_cast<int>(error);
    return error;
  }
  template <class Error>
  Error take_last_error() {
    return static_cast<Error>(std::exchange(last_error_, 0));
  }

  /// Fails if the kernel already has a higher limit, because another thread may be about to launch it.
  void allow_shared_memory(const void* kernel, int bytes) {
    int& allowed = allowed_[kernel];
    if (bytes < allowed) fail("a kernel's leave for shared memory is taken back");
    allowed = bytes;
  }
  bool has_shared_memory(const void* kernel, std::size_t bytes) const {
    const auto found = allowed_.find(kernel);
    const int allowed = found == allowed_.end() ? block_bytes_without_leave : found->second;
    return bytes <= std::size_t(allowed < block_bytes_without_leave ? block_bytes_without_leave : allowed);
  }

 private:
  int questions_ = 0;
  int last_error_ = 0;
  std::map<const void*, int> allowed_;
};

}  // namespace Tessera::Impl::Emulation
