// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Csr.hpp>

#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// The columns of the entries of a pattern, counted from entry `begin`. Formats that have compressed rows, but store
/// columns in another way, specialise this class: csr_spmm's kernels multiply them, too.
template <class Pattern>
class EntryColumns;

template <>
class EntryColumns<CsrPattern<Offset>> {
 public:
  __device__ explicit EntryColumns(const CsrPattern<Offset>& A, Offset begin = 0) : first_(A.column_indices + begin) {}

  /// Whether columns may be loaded several at a time, `begin` being 0.
  static bool are_aligned(const CsrPattern<Offset>& A) {
    return reinterpret_cast<std::uintptr_t>(A.column_indices) % 16 == 0;
  }

  /// Loads a column that other lanes load, too.
  __device__ Ordinal operator[](Offset entry) const { return __ldg(first_ + entry); }
  /// Loads a column that is read once.
  __device__ Ordinal once(Offset entry) const { return __ldcs(first_ + entry); }
  /// Loads n columns that are read once. Here and below, `entry` is a multiple of n.
  template <int n>
  __device__ void load_once(Offset entry, Ordinal* to) const {
    load_block_once<n>(first_ + entry, to);
  }
  /// Does the same at exactly this point of the program.
  template <int n>
  __device__ void load_now_once(Offset entry, Ordinal (&to)[n]) const {
    load_block_now_once(first_ + entry, to);
  }

 private:
  const Ordinal* first_;
};

}  // namespace Tessera::Impl::Cuda
