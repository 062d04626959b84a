// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace Tessera::Impl {

/// The rate at which a GPU gathers rows of X, for a given number of bytes of X in use.
struct GatherRate {
  double footprint;  ///< bytes of X in use
  double bytes;      ///< bytes gathered in a second
};

/// Returns the bytes gathered in a second for a footprint in bytes. Interpolates measured rates, whose footprints
/// ascend, linearly in the logarithm of the footprint.
template <std::size_t count>
double gather_rate(const std::array<GatherRate, count>& rates, double footprint) {
  const auto first = rates.begin(), last = rates.end();
  const auto above = std::find_if(first, last, [&](const auto& rate) { return rate.footprint >= footprint; });
  if (above == first) return first->bytes;
  if (above == last) return std::prev(last)->bytes;
  const auto below = std::prev(above);
  const double share = std::log(footprint / below->footprint) / std::log(above->footprint / below->footprint);
  return below->bytes + share * (above->bytes - below->bytes);
}

/// The GPU that kernels, schedules and models are made for. Numbers were measured on one, unless they say otherwise.
namespace H200 {

inline constexpr int multiprocessors = 132;    ///< number of multiprocessors
inline constexpr int resident_warps = 32;      ///< warps of a multiprocessor that multiply tiles
inline constexpr int resident_threads = 1536;  ///< threads of a multiprocessor that multiply rows of CSR
inline constexpr std::size_t block_shared_bytes = 227 * 1024;  ///< upper bound on a block's bytes of shared memory
/// Bytes of shared memory that the blocks of a multiprocessor may have together, of 228 KB. When all of it was planned
/// for, blocks of 110 KB ran one at a time; the reason is unknown.
inline constexpr int shared_bytes = 212 * 1024;

inline constexpr double memory_rate = 4.8e12;    ///< bytes of memory in a second, by the data sheet
inline constexpr double streamed_rate = 4.2e12;  ///< bytes of memory in a second, as measured
inline constexpr double fp64_rate = 67e12;       ///< FP64 operations of tensor cores in a second, by the data sheet
inline constexpr double tf32_rate = 495e12;      ///< TF32 operations of tensor cores in a second, by the data sheet

/// The number of entries of CSR at which one more pass over A, for four columns of an X with LayoutLeft, takes as long
/// as the launch that copies X to rows: 8 ps for each entry.
inline constexpr double packing_entries = 650e3;

// If CSR is small, the launch that adds the pieces of long rows takes longer than such a row.
inline constexpr double small_entries = 1e6;  ///< entries below which CSR is small
inline constexpr double small_rows = 5e4;     ///< rows below which CSR is small
inline constexpr int uncut_row = 160;         ///< the longest row, in entries, that small CSR does not cut into pieces

/// Rates at which the kernel for CSR gathers rows of X, by the bytes of X that are in use at a time.
inline constexpr std::array<GatherRate, 7> csr_gathers = {
    {{1e6, 12.8e12}, {4e6, 9.5e12}, {32e6, 8.6e12}, {64e6, 7.2e12}, {128e6, 5.6e12}, {512e6, 4.6e12}, {2e9, 4.4e12}}};

/// Such rates by the bytes of X in a panel of columns, fitted to whole products (fit_model), made to descend by hand.
inline constexpr std::array<GatherRate, 6> product_gathers = {
    {{4e6, 8.9e12}, {32e6, 6.5e12}, {64e6, 6.4e12}, {128e6, 6.3e12}, {512e6, 4.5e12}, {2e9, 4.5e12}}};

}  // namespace H200
}  // namespace Tessera::Impl
