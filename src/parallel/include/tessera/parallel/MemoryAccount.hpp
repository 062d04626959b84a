// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <tessera/parallel/TooManyPlaces.hpp>

namespace Tessera::Impl {

/// The memory of a plan and its limit. While a BuildScope (ArrayMemory.hpp) names the account, all Arrays that its
/// thread allocates are charged to it. Several threads may charge it concurrently.
class MemoryAccount {
 public:
  /// Allocators round sizes up to multiples of this number of bytes, and so do charges.
  static constexpr std::size_t grain = 512;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + grain - 1) / grain * grain; }

  explicit MemoryAccount(std::size_t limit) : limit_(limit) {}

  std::size_t limit() const { return limit_; }
  /// The limit may be less than the bytes already held.
  void set_limit(std::size_t limit) { limit_ = limit; }
  std::size_t held() const { return held_; }
  /// Peak of the bytes held.
  std::size_t peak() const { return peak_; }
  /// Returns the bytes that may still be allocated; no_memory_limit if there is no limit.
  std::size_t left() const;

  /// Charges an array before it is allocated.
  /// \throws FormatTooLarge, which names the array, if the array does not fit. Nothing is charged then
  void charge(const std::string& array, std::size_t bytes);
  void give_back(std::size_t bytes) noexcept { held_ -= rounded(bytes); }

  /// Upper bound on the places of any format of the plan.
  std::size_t most_places() const { return most_places_; }
  void set_most_places(std::size_t places) { most_places_ = places; }

  /// Reserves this number of bytes, within the limit, for later allocations.
  void set_reserved(std::size_t bytes) { reserved_ = bytes; }

 private:
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> most_places_{most_entries_of_block};
  std::atomic<std::size_t> reserved_{0};
  std::atomic<std::size_t> held_{0};
  std::atomic<std::size_t> peak_{0};
};

/// Reserves bytes of an account for later allocations while this object lives.
class MemoryReserve {
 public:
  MemoryReserve(MemoryAccount& account, std::size_t bytes) : account_(account) { account_.set_reserved(bytes); }
  ~MemoryReserve() { account_.set_reserved(0); }
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

 private:
  MemoryAccount& account_;
};

/// The charge of an array to an account, if there is one. The destructor returns the charge.
class MemoryCharge {
 public:
  MemoryCharge(const std::string& array, std::size_t bytes);
  ~MemoryCharge() {
    if (account_) account_->give_back(bytes_);
  }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

 private:
  std::shared_ptr<MemoryAccount> account_;
  std::size_t bytes_;
};

}  // namespace Tessera::Impl
