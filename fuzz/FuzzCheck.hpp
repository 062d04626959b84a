// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

/// Stops the fuzzer, which keeps the input, if a property of the reader does not hold.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// Whether numbers are equal; NaNs are equal to each other.
inline bool same(double left, double right) { return left == right || (std::isnan(left) && std::isnan(right)); }
template <class Part>
bool same(const std::complex<Part>& left, const std::complex<Part>& right) {
  return same(left.real(), right.real()) && same(left.imag(), right.imag());
}

template <class Values>
bool same_values(const Values& left, const Values& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& a, const auto& b) { return same(a, b); });
}

template <class Scalar>
bool same(const Tessera::HostCsr<Scalar>& left, const Tessera::HostCsr<Scalar>& right) {
  return left.rows == right.rows && left.columns == right.columns && left.row_offsets == right.row_offsets &&
         left.column_indices == right.column_indices && same_values(left.values, right.values);
}

template <class Scalar>
bool same(const Tessera::HostDense<Scalar>& left, const Tessera::HostDense<Scalar>& right) {
  return left.rows == right.rows && left.columns == right.columns && same_values(left.values, right.values);
}

/// Limits that keep every input fast; the chunks are so small that even a short text has several.
inline Tessera::ReadOptions small_chunks(std::size_t input_bytes) {
  Tessera::ReadOptions options;
  options.threads = 1;
  options.memory_limit = std::size_t{32} << 20;
  options.chunk_bytes = 1 + input_bytes % 61;
  return options;
}

inline Tessera::ReadOptions one_chunk(std::size_t input_bytes) {
  Tessera::ReadOptions options = small_chunks(input_bytes);
  options.chunk_bytes = input_bytes + 1;
  return options;
}

/// Returns a file of this process, for data that is written and read back.
inline std::string scratch_file() {
  return (std::filesystem::temp_directory_path() / ("tessera-fuzz-" + std::to_string(getpid()))).string();
}

/// Runs an action that may reject its input; exceptions of other types are defects and end the fuzzer.
template <class Action>
void allow_rejection(const Action& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    require(error.what()[0] != '\0', "a rejection has a message");
  } catch (const std::runtime_error& error) {
    require(error.what()[0] != '\0', "a rejection has a message");
  }
}
