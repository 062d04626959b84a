// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cuda/ptx/Mma.cuh>
#include <random>
#include <tessera/Half.hpp>

#include "Device.hpp"
#include "Rate.hpp"

namespace Tessera::Impl::Bench {

namespace {

using namespace Tessera::Impl::Cuda;

// D (m x 8) = A (m x k) B (k x 8), all row-major, with fragments as Mma.cuh describes them. A lane's element i of A is
// (g + 8 (i % 2), t + 4 (i / 2)), of B (t + 4 i, g), of D (g + 8 (i / 2), 2 t + i % 2). With m = 8, A and D have only
// the elements in the upper half.

template <int m, int k, class Fragment>
__device__ void load_a(Fragment& a, const double* A, int g, int t) {
  constexpr int halves = m / 8;
  for (int i = 0; i < halves * k / 4; ++i) a[i] = A[(g + 8 * (i % halves)) * k + t + 4 * (i / halves)];
}
template <int k, class Fragment>
__device__ void load_b(Fragment& b, const double* B, int g, int t) {
  for (int i = 0; i < k / 4; ++i) b[i] = B[(t + 4 * i) * 8 + g];
}

template <int m, int k>
__device__ void multiply_fp64(double (&d)[m / 4], const double (&a)[m * k / 32], const double (&b)[k / 4]) {
  if constexpr (m == 8) mma_m8n8k4(d, a[0], b[0]);
  if constexpr (m == 16 && k == 4) mma_m16n8k4(d, a, b[0]);
  if constexpr (m == 16 && k == 8) mma_m16n8k8(d, a, b);
  if constexpr (m == 16 && k == 16) mma_m16n8k16(d, a, b);
}

template <int k>
__device__ void multiply_tf32(float (&d)[4], const double (&a)[k / 2], const double (&b)[k / 4]) {
  std::uint32_t left[k / 2], right[k / 4];
  for (int i = 0; i < k / 2; ++i) left[i] = to_tf32(static_cast<float>(a[i]));
  for (int i = 0; i < k / 4; ++i) right[i] = to_tf32(static_cast<float>(b[i]));
  if constexpr (k == 4) mma_m16n8k4_tf32(d, left, right[0]);
  if constexpr (k == 8) mma_m16n8k8_tf32(d, left, right);
}

template <int m, int k, class Sum>
__global__ void multiply_kernel(const double* A, const double* B, double* D) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double a[m * k / 32], b[k / 4];
  load_a<m, k>(a, A, g, t);
  load_b<k>(b, B, g, t);
  Sum d[m / 4] = {};
  if constexpr (sizeof(Sum) == 8) multiply_fp64<m, k>(d, a, b);
  if constexpr (sizeof(Sum) == 4) multiply_tf32<k>(d, a, b);
  for (int i = 0; i < m / 4; ++i) D[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = d[i];
}

/// A pair of adjacent 16-bit elements.
template <bool bf16>
__device__ std::uint32_t pair(double low, double high) {
  const auto l = static_cast<float>(low), h = static_cast<float>(high);
  return bf16 ? to_bf16_pair(l, h) : to_fp16_pair(l, h);
}

// Products in 16 bits: with k = 8, a lane reads pairs itself; with k = 16, load_matrices provides the pairs.
template <int k, bool bf16>
__global__ void multiply_half_kernel(const double* A, const double* B, double* D) {
  const int lane = static_cast<int>(threadIdx.x), g = lane / 4, t = lane % 4;
  float d[4] = {};
  if constexpr (k == 8) {
    const auto row_pair = [&](int i) { return pair<bf16>(A[i * k + 2 * t], A[i * k + 2 * t + 1]); };
    const std::uint32_t a[2] = {row_pair(g), row_pair(g + 8)};
    const std::uint32_t b = pair<bf16>(B[2 * t * 8 + g], B[(2 * t + 1) * 8 + g]);
    bf16 ? mma_m16n8k8_bf16(d, a, b) : mma_m16n8k8_fp16(d, a, b);
  } else {
    __shared__ alignas(16) std::uint16_t left[16][16], right[16][8];
    const auto rounded = [](double value) {
      return bf16 ? BFloat16(static_cast<float>(value)).bits : Half(static_cast<float>(value)).bits;
    };
    for (int i = lane; i < 16 * 16; i += 32) left[i / 16][i % 16] = rounded(A[i]);
    for (int i = lane; i < 16 * 8; i += 32) right[i / 8][i % 8] = rounded(B[i]);
    __syncwarp();
    const int row = lane % 8, matrix = lane / 8;
    std::uint32_t a[4], b[4];
    load_matrices(a, &left[row + 8 * (matrix % 2)][8 * (matrix / 2)]);
    load_matrices_transposed(b, right[row + 8 * (matrix % 2)]);
    bf16 ? mma_m16n8k16_bf16(d, a, {b[0], b[1]}) : mma_m16n8k16_fp16(d, a, {b[0], b[1]});
  }
  for (int i = 0; i < 4; ++i) D[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = d[i];
}

using MultiplyKernel = void (*)(const double* A, const double* B, double* D);

/// Small integers: every product and sum is exact in any precision and order.
std::vector<double> small_integers(int size, std::mt19937& random) {
  std::vector<double> all(size);
  for (double& value : all) value = static_cast<int>(random() % 31) - 15;
  return all;
}

void check_shape(const char* name, int m, int k, MultiplyKernel multiply, std::vector<std::string>& wrong) {
  std::mt19937 random(m * k);
  const std::vector<double> A = small_integers(m * k, random), B = small_integers(k * 8, random);
  const DeviceArray<double> a(A), b(B), d(std::vector<double>(m * 8, NAN));
  multiply<<<1, 32>>>(a.data(), b.data(), d.data());
  check(cudaGetLastError(), name);
  check(cudaDeviceSynchronize(), name);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < 8; ++j) {
      double expected = 0;
      for (int l = 0; l < k; ++l) expected += A[i * k + l] * B[l * 8 + j];
      const double got = d.read(i * 8 + j);
      if (got == expected) continue;
      wrong.push_back(std::string("FAIL ") + name + ": entry (" + std::to_string(i) + ", " + std::to_string(j) +
                      ") is " + std::to_string(got) + ", expected " + std::to_string(expected));
      return;
    }
  }
}

}  // namespace

std::vector<std::string> check_fragments() {
  std::vector<std::string> wrong;
  check_shape("fp64 m8n8k4", 8, 4, multiply_kernel<8, 4, double>, wrong);
  check_shape("fp64 m16n8k4", 16, 4, multiply_kernel<16, 4, double>, wrong);
  check_shape("fp64 m16n8k8", 16, 8, multiply_kernel<16, 8, double>, wrong);
  check_shape("fp64 m16n8k16", 16, 16, multiply_kernel<16, 16, double>, wrong);
  check_shape("tf32 m16n8k4", 16, 4, multiply_kernel<16, 4, float>, wrong);
  check_shape("tf32 m16n8k8", 16, 8, multiply_kernel<16, 8, float>, wrong);
  check_shape("fp16 m16n8k8", 16, 8, multiply_half_kernel<8, false>, wrong);
  check_shape("bf16 m16n8k8", 16, 8, multiply_half_kernel<8, true>, wrong);
  check_shape("fp16 m16n8k16", 16, 16, multiply_half_kernel<16, false>, wrong);
  check_shape("bf16 m16n8k16", 16, 16, multiply_half_kernel<16, true>, wrong);
  return wrong;
}

}  // namespace Tessera::Impl::Bench
