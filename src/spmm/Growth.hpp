// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <tessera/select/SetupSeconds.hpp>
#include <utility>

namespace Tessera::Impl {

/// When a plan that begins with compressed rows replaces them by the format that it chooses.
///
/// Products are counted. Before one due product the plan analyses its matrix, before a later one it builds the format.
/// Both numbers follow from the matrix, the options, the device and its free memory, and from no clock. If the options
/// do not say how many columns X has, the first product does: of concurrent ones, any.
///
/// While growth is open, products hold the stored matrix for reading, and the due product waits until none does.
/// Several host threads may do so concurrently. Once growth is over, nothing is locked.
class Growth {
 public:
  using Reading = std::shared_lock<std::shared_mutex>;
  using Writing = std::unique_lock<std::shared_mutex>;
  enum class Next { Columns, Analysis, Building };

  bool is_open() const { return due_.load(std::memory_order_acquire) != no_product; }
  bool is_due(std::uint64_t product) const { return product >= due_.load(std::memory_order_acquire); }

  /// Keeps the stored matrix as it is while the result lives. The result is empty if growth is over.
  Reading read() const { return is_open() ? Reading(mutex_) : Reading(); }
  /// Lets the calling thread change the stored matrix. No other member but read() may be called without it.
  Writing write() const { return Writing(mutex_); }

  /// Sets the next step, and the first product that waits for it.
  void wait_for(Next next, std::uint64_t product, std::string state) {
    next_ = next;
    state_ = std::move(state);
    due_.store(product, std::memory_order_release);
  }
  /// Keeps the rows for good.
  void keep_rows(std::string state) { end(false, std::move(state)); }
  /// Notes that the chosen format has replaced the rows before a product.
  void finish(std::string state) { end(true, std::move(state)); }

  Next next() const { return next_; }
  std::uint64_t due() const { return due_.load(std::memory_order_acquire); }
  /// Whether the plan began with compressed rows and still stores them.
  bool has_only_rows() const { return !state_.empty() && !has_grown_; }
  /// Whether the rows were replaced, so that workspaces may be too small.
  bool has_grown() const { return has_grown_; }
  /// Returns what has happened and what is due, in words; empty if the plan was built at once.
  const std::string& state() const { return state_; }

 private:
  void end(bool has_grown, std::string state) {
    has_grown_ = has_grown;
    state_ = std::move(state);
    due_.store(no_product, std::memory_order_release);
  }

  mutable std::shared_mutex mutex_;
  std::atomic<std::uint64_t> due_{no_product};
  Next next_ = Next::Analysis;
  bool has_grown_ = false;
  std::string state_;
};

}  // namespace Tessera::Impl
