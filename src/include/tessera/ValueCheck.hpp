// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace Tessera {

/// Returns whether SpmvHandle, TpetraOperator and CrsMatrix check the promise that they are told of new values. If so,
/// each product compares the values of the matrix with the copied ones, and throws std::logic_error if values changed
/// and the adapter was not told.
///
/// By default, only a debug build of Tessera checks (CMake's option TESSERA_DEBUG, or CMAKE_BUILD_TYPE=Debug). The
/// environment variable TESSERA_DEBUG, 1 or 0, overrides this for any build. Values are compared by a checksum: a
/// product reads the values once more and waits for the result.
bool checks_values();

/// Turns the check on or off for the rest of the program, from the next time that values are copied. Must not be called
/// while products run.
void check_values(bool wanted);

namespace Impl {

/// Returns a checksum of an array, which depends on values and their order; never 0. Waits for `exec`.
template <class ExecutionSpace>
std::uint64_t checksum_of_words(const ExecutionSpace& exec, const std::uint32_t* words, std::size_t size);

/// The checksum of values at the time when they were copied.
class CopiedValues {
 public:
  /// \param values [in] a contiguous View of rank 1
  template <class ExecutionSpace, class Values>
  void remember(const ExecutionSpace& exec, const Values& values) {
    checksum_ = checks_values() ? checksum_of(exec, values) : 0;
  }

  /// Returns whether these values differ from the copied ones; false if no checksum is known.
  template <class ExecutionSpace, class Values>
  bool differ_from(const ExecutionSpace& exec, const Values& values) const {
    return checksum_ != 0 && checks_values() && checksum_of(exec, values) != checksum_;
  }

 private:
  template <class ExecutionSpace, class Values>
  static std::uint64_t checksum_of(const ExecutionSpace& exec, const Values& values) {
    using Word = std::uint32_t;
    static_assert(sizeof(typename Values::value_type) % sizeof(Word) == 0);
    return checksum_of_words(exec, reinterpret_cast<const Word*>(values.data()),
                             values.extent(0) * (sizeof(typename Values::value_type) / sizeof(Word)));
  }

  std::uint64_t checksum_ = 0;  // 0: not known
};

}  // namespace Impl

}  // namespace Tessera
