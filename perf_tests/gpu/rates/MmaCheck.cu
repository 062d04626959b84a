// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cuda/ptx/Mma.cuh>
#include <random>

#include "Device.hpp"
#include "Rate.hpp"

namespace Tessera::Bench {

namespace {

using namespace Tessera::Cuda;

// D (m x 8) = A (m x k) B (k x 8), all row-major, with fragments as Mma.cuh describes them. A lane's element i of A is
// (g + 8 (i % 2), t + 4 (i / 2)), of B (t + 4 i, g), of D (g + 8 (i / 2), 2 t + i % 2); for m = 8 of A and D only those
// in the upper half.

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

/// Small integers: every product and sum is exact in any precision and order.
std::vector<double> small_integers(int size, std::mt19937& random) {
  std::vector<double> all(size);
  for (double& value : all) value = static_cast<int>(random() % 31) - 15;
  return all;
}

template <int m, int k, class Sum>
void check_shape(const char* name, std::vector<std::string>& wrong) {
  std::mt19937 random(m * k);
  const std::vector<double> A = small_integers(m * k, random), B = small_integers(k * 8, random);
  const DeviceArray<double> a(A), b(B), d(std::vector<double>(m * 8, NAN));
  multiply_kernel<m, k, Sum><<<1, 32>>>(a.data(), b.data(), d.data());
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
  check_shape<8, 4, double>("fp64 m8n8k4", wrong);
  check_shape<16, 4, double>("fp64 m16n8k4", wrong);
  check_shape<16, 8, double>("fp64 m16n8k8", wrong);
  check_shape<16, 16, double>("fp64 m16n8k16", wrong);
  check_shape<16, 4, float>("tf32 m16n8k4", wrong);
  check_shape<16, 8, float>("tf32 m16n8k8", wrong);
  return wrong;
}

}  // namespace Tessera::Bench
