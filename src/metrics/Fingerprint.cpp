// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <tessera/common/Mix.hpp>
#include <tessera/metrics/Fingerprint.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera::Impl {

/// Returns a hash of a number and its place. Lists differ in the sum of these hashes, whatever the order of summation.
KOKKOS_INLINE_FUNCTION std::uint64_t placed_hash(std::uint64_t place, std::uint64_t number) {
  return mix_bits(mix_bits(place + mix_step) + number);
}

template <class ExecutionSpace>
std::uint64_t fingerprint(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  std::uint64_t offsets = 0, columns = 0;
  Kokkos::parallel_reduce(
      "Tessera::fingerprint_offsets", Impl::IndexPolicy<ExecutionSpace>(exec, 0, std::size_t(A.rows)),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum) {
        sum += Impl::placed_hash(i, static_cast<std::uint64_t>(A.row_offsets[i + 1]));
      },
      offsets);
  Kokkos::parallel_reduce(
      "Tessera::fingerprint_columns", Impl::IndexPolicy<ExecutionSpace>(exec, 0, nonzeros),
      KOKKOS_LAMBDA(std::size_t k, std::uint64_t & sum) {
        sum += Impl::placed_hash(k, static_cast<std::uint64_t>(A.column_indices[k]));
      },
      columns);
  exec.fence("Tessera::fingerprint");
  const auto rows = static_cast<std::uint64_t>(A.rows), width = static_cast<std::uint64_t>(A.columns);
  return Impl::placed_hash(Impl::placed_hash(Impl::placed_hash(rows, width), offsets), columns);
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template std::uint64_t fingerprint(const Exec&, const CsrPattern<Offset>&, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
