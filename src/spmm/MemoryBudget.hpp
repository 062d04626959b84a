// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tessera/format/FormatMemory.hpp>
#include <tessera/format/FormatTooLarge.hpp>

#include "StoredMatrix.hpp"

/// PlanOptions::memory_limit while a plan is made. All numbers are bytes of the plan's memory space.
namespace Tessera::Impl {

/// What is left of a limit. \return no_memory_limit where there is none
inline std::size_t bytes_left(std::size_t limit, std::size_t allocated) {
  return limit == no_memory_limit ? limit : limit - std::min(limit, allocated);
}

/// The memory that a plan has while a step runs, and the limit. A step charges what it allocates: that checks the limit
/// and raises `peak`, which all copies share. The charge does not stay. A step that runs while memory is held takes
/// beside(bytes).
struct MemoryBudget {
  /// Kokkos takes up to 128 bytes more for an array than the array holds. This is enough for all arrays of a plan.
  static constexpr std::size_t rounding = 4096;

  std::size_t limit = no_memory_limit;
  std::size_t& peak;                  // the most that was charged until now
  std::size_t kept = 0;               // what the rest of the plan keeps
  std::size_t kept_until_filled = 0;  // what is freed once the values are filled in
  std::size_t temporary = 0;          // what is freed, or becomes part of the plan, in a later step
  std::size_t reserved = 0;           // what blocks of rows that are built later need at least

  std::size_t allocated() const { return kept + kept_until_filled + temporary + rounding; }
  std::size_t left() const { return bytes_left(limit, allocated() + reserved); }

  /// \throws FormatTooLarge
  [[noreturn]] void refuse(const std::string& what, std::size_t bytes, const char* expected) const {
    throw FormatTooLarge("Tessera: " + what + " takes " + std::to_string(bytes) + " bytes, memory_limit allows " +
                         std::to_string(limit) + "; expected " + expected);
  }

  /// The budget of a step that runs while `bytes` more are allocated.
  MemoryBudget beside(std::size_t bytes) const {
    return {limit, peak, kept, kept_until_filled, temporary + bytes, reserved};
  }

  void raise_peak(double bytes) const { peak = std::max(peak, static_cast<std::size_t>(bytes)); }

  /// Charges a step that allocates `bytes` at once, if they are left. Returns whether they are.
  bool try_charge(std::size_t bytes) const {
    if (bytes > left()) return false;
    peak = std::max(peak, allocated() + bytes);
    return true;
  }
  /// \throws FormatTooLarge if fewer bytes are left
  void charge(const std::string& step, std::size_t bytes) const {
    if (!try_charge(bytes)) refuse("a plan, while " + step + ",", allocated() + reserved + bytes, "a larger limit");
  }
};

template <class Offset, class Memory>
std::size_t bytes_of(const BuiltCsr<Offset, Memory>& rows) {
  return rows.pattern.bytes() + rows.values.bytes();
}

/// Predicts what a plan holds, and allocates at its peak, if these rows are brought into a format.
template <class Scalar, class Offset, class Memory>
struct MemoryEstimate {
  const BuiltCsr<Offset, Memory>& rows;
  const Orders<Memory>& orders;
  const MemoryBudget& budget;

  void set_bytes(Candidate& candidate, const FormatMemory& format, const KernelMemory& kernels) const {
    const bool is_csr = candidate.format == Format::Csr, has_map = !rows.values.is_identity();
    const std::size_t map = format.places * sizeof(Offset);
    // The map of the rows is composed with that of the format. CSR is the rows themselves.
    const std::size_t build = is_csr ? 0 : format.pattern + map + format.scratch + (has_map ? map : 0);
    const std::size_t kept =
        budget.kept + format.pattern + (is_csr && !has_map ? 0 : map) + format.places * sizeof(Scalar) + orders.bytes();
    const auto built = static_cast<double>(kept + budget.kept_until_filled + MemoryBudget::rounding);
    candidate.held_bytes = static_cast<double>(kept) + kernels.kept;
    candidate.peak_bytes = std::max({static_cast<double>(budget.peak),
                                     static_cast<double>(budget.allocated() + bytes_of(rows) + orders.bytes() + build),
                                     built + std::max(kernels.kept, kernels.built)});
  }
};

}  // namespace Tessera::Impl
