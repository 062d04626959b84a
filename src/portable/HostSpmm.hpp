// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Product.hpp>
#include <tessera/parallel/Teams.hpp>

#include "Slabs.hpp"
#include "simd/HostKernels.hpp"

/// Compiles a function for AVX2, and inlines all its calls. Empty for nvcc, which may mishandle the attributes.
#if defined(__x86_64__) && !defined(__CUDACC__)
#define TESSERA_HAS_AVX2 true
#define TESSERA_WITH_AVX2 [[gnu::target("avx2,fma"), gnu::flatten]]
#else
#define TESSERA_HAS_AVX2 false
#define TESSERA_WITH_AVX2
#endif

/// The product on a host backend, for any format. Threads share the rows; columns of X are packed in slabs.
namespace Tessera::Impl {

/// Whether functions marked TESSERA_WITH_AVX2 may be called.
inline bool has_avx2(SimdTarget target) { return TESSERA_HAS_AVX2 && target != SimdTarget::Baseline; }

/// Upper bound on the columns for a kernel. Kernels count the reals of a row, two for a complex number, in an int.
inline constexpr Ordinal most_columns = 1 << 29;

/// Returns the number of columns that a thread computes at a time if threads share the columns: whole cache lines of a
/// row, or up to four columns if columns are not adjacent.
template <class VectorScalar>
Ordinal columns_of_a_thread(Ordinal columns, std::int64_t threads, bool are_adjacent) {
  const std::int64_t line = std::max<std::int64_t>(1, 64 / sizeof(VectorScalar));
  const std::int64_t share = (columns + threads - 1) / threads;
  if (!are_adjacent) return static_cast<Ordinal>(std::clamp<std::int64_t>(share, 1, 4));
  return static_cast<Ordinal>(std::clamp<std::int64_t>((share + line - 1) / line * line, line, most_columns));
}

/// Calls body(first, last) for parts of [0, units) with about equal numbers of nonzeros. `nonzeros_before(u)` is the
/// number of nonzeros in the units before u. A unit (a row or a window) has a cost of its own, even if it is empty.
///
/// A single part runs without Kokkos, because a launch takes longer than a small product. Nothing else changes, because
/// launches by Kokkos on hosts also wait for the kernel. If there is a profiler, Kokkos launches the kernel.
template <class ExecutionSpace, class NonzerosBefore, class Body>
void parallel_for_balanced(const char* label, const ExecutionSpace& exec, Ordinal units,
                           const NonzerosBefore& nonzeros_before, const Body& body) {
  const std::int64_t unit_cost = 4;
  const auto cost_before = [=](Ordinal unit) { return std::int64_t(nonzeros_before(unit)) + unit_cost * unit; };
  const std::int64_t total = cost_before(units);
  const std::int64_t threads = exec.concurrency();
  const int parts = int(std::min<std::int64_t>({total / 4096 + 1, units, threads == 1 ? 1 : threads * 16}));
  if (parts == 1 && !Kokkos::Tools::profileLibraryLoaded()) return body(0, units);
  const auto first_unit = [=](int part) {
    const std::int64_t wanted = std::int64_t(double(total) * part / parts);
    Ordinal low = 0, high = units;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (cost_before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return part == parts ? units : low;
  };
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for(label, Policy(exec, 0, parts, Kokkos::ChunkSize(1)),
                       [=](int part) { body(first_unit(part), first_unit(part + 1)); });
}

/// Whether packing pays: it reads and writes all of X. With few nonzeros, reading only the required elements is
/// cheaper.
inline bool packing_pays(std::size_t nonzeros, Ordinal x_rows) {
  return nonzeros >= static_cast<std::size_t>(x_rows) / 4;
}

/// Calls multiply(product) for each slab of columns of X. In a slab, columns are adjacent, as the kernels require.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Multiply>
void for_each_slab(const ExecutionSpace& exec, std::size_t nonzeros, const Product<MatrixScalar, VectorScalar>& product,
                   Scratch scratch, const Multiply& multiply) {
  const auto& x = product.x;
  const bool are_adjacent = x.columns <= 1 || x.column_stride == 1;
  if (are_adjacent && x.columns <= most_columns) return multiply(product);
  Ordinal width = most_columns;
  if (!are_adjacent) {
    const auto row_bytes = static_cast<std::size_t>(std::max(x.rows, 1)) * sizeof(VectorScalar);
    width = static_cast<Ordinal>(std::min<std::size_t>(slab_columns<VectorScalar>, scratch.bytes / row_bytes));
    if (!packing_pays(nonzeros, x.rows) || width < 2) width = 1;
  }
  for_each_part(x.columns, width, [&](Ordinal first, Ordinal count) {
    auto slab = columns_of(product, first, count);
    if (count > 1 && !are_adjacent) {
      auto* packed = reinterpret_cast<VectorScalar*>(scratch.data);
      const auto pack = host_kernels<MatrixScalar, VectorScalar>(simd_target()).pack;
      const auto source = slab.x;
      parallel_for_balanced(
          "Tessera::pack", exec, x.rows, [=](Ordinal row) { return std::int64_t(row) * count; },
          [=](Ordinal begin, Ordinal end) { pack(source, packed, count, begin, end); });
      slab.x = {packed, x.rows, count, count, 1};
    }
    multiply(slab);
  });
}

}  // namespace Tessera::Impl
