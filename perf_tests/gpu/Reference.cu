// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "Elements.cuh"
#include "Reference.hpp"

namespace Tessera::Impl::Bench {

namespace {

constexpr int block_threads = 256;
constexpr int most_blocks = 132 * 16;

int blocks_for(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(most_blocks, size / block_threads + 1));
}

/// A compensated sum: also adds up the rounding errors of its products and additions (Ogita, Rump and Oishi's Dot2).
struct DoubledSum {
  double high = 0, low = 0;

  __device__ void add_product(double a, double b) {
    const double product = __dmul_rn(a, b), product_error = __fma_rn(a, b, -product);
    const double sum = __dadd_rn(high, product), rest = __dsub_rn(sum, high);
    low += (__dsub_rn(high, __dsub_rn(sum, rest)) + __dsub_rn(product, rest)) + product_error;
    high = sum;
  }
  /// NOTE: if a summand is Inf, the sum of errors is NaN, and the plain sum is right.
  __device__ double value() const { return isfinite(high) ? high + low : high; }
};

template <class Scalar>
__global__ void reference_kernel(int rows, int columns, const int* row_offsets, const int* column_indices,
                                 const Scalar* values, const Scalar* X, Places places, double* sums, float* scales) {
  const std::size_t size = std::size_t(rows) * columns, step = std::size_t{gridDim.x} * block_threads;
  for (std::size_t e = std::size_t{blockIdx.x} * block_threads + threadIdx.x; e < size; e += step) {
    const int i = static_cast<int>(e / columns), j = static_cast<int>(e % columns);
    DoubledSum sum;
    double scale = 0;
    for (int k = row_offsets[i]; k < row_offsets[i + 1]; ++k) {
      const double a = values[k], x = X[places.of(column_indices[k], j)];
      sum.add_product(a, x);
      scale += fabs(a * x);
    }
    sums[e] = sum.value();
    scales[e] = __double2float_ru(scale);
  }
}

/// The expected value of an entry, and its error bound.
struct Expected {
  double value, bound;
};

template <class Scalar>
struct Judge {
  double alpha, beta;
  std::uint64_t initial;
  Tolerance tolerance;

  __host__ __device__ Expected expected(int i, int j, int length, double sum, double scale) const {
    const double old = beta == 0 ? 0 : static_cast<double>(element<Scalar>(initial, i, j));
    const double magnitude = fabs(alpha) * scale + fabs(beta) * fabs(old);
    const double value = beta == 0 ? alpha * sum : alpha * sum + beta * old;
    return {value, tolerance.constant * (length + 2) * (tolerance.unit * magnitude + tolerance.smallest)};
  }
  __host__ __device__ static bool accepts(const Expected& expected, double got) {
    if (isfinite(expected.value)) return fabs(got - expected.value) <= expected.bound;  // false for a NaN
    return isnan(expected.value) ? isnan(got) : got == expected.value;
  }
};

template <class Scalar>
__global__ void compare_kernel(const Scalar* memory, std::size_t size, std::size_t offset, Places places,
                               const int* row_offsets, const double* sums, const float* scales, Judge<Scalar> judge,
                               ComparisonCounts* counts) {
  const std::size_t step = std::size_t{gridDim.x} * block_threads;
  unsigned long long wrong = 0, touched = 0, checksum = 0;
  for (std::size_t e = std::size_t{blockIdx.x} * block_threads + threadIdx.x; e < size; e += step) {
    const Scalar got = memory[e];
    if (e < offset || !places.has(e - offset)) {
      touched += bits_of(got) != poison_bits<Scalar>();
      continue;
    }
    const int i = places.row(e - offset), j = places.column(e - offset);
    const std::size_t entry = std::size_t(i) * places.columns + j;
    checksum += mix(mix(entry + 1) ^ bits_of(got));
    const int length = row_offsets[i + 1] - row_offsets[i];
    const bool right =
        Judge<Scalar>::accepts(judge.expected(i, j, length, sums[entry], scales[entry]), static_cast<double>(got));
    if (!right) {
      ++wrong;
      atomicMin(&counts->first, static_cast<unsigned long long>(entry));
    }
  }
  atomicAdd(&counts->checksum, checksum);
  if (wrong > 0) atomicAdd(&counts->wrong, wrong);
  if (touched > 0) atomicAdd(&counts->touched, touched);
}

}  // namespace

Tolerance tolerance_of(const std::string& precision) {
  if (precision == "fp64") return {2, 0x1p-53, DBL_MIN};
  if (precision == "fp32") return {2, 0x1p-24, FLT_MIN};
  if (precision == "tf32x3") return {4, 0x1p-24, FLT_MIN};
  if (precision == "tf32") return {2, 0x1p-11, FLT_MIN};
  if (precision == "bf16") return {2, 0x1p-8, FLT_MIN};
  if (precision == "fp16") return {2, 0x1p-11, 0x1p-24};
  throw std::invalid_argument("precision '" + precision + "' is none of fp64, fp32, tf32x3, tf32, fp16, bf16");
}

std::string Verdict::text() const {
  if (good()) return "right";
  std::string text;
  if (wrong > 0) text = std::to_string(wrong) + " wrong entries, the first " + first;
  if (touched > 0) text += (text.empty() ? "" : "; ") + std::to_string(touched) + " elements around Y were written";
  return text;
}

namespace {

/// The largest factor of an operand's error in a product. Elements of X are at most 1.
double largest_operand(const HostMatrix& A) {
  double largest = 1;
  for (const double value : A.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

template <class Scalar>
Reference<Scalar>::Reference(cudaStream_t stream, const HostMatrix& A, const Multivector<Scalar>& X)
    : rows_(A.rows),
      largest_operand_(largest_operand(A)),
      columns_(X.columns()),
      row_offsets_(A.row_offsets),
      sums_(std::size_t(A.rows) * X.columns()),
      scales_(sums_.size()),
      counts_(1) {
  const DeviceArray<int> column_indices(A.column_indices);
  const DeviceArray<Scalar> values(std::vector<Scalar>(A.values.begin(), A.values.end()));
  check(cudaDeviceSynchronize(), "copies of the matrix");
  reference_kernel<<<blocks_for(sums_.size()), block_threads, 0, stream>>>(
      rows_, columns_, row_offsets_.data(), column_indices.data(), values.data(), X.data(), X.places(), sums_.data(),
      scales_.data());
  check(cudaGetLastError(), "reference_kernel");
  check(cudaStreamSynchronize(stream), "reference_kernel");
}

template <class Scalar>
Verdict Reference<Scalar>::compare(cudaStream_t stream, const Multivector<Scalar>& Y, double alpha, double beta,
                                   std::uint64_t initial, const Tolerance& tolerance) const {
  const Tolerance scaled = {tolerance.constant, tolerance.unit, tolerance.smallest * largest_operand_};
  const Judge<Scalar> judge{alpha, beta, initial, scaled};
  const ComparisonCounts none{0, 0, ~0ull, 0};
  check(cudaMemcpy(counts_.data(), &none, sizeof(none), cudaMemcpyHostToDevice), "copy to the device");
  check(cudaDeviceSynchronize(), "the product");
  compare_kernel<<<blocks_for(Y.memory_size()), block_threads, 0, stream>>>(
      Y.memory(), Y.memory_size(), Y.offset(), Y.places(), row_offsets_.data(), sums_.data(), scales_.data(), judge,
      counts_.data());
  check(cudaGetLastError(), "compare_kernel");
  check(cudaStreamSynchronize(stream), "compare_kernel");
  const ComparisonCounts counts = counts_.read(0);
  Verdict verdict{counts.wrong, counts.touched, counts.checksum, ""};
  if (counts.wrong > 0) {
    const auto i = static_cast<int>(counts.first / columns_), j = static_cast<int>(counts.first % columns_);
    const int length = row_offsets_.read(i + 1) - row_offsets_.read(i);
    const auto [value, bound] = judge.expected(i, j, length, sums_.read(counts.first), scales_.read(counts.first));
    Scalar got;
    check(cudaMemcpy(&got, Y.data() + Y.places().of(i, j), sizeof(got), cudaMemcpyDeviceToHost),
          "copy from the device");
    char text[200];
    std::snprintf(text, sizeof(text), "(%d, %d) of a row of %d nonzeros: got %.17g, expected %.17g, bound %.3g", i, j,
                  length, double(got), value, bound);
    verdict.first = text;
  }
  return verdict;
}

template class Reference<float>;
template class Reference<double>;

}  // namespace Tessera::Impl::Bench
