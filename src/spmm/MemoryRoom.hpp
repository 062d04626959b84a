// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tessera/format/FormatMemory.hpp>
#include <tessera/format/FormatTooLarge.hpp>

#include "Products.hpp"

/// What PlanOptions::memory_limit leaves for the steps of making a plan. In bytes of the plan's memory space.
namespace Tessera::Impl {

struct MemoryRoom {
  /// Kokkos takes up to 128 bytes more for an array than it holds; so much for all of them.
  static constexpr std::size_t rounding = 4096;

  std::size_t limit = no_memory_limit;
  std::size_t& peak;             // the most that was taken until now
  std::size_t kept = 0;          // by the rest of the plan, for good,
  std::size_t until_filled = 0;  // until values are filled in,
  std::size_t waiting = 0;       // and by what is undecided, or becomes something else

  std::size_t taken() const { return kept + until_filled + waiting + rounding; }
  /// \return no_memory_limit where there is none
  std::size_t left() const { return limit == no_memory_limit ? limit : limit - std::min(limit, taken()); }

  /// \throws FormatTooLarge
  [[noreturn]] void refuse(const std::string& what, std::size_t bytes, const char* expected) const {
    throw FormatTooLarge("Tessera: " + what + " takes " + std::to_string(bytes) + " bytes, memory_limit allows " +
                         std::to_string(limit) + "; expected " + expected);
  }

  /// What is left while something more waits.
  MemoryRoom beside(std::size_t bytes) const { return {limit, peak, kept, until_filled, waiting + bytes}; }

  /// For a step that allocates so much at once.
  /// \return whether there is room; if there is, it is taken note of
  bool take(std::size_t bytes) const {
    if (bytes > left()) return false;
    peak = std::max(peak, taken() + bytes);
    return true;
  }
  /// \throws FormatTooLarge if there is no room
  void take(const std::string& step, std::size_t bytes) const {
    if (!take(bytes)) refuse("a plan, while " + step + ",", taken() + bytes, "a larger limit");
  }
};

template <class Offset, class Memory>
std::size_t bytes_of(const BuiltCsr<Offset, Memory>& rows) {
  return rows.pattern.bytes() + rows.values.bytes();
}

/// What a plan holds, and takes at its peak, if rows in an order are brought into a format.
template <class Scalar, class Offset, class Memory>
struct FormatPrices {
  const BuiltCsr<Offset, Memory>& rows;
  const Orders<Memory>& orders;
  const MemoryRoom& room;

  void price(Candidate& candidate, const FormatMemory& format, const KernelMemory& kernels) const {
    const bool is_csr = candidate.format == Format::Csr, has_map = !rows.values.is_identity();
    const std::size_t map = format.places * sizeof(Offset);
    // A map from the order of rows is composed with that of the format. CSR is the rows themselves.
    const std::size_t build = is_csr ? 0 : format.pattern + map + format.scratch + (has_map ? map : 0);
    const std::size_t kept =
        room.kept + format.pattern + (is_csr && !has_map ? 0 : map) + format.places * sizeof(Scalar) + orders.bytes();
    const auto then = static_cast<double>(kept + room.until_filled + MemoryRoom::rounding);
    candidate.held_bytes = static_cast<double>(kept) + kernels.kept;
    candidate.peak_bytes = std::max({static_cast<double>(room.peak),
                                     static_cast<double>(room.taken() + bytes_of(rows) + orders.bytes() + build),
                                     then + std::max(kernels.kept, kernels.built)});
  }
};

}  // namespace Tessera::Impl
