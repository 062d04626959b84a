// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera::Impl {

template <class ExecutionSpace, class Offset>
RowLengths row_lengths(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  RowLengths result;
  if (A.rows == 0) return result;
  const Offset* offsets = A.row_offsets;
  const Impl::IndexPolicy<ExecutionSpace> every_row(exec, 0, static_cast<std::size_t>(A.rows));
  Kokkos::parallel_reduce(
      "Tessera::row_lengths", every_row,
      KOKKOS_LAMBDA(std::size_t row, std::size_t & shortest, std::size_t & longest, std::size_t & empty) {
        const auto length = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
        if (length == 0) ++empty;
      },
      Kokkos::Min<std::size_t>(result.shortest), Kokkos::Max<std::size_t>(result.longest),
      Kokkos::Sum<std::size_t>(result.empty));
  const auto rows = static_cast<double>(A.rows);
  const double mean = static_cast<double>(Impl::read_element(exec, offsets + A.rows)) / rows;
  double squares = 0;
  Kokkos::parallel_reduce(
      "Tessera::row_lengths::deviation", every_row,
      KOKKOS_LAMBDA(std::size_t row, double& sum) {
        const double deviation = static_cast<double>(offsets[row + 1] - offsets[row]) - mean;
        sum += deviation * deviation;
      },
      squares);
  exec.fence("Tessera::row_lengths");
  result.mean = mean;
  result.deviation = std::sqrt(squares / rows);
  return result;
}

template <class ExecutionSpace, class Offset>
std::size_t most_entries(const ExecutionSpace& exec, const CsrPattern<Offset>& A, Ordinal window_rows) {
  std::size_t most = 0;
  if (A.rows == 0) return most;
  const Ordinal windows = (A.rows - 1) / window_rows + 1;
  Kokkos::parallel_reduce(
      "Tessera::most_entries", Impl::IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(windows)),
      KOKKOS_LAMBDA(std::size_t window, std::size_t & longest) {
        const std::size_t begin = window * std::size_t(window_rows);
        const std::size_t end = begin + std::size_t(window_rows) < std::size_t(A.rows)
                                    ? begin + std::size_t(window_rows)
                                    : std::size_t(A.rows);
        const auto entries = static_cast<std::size_t>(A.row_offsets[end] - A.row_offsets[begin]);
        if (entries > longest) longest = entries;
      },
      Kokkos::Max<std::size_t>(most));
  exec.fence("Tessera::most_entries");
  return most;
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                  \
  template RowLengths row_lengths(const Exec&, const CsrPattern<Offset>&); \
  template std::size_t most_entries(const Exec&, const CsrPattern<Offset>&, Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_USER_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
