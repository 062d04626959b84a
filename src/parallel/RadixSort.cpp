// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <optional>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/RadixSort.hpp>
#include <tessera/parallel/Teams.hpp>

#ifdef TESSERA_HAS_CUDA
#include <tessera/cuda/RadixSort.hpp>
#include <tessera/parallel/CurrentGpu.hpp>
#endif

namespace Tessera::Impl {

constexpr int radix_bits = 8;
constexpr int radix_digits = 1 << radix_bits;

/// Returns the number of blocks whose digits are counted separately: enough to balance threads or to fill a device.
template <class ExecutionSpace>
std::size_t radix_blocks(const ExecutionSpace& exec, std::size_t size) {
  constexpr bool host = is_host_space<ExecutionSpace>;
  const std::size_t most = host ? 4 * static_cast<std::size_t>(exec.concurrency()) : 32768;
  return std::max<std::size_t>(1, std::min(most, size / (host ? 4096 : 512)));
}

/// Makes one stable pass over the digit at `shift`. Elements of block b with digit d are placed after all elements with
/// smaller digits, and after the elements of earlier blocks with digit d. A thread of a host counts in an array of its
/// own. A lane of a device counts in `counts`: the stack of all lanes that can run would take as much memory again.
template <class ExecutionSpace, class Word, class Counts>
static void radix_pass(const ExecutionSpace& exec, int shift, const RadixArrays<Word>& arrays, int from,
                       const Counts& counts) {
  const std::size_t size = arrays.size;
  const std::size_t blocks = counts.extent(0) / radix_digits;
  const std::size_t block_size = (size + blocks - 1) / blocks;
  const std::uint64_t* const keys = arrays.keys[from];
  const Word* const words = arrays.words[from];
  std::uint64_t* const sorted_keys = arrays.keys[1 - from];
  Word* const sorted_words = arrays.words[1 - from];
  constexpr bool host = is_host_space<ExecutionSpace>;
  const auto place = KOKKOS_LAMBDA(std::size_t digit) { return host ? digit : digit * blocks; };
  const auto place_of_key = KOKKOS_LAMBDA(std::uint64_t key) {
    return place(std::size_t(key >> shift) & (radix_digits - 1));
  };

  Kokkos::parallel_for(
      "Tessera::radix_sort::count", IndexPolicy<ExecutionSpace>(exec, 0, blocks), KOKKOS_LAMBDA(std::size_t block) {
        std::size_t own[host ? radix_digits : 1];
        std::size_t* const count = host ? own : &counts(block);
        for (std::size_t d = 0; d < std::size_t(radix_digits); ++d) count[place(d)] = 0;
        const std::size_t begin = block * block_size;
        const std::size_t end = begin + block_size < size ? begin + block_size : size;
        for (std::size_t i = begin; i < end; ++i) ++count[place_of_key(keys[i])];
        for (std::size_t d = 0; host && d < std::size_t(radix_digits); ++d) counts(d * blocks + block) = count[d];
      });
  Kokkos::parallel_scan(
      "Tessera::radix_sort::scan", IndexPolicy<ExecutionSpace>(exec, 0, counts.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum, bool final) {
        const std::size_t count = counts(i);
        if (final) counts(i) = sum;
        sum += count;
      });
  Kokkos::parallel_for(
      "Tessera::radix_sort::scatter", IndexPolicy<ExecutionSpace>(exec, 0, blocks), KOKKOS_LAMBDA(std::size_t block) {
        std::size_t own[host ? radix_digits : 1];
        std::size_t* const next = host ? own : &counts(block);
        for (std::size_t d = 0; host && d < std::size_t(radix_digits); ++d) next[d] = counts(d * blocks + block);
        const std::size_t begin = block * block_size;
        const std::size_t end = begin + block_size < size ? begin + block_size : size;
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t target = next[place_of_key(keys[i])]++;
          sorted_keys[target] = keys[i];
          sorted_words[target] = words[i];
        }
      });
}

/// Calls the sort of the layer `cuda`, if it is built and runs on the GPU. Returns nothing for all other backends.
template <class ExecutionSpace, class Word>
std::optional<int> sort_by_cuda(const ExecutionSpace&, const RadixArrays<Word>&, int, int, std::byte*) {
  return std::nullopt;
}
template <class Word, class ExecutionSpace>
std::optional<std::size_t> cuda_scratch_bytes(const ExecutionSpace&, std::size_t) {
  return std::nullopt;
}

#ifdef TESSERA_HAS_CUDA
template <class Word>
std::optional<std::size_t> cuda_scratch_bytes(const Kokkos::Cuda& exec, std::size_t size) {
  if (!has_cuda_kernels(exec)) return std::nullopt;
  const CurrentGpu gpu(exec);
  return Cuda::radix_sort_scratch_bytes<Word>(size);
}

template <class Word>
std::optional<int> sort_by_cuda(const Kokkos::Cuda& exec, const RadixArrays<Word>& arrays, int first_bit, int last_bit,
                                std::byte* scratch) {
  if (!has_cuda_kernels(exec)) return std::nullopt;
  const CurrentGpu gpu(exec);
  const Cuda::SortArrays<Word> sorted{
      {arrays.keys[0], arrays.keys[1]}, {arrays.words[0], arrays.words[1]}, arrays.size};
  return Cuda::radix_sort(exec.cuda_stream(), sorted, first_bit, last_bit, scratch);
}
#endif

template <class ExecutionSpace, class Word>
std::size_t radix_scratch_bytes(const ExecutionSpace& exec, std::size_t size) {
  return cuda_scratch_bytes<Word>(exec, size).value_or(radix_digits * radix_blocks(exec, size) * sizeof(std::size_t));
}

template <class ExecutionSpace, class Word>
int sort_words(const ExecutionSpace& exec, const RadixArrays<Word>& arrays, int first_bit, int last_bit,
               std::byte* scratch) {
  if (const auto result = sort_by_cuda(exec, arrays, first_bit, last_bit, scratch)) return *result;
  const Kokkos::View<std::size_t*, typename ExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      counts(reinterpret_cast<std::size_t*>(scratch), radix_digits * radix_blocks(exec, arrays.size));
  int from = 0;
  for (int shift = first_bit; shift < last_bit; shift += radix_bits, from = 1 - from)
    radix_pass(exec, shift, arrays, from, counts);  // the last digit may extend beyond last_bit, where all bits are 0
  return from;
}

#define TESSERA_INSTANTIATE(Exec, Word)                                           \
  template std::size_t radix_scratch_bytes<Exec, Word>(const Exec&, std::size_t); \
  template int sort_words(const Exec&, const RadixArrays<Word>&, int, int, std::byte*);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, std::uint32_t)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, std::uint64_t)

}  // namespace Tessera::Impl
