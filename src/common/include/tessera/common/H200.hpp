// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace Tessera::Impl {

/// The rate at which a GPU gathers rows of X, measured for one footprint.
struct GatherRate {
  double footprint;  ///< bytes of X in use
  double bytes;      ///< bytes gathered per second
};

/// Returns the bytes gathered per second for a footprint in bytes. Interpolates between measured rates, sorted by
/// footprint, linearly in the logarithm of the footprint.
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

/// The GPU that kernels, schedules and models are tuned for. Numbers are measured, unless the comment says otherwise.
namespace H200 {

inline constexpr int multiprocessors = 132;                    ///< number of multiprocessors
inline constexpr int resident_warps = 32;                      ///< warps per multiprocessor that multiply tiles
inline constexpr int resident_threads = 1536;                  ///< threads per multiprocessor that multiply rows of CSR
inline constexpr std::size_t block_shared_bytes = 227 * 1024;  ///< upper bound on a thread block's shared memory
/// Bytes of shared memory that the resident thread blocks of a multiprocessor may use together. It has 228 KB, but when
/// schedules planned with all of it, thread blocks of 110 KB ran one at a time; the reason is unknown.
inline constexpr int shared_bytes = 212 * 1024;

inline constexpr double memory_rate = 4.8e12;    ///< bytes of memory per second, by the data sheet
inline constexpr double streamed_rate = 4.2e12;  ///< bytes of memory per second, as measured
inline constexpr double fp64_rate = 67e12;       ///< FP64 operations of tensor cores per second, by the data sheet
inline constexpr double tf32_rate = 495e12;      ///< TF32 operations of tensor cores per second, by the data sheet

/// The number of entries of CSR at which one more pass over A, for four columns of a column-major X, takes as long as
/// the launch that copies X to row-major order: 8 ps per entry.
inline constexpr double packing_entries = 650e3;

// If CSR is small, launching the kernel that adds the pieces of long rows takes longer than multiplying an uncut row.
inline constexpr double small_entries = 1e6;  ///< CSR is small below this number of entries
inline constexpr double small_rows = 5e4;     ///< CSR is small below this number of rows
inline constexpr int uncut_row = 160;         ///< entries of the longest row that small CSR does not cut into pieces

/// Rates at which the kernel for CSR gathers rows of X. Footprint: the bytes of X that are in use at a time.
inline constexpr std::array<GatherRate, 7> csr_gathers = {
    {{1e6, 12.8e12}, {4e6, 9.5e12}, {32e6, 8.6e12}, {64e6, 7.2e12}, {128e6, 5.6e12}, {512e6, 4.6e12}, {2e9, 4.4e12}}};

/// Rates fitted to whole products (fit_model), then made to descend by hand. Footprint: the bytes of a panel of X.
inline constexpr std::array<GatherRate, 6> product_gathers = {
    {{4e6, 8.9e12}, {32e6, 6.5e12}, {64e6, 6.4e12}, {128e6, 6.3e12}, {512e6, 4.5e12}, {2e9, 4.5e12}}};

}  // namespace H200
}  // namespace Tessera::Impl
