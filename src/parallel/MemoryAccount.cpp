// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/MemoryLimit.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/parallel/MemoryAccount.hpp>

namespace Tessera::Impl {

std::size_t MemoryAccount::left() const {
  const std::size_t limit = limit_;
  return limit == no_memory_limit ? limit : limit - std::min<std::size_t>(limit, held_ + reserved_);
}

void MemoryAccount::charge(const std::string& array, std::size_t bytes) {
  const std::size_t more = rounded(bytes), limit = limit_, kept = std::min<std::size_t>(limit, reserved_);
  std::size_t before = held_;
  do {
    // `more` is less than `bytes` if rounding overflowed: such an array does not fit either.
    if (more < bytes || before > limit - kept || more > limit - kept - before) {
      throw FormatTooLarge("Tessera: the array " + array + " takes " + std::to_string(bytes) + " bytes beside " +
                           std::to_string(before + kept) + ", memory_limit allows " + std::to_string(limit) +
                           "; expected a larger limit");
    }
  } while (!held_.compare_exchange_weak(before, before + more));
  std::size_t most = peak_;
  while (most < before + more && !peak_.compare_exchange_weak(most, before + more)) {
  }
}

MemoryCharge::MemoryCharge(const std::string& array, std::size_t bytes) : bytes_(bytes) {
  const CurrentBuild* const build = CurrentBuild::of_this_thread();
  if (build == nullptr) return;
  build->account()->charge(array, bytes);
  account_ = build->account();
}

namespace {
thread_local const CurrentBuild* current_build = nullptr;
}

CurrentBuild::CurrentBuild(const void* queue, std::shared_ptr<MemoryAccount> account)
    : queue_(queue), account_(std::move(account)), outer_(current_build) {
  current_build = this;
}
CurrentBuild::~CurrentBuild() { current_build = outer_; }

const CurrentBuild* CurrentBuild::of_this_thread() { return current_build; }

std::size_t CurrentBuild::bytes_left() {
  return current_build == nullptr ? no_memory_limit : current_build->account_->left();
}

bool CurrentBuild::is_on(const void* queue) { return current_build != nullptr && current_build->queue_ == queue; }

}  // namespace Tessera::Impl
