// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "Candidate.hpp"
#include "SerialBcsr.hpp"
#include "SerialBmat.hpp"
#include "SerialBrp.hpp"
#include "SerialSortedColumns.hpp"

/// The formats of candidates on the host, built as the unit tests build them: with nothing of the library's builders.
namespace Tessera::Bench {

template <class Pattern>
struct WithValues : Pattern {
  std::vector<double> values;  // at each place

  WithValues() = default;
  WithValues(const HostMatrix& A, Pattern pattern)
      : Pattern(std::move(pattern)), values(Test::placed_values<double>(A.values, this->slots)) {
    this->slots = {};
  }
};

using HostBcsr = WithValues<Test::HostBcsr<int>>;
using HostBmat = WithValues<Test::HostBmat<int>>;
using HostBrp = WithValues<Test::HostBrp<int>>;
using HostCondensed = WithValues<Test::HostCondensed<int>>;
using HostSortedColumns = WithValues<Test::HostSortedColumns<int>>;

inline HostBcsr build_bcsr(const HostMatrix& A, BlockShape block) { return {A, Test::serial_bcsr<int>(A, block)}; }
inline HostBmat build_bmat(const HostMatrix& A) { return {A, Test::serial_bmat<int>(A)}; }
inline HostBrp build_brp(const HostMatrix& A, int f, int g) { return {A, Test::serial_brp<int>(A, f, g)}; }
inline HostCondensed build_condensed(const HostMatrix& A, int strips) {
  return {A, Test::serial_condensed<int>(A, strips)};
}
inline HostSortedColumns build_sorted_columns(const HostMatrix& A, int width = 32, int height = 32) {
  return {A, Test::serial_sorted_columns<int>(A, width, height)};
}

}  // namespace Tessera::Bench
