// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cub/device/device_radix_sort.cuh>
#include <future>
#include <tessera/cuda/RadixSort.hpp>

#include "../launch/Operands.hpp"
#include "../launch/PerDevice.cuh"

namespace Tessera::Impl::Cuda {

constexpr int key_bits = 64;

/// Calls run(), which calls CUB. CUB clears CUDA's last error and reports it as its own. Errors belong to host threads.
/// If another part of the program left an error, CUB runs in a second thread, so that part can still query its error.
///
/// \param wait [in] waits for the stream that run() uses, if any: each thread has its own cudaStreamPerThread
template <class Wait, class Run>
static void apart_from_errors_of_others(const Wait& wait, const Run& run) {
  if (cudaPeekAtLastError() == cudaSuccess) return run();
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  wait();
  std::async(std::launch::async, [&] {
    check(cudaSetDevice(device), "cudaSetDevice");
    run();
    wait();
  }).get();
}

/// Returns the bytes of scratch memory that CUB requires.
template <class Word>
static std::size_t cub_scratch_bytes(std::size_t size) {
  cub::DoubleBuffer<std::uint64_t> keys;
  cub::DoubleBuffer<Word> words;
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, words, size, 0, key_bits), "radix_sort_scratch_bytes");
  return bytes;
}

template <class Word>
std::size_t radix_sort_scratch_bytes(std::size_t size) {
  std::size_t bytes = 0;
  apart_from_errors_of_others([] {}, [&] { bytes = cub_scratch_bytes<Word>(size); });
  return ceil_divide<std::size_t>(bytes, 16) * 16;  // arrays are allocated in whole words
}

template <class Word>
int radix_sort(Stream stream, const SortArrays<Word>& arrays, int first_bit, int last_bit, void* scratch) {
  cub::DoubleBuffer<std::uint64_t> keys(arrays.keys[0], arrays.keys[1]);
  cub::DoubleBuffer<Word> words(arrays.words[0], arrays.words[1]);
  const auto wait = [&] { check(cudaStreamSynchronize(stream), "radix_sort"); };
  apart_from_errors_of_others(wait, [&] {
    std::size_t bytes = cub_scratch_bytes<Word>(arrays.size);
    check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, words, arrays.size, first_bit, last_bit, stream),
          "radix_sort");
  });
  return keys.selector;  // words.selector is the same
}

#define TESSERA_RADIX_SORT(Word)                                    \
  template std::size_t radix_sort_scratch_bytes<Word>(std::size_t); \
  template int radix_sort(Stream, const SortArrays<Word>&, int, int, void*);
TESSERA_RADIX_SORT(std::uint32_t)
TESSERA_RADIX_SORT(std::uint64_t)

}  // namespace Tessera::Impl::Cuda
