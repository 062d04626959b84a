// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <tessera/metrics/RowSample.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>

namespace Tessera::Impl {

std::size_t sampling_stride(Ordinal rows, std::size_t nonzeros) {
  constexpr std::size_t enough_entries = std::size_t(1) << 20, enough_chunks = 32;
  const auto chunks = static_cast<std::size_t>(rows / sampled_chunk);
  return std::max<std::size_t>(1, std::min(nonzeros / enough_entries, chunks / enough_chunks));
}

namespace {

/// Maps the rows of a sample to those of the matrix.
struct SampledRows {
  std::size_t stride;

  KOKKOS_FUNCTION std::size_t operator()(std::size_t row) const {
    const std::size_t sample = row / sampled_chunk;
    const std::uint64_t hash = (std::uint64_t(sample) + 1) * 0x9E3779B97F4A7C15u >> 32;
    return (sample * stride + std::size_t(hash % stride)) * sampled_chunk + row % sampled_chunk;
  }
};

}  // namespace

template <class ExecutionSpace>
Csr<typename ExecutionSpace::memory_space> sample_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                       std::size_t stride) {
  const std::size_t samples = static_cast<std::size_t>(A.rows / sampled_chunk) / stride;
  const SampledRows original{stride};
  Csr<typename ExecutionSpace::memory_space> result;
  result.rows = static_cast<Ordinal>(samples * sampled_chunk);
  result.columns = A.columns;
  const auto rows = static_cast<std::size_t>(result.rows);
  result.row_offsets = allocate<decltype(result.row_offsets)>(exec, "Tessera::sampled_offsets", rows + 1);
  const auto offsets = result.row_offsets;
  Offset entries = 0;
  Kokkos::parallel_scan(
      "Tessera::sampled_offsets", IndexPolicy<ExecutionSpace>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(std::size_t row, Offset & before, bool is_final) {
        if (is_final) offsets(row) = before;
        if (row < rows) before += A.row_offsets[original(row) + 1] - A.row_offsets[original(row)];
      },
      entries);
  exec.fence("Tessera::sampled_offsets");
  result.nonzeros = static_cast<std::size_t>(entries);
  result.column_indices = allocate<decltype(result.column_indices)>(exec, "Tessera::sampled_columns", result.nonzeros);
  const auto columns = result.column_indices;
  const TeamShape shape{256, lanes_for(static_cast<double>(entries) / result.rows)};
  Kokkos::parallel_for(
      "Tessera::sample_rows", teams(exec, static_cast<Ordinal>(samples), 0, shape),
      KOKKOS_LAMBDA(const typename Teams<ExecutionSpace>::member_type& team) {
        const std::size_t first = std::size_t(team.league_rank()) * sampled_chunk;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, sampled_chunk), [&](Ordinal r) {
          const std::size_t row = first + std::size_t(r);
          const Offset from = A.row_offsets[original(row)], to = offsets(row);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, offsets(row + 1) - to),
                               [&](Offset k) { columns(to + k) = A.column_indices[from + k]; });
        });
      });
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Csr<Exec::memory_space> sample_rows(const Exec&, const CsrPattern<Offset>&, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
