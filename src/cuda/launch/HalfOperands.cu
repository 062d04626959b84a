// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>
#include <tessera/Half.hpp>
#include <tessera/cuda/HalfOperands.hpp>

#include "../fragments/Layout.hpp"
#include "Launch.cuh"
#include "Operands.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int block_threads = 256;

template <Precision precision>
__device__ std::uint16_t rounded(float value) {
  return precision == Precision::Fp16 ? Half(value).bits : BFloat16(value).bits;
}

template <Precision precision>
__global__ void round_values_kernel(std::size_t count, const float* values, std::uint16_t* to,
                                    const std::uint32_t* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const std::size_t step = std::size_t(gridDim.x) * block_threads;
  for (std::size_t i = std::size_t(blockIdx.x) * block_threads + threadIdx.x; i < count; i += step)
    to[i] = rounded<precision>(values[i]);
}

template <Precision precision, HalfOrder order, class Scalar>
__device__ std::uint32_t rounded_pair(const Multivector<const Scalar>& x, Ordinal row, Ordinal place) {
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const Ordinal column = order == HalfOrder::Columns ? place + i : column_of_half_place(place + i);
    if (column >= x.columns) continue;
    bits |= std::uint32_t(rounded<precision>(static_cast<float>(x(row, column)))) << (16 * i);
  }
  return bits;
}

constexpr unsigned row_threads = 16, block_rows = block_threads / row_threads;

/// Rounds rows of adjacent columns. Adjacent threads round adjacent pairs of places.
template <Precision precision, HalfOrder order, class Scalar>
__global__ void round_rows_kernel(Multivector<const Scalar> x, std::uint32_t* to, unsigned words) {
  const unsigned row = blockIdx.x * block_rows + threadIdx.x / row_threads;
  if (row >= static_cast<unsigned>(x.rows)) return;
  for (unsigned word = threadIdx.x % row_threads; word < words; word += row_threads) {
    to[std::size_t(row) * words + word] = rounded_pair<precision, order>(x, static_cast<Ordinal>(row), 2 * word);
  }
}

/// Rounds rows whose columns are not adjacent. Adjacent threads round adjacent rows, and write 32 bytes each.
template <Precision precision, HalfOrder order, class Scalar>
__global__ void round_columns_kernel(Multivector<const Scalar> x, std::uint32_t* to, unsigned groups) {
  constexpr unsigned group_words = half_group / 2;
  const unsigned row = blockIdx.x / groups * block_threads + threadIdx.x, group = blockIdx.x % groups;
  if (row >= static_cast<unsigned>(x.rows)) return;
  alignas(16) std::uint32_t words[group_words];
#pragma unroll
  for (unsigned w = 0; w < group_words; ++w) {
    words[w] = rounded_pair<precision, order>(x, static_cast<Ordinal>(row), half_group * group + 2 * w);
  }
  auto* const place = reinterpret_cast<uint4*>(to + (std::size_t(row) * groups + group) * group_words);
  place[0] = reinterpret_cast<const uint4*>(words)[0];
  place[1] = reinterpret_cast<const uint4*>(words)[1];
}

template <class Visit>
void for_precision(const char* what, Precision precision, const Visit& visit) {
  if (precision == Precision::Fp16) return visit.template operator()<Precision::Fp16>();
  if (precision == Precision::Bf16) return visit.template operator()<Precision::Bf16>();
  throw std::invalid_argument(std::string(what) + ": " + std::string(to_string(precision)) + " is not of 16 bits");
}

}  // namespace

void round_values(Stream stream, Precision precision, std::size_t count, const float* values, std::uint16_t* to,
                  const std::uint32_t* wanted) {
  for_precision("round_values", precision, [&]<Precision p>() {
    if (count == 0) return;
    launch("round_values_kernel", round_values_kernel<p>, few_blocks_for(count, block_threads), block_threads, 0,
           stream, count, values, to, wanted);
  });
}

template <class Scalar>
void round_rows(Stream stream, Precision precision, HalfOrder order, const Multivector<const Scalar>& x,
                std::uint16_t* to) {
  const auto launch_order = [&]<Precision p, HalfOrder o>() {
    auto* const words = reinterpret_cast<std::uint32_t*>(to);
    const auto row_words = static_cast<unsigned>(rounded_row_stride(x.columns) / 2), groups = row_words / 8;
    const auto rows = static_cast<std::size_t>(x.rows);
    if (x.column_stride == 1) {
      launch("round_rows_kernel", round_rows_kernel<p, o, Scalar>, blocks_for(rows, block_rows), block_threads, 0,
             stream, x, words, row_words);
    } else {
      launch("round_columns_kernel", round_columns_kernel<p, o, Scalar>,
             launch_count(ceil_divide<std::size_t>(rows, block_threads) * groups), block_threads, 0, stream, x, words,
             groups);
    }
  };
  for_precision("round_rows", precision, [&]<Precision p>() {
    if (x.rows == 0 || x.columns == 0) return;
    if (order == HalfOrder::Columns) return launch_order.template operator()<p, HalfOrder::Columns>();
    launch_order.template operator()<p, HalfOrder::Products>();
  });
}

template void round_rows(Stream, Precision, HalfOrder, const Multivector<const float>&, std::uint16_t*);
template void round_rows(Stream, Precision, HalfOrder, const Multivector<const double>&, std::uint16_t*);
template void round_rows(Stream, Precision, HalfOrder, const Multivector<const Half>&, std::uint16_t*);
template void round_rows(Stream, Precision, HalfOrder, const Multivector<const BFloat16>&, std::uint16_t*);

}  // namespace Tessera::Impl::Cuda
