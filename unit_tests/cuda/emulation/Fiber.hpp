// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_ADDRESS_SANITIZER
#endif
#endif
#ifdef TESSERA_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace Tessera::Impl::Emulation {

/// A function that runs on its own stack and switches to other fibers. A fiber without a stack is the program's main
/// flow. The address sanitizer is notified of every switch.
class Fiber {
 public:
  /// The next switch to this fiber calls the function, which must never return.
  void start(void (*function)()) {
    if (stack_ == nullptr) stack_.reset(new char[stack_bytes]);
    lowest_ = stack_.get(), bytes_ = stack_bytes;
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = stack_bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, function, 0);
  }

  /// Switches from this fiber, which must be running, to another. Returns when another fiber switches back.
  void switch_to(Fiber& other) {
    [[maybe_unused]] void* frames = nullptr;
#ifdef TESSERA_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&frames, other.lowest_, other.bytes_);
#endif
    swapcontext(&context_, &other.context_);
#ifdef TESSERA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
  }

  /// Must be called first in the function of a fiber. from: the fiber that switched to it.
  static void entered([[maybe_unused]] Fiber& from) {
#ifdef TESSERA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &from.lowest_, &from.bytes_);
#endif
  }

 private:
  static constexpr std::size_t stack_bytes = 1 << 17;

  ucontext_t context_;
  std::unique_ptr<char[]> stack_;
  const void* lowest_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace Tessera::Impl::Emulation
