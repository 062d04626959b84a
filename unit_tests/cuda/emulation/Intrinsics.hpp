// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "Memory.hpp"

// The device functions that kernels call. Loads and stores are checked: they access a scalar or vector, aligned to its
// size, within one allocation.

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
using std::isfinite;

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __uint_as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
/// Returns four of the eight bytes of two words, selected by the digits of `selector`.
inline std::uint32_t __byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = a | static_cast<std::uint64_t>(b) << 32;
  std::uint32_t chosen = 0;
  for (int i = 0; i < 4; ++i) chosen |= (bytes >> (8 * (selector >> (4 * i) & 7)) & 0xffu) << (8 * i);
  return chosen;
}
inline std::uint32_t __float_as_uint(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class T>
T __ldg(const T* pointer) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(T), sizeof(T), "__ldg");
  return *pointer;
}
template <class T>
T __ldcs(const T* pointer) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(T), sizeof(T), "__ldcs");
  return *pointer;
}
template <class T>
T __ldca(const T* pointer) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(T), sizeof(T), "__ldca");
  return *pointer;
}
template <class T>
T __ldcg(const T* pointer) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(T), sizeof(T), "__ldcg");
  return *pointer;
}
template <class T>
void __stwt(T* pointer, const T& value) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(T), sizeof(T), "__stwt");
  *pointer = value;
}
template <class T>
void __stcs(T* pointer, const T& value) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(T), sizeof(T), "__stcs");
  *pointer = value;
}
inline unsigned long long atomicAdd(unsigned long long* pointer, unsigned long long value) {
  Tessera::Impl::Emulation::Memory::device().check(pointer, sizeof(value), sizeof(value), "atomicAdd");
  const unsigned long long before = *pointer;
  *pointer += value;
  return before;
}

/// Supports only shared memory.
inline int atomicAdd(int* pointer, int value) {
  if (!Tessera::Impl::Emulation::Block::running().is_shared(pointer, sizeof(value))) {
    Tessera::Impl::Emulation::fail("atomicAdd beyond shared memory");
  }
  const int before = *pointer;
  *pointer += value;
  return before;
}

inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline void __threadfence() {}
inline void __syncthreads() { Tessera::Impl::Emulation::Block::running().meet_block(); }
inline void __syncwarp() { Tessera::Impl::Emulation::Block::running().meet_warp("__syncwarp"); }

// All lanes of the warp must call this function: no kernel uses a smaller mask.

template <class T>
T __shfl_sync(unsigned, T value, int source, int width = 32) {
  auto& block = Tessera::Impl::Emulation::Block::running();
  const auto first_of_group = static_cast<int>(block.lane()) & ~(width - 1);
  return block.exchange("__shfl_sync", value)[first_of_group + (source & (width - 1))];
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  auto& block = Tessera::Impl::Emulation::Block::running();
  return block.exchange("__shfl_xor_sync", value)[static_cast<int>(block.lane()) ^ mask];
}
template <class T>
T __shfl_down_sync(unsigned, T value, int distance) {
  auto& block = Tessera::Impl::Emulation::Block::running();
  const auto source = static_cast<int>(block.lane()) + distance;
  return block.exchange("__shfl_down_sync", value)[source < 32 ? source : static_cast<int>(block.lane())];
}
inline int __any_sync(unsigned, bool value) {
  const bool* values = Tessera::Impl::Emulation::Block::running().exchange("__any_sync", value);
  return std::any_of(values, values + 32, [](bool is_set) { return is_set; });
}
inline unsigned __ballot_sync(unsigned, bool value) {
  const bool* values = Tessera::Impl::Emulation::Block::running().exchange("__ballot_sync", value);
  unsigned lanes = 0;
  for (int lane = 0; lane < 32; ++lane) lanes |= static_cast<unsigned>(values[lane]) << lane;
  return lanes;
}
inline int __reduce_max_sync(unsigned, int value) {
  const int* values = Tessera::Impl::Emulation::Block::running().exchange("__reduce_max_sync", value);
  return *std::max_element(values, values + 32);
}
inline int __reduce_min_sync(unsigned, int value) {
  const int* values = Tessera::Impl::Emulation::Block::running().exchange("__reduce_min_sync", value);
  return *std::min_element(values, values + 32);
}
