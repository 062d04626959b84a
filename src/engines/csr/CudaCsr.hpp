// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/select/Choose.hpp>
#include <type_traits>

#include "CsrKernelPolicy.hpp"
#include "CudaChunked.hpp"
#include "CudaColumnChunks.hpp"
#include "CudaCsrSchedule.hpp"
#include "csr/cuda/Spmm.hpp"
#include "gpu/CudaLaunches.hpp"

namespace Tessera::Impl {

/// Multiplies compressed rows on CUDA cores. The plan stores the list of rows that are cut into pieces. If X and Y have
/// the type of A, X is multiplied in chunks in shared memory where that is faster. The choice does not depend on the
/// number of columns of a product, so the bits of a column do not either, except for a single column, which has chunks
/// of its own.
template <class Scalar>
class CudaCsr {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  static std::string why_not_published(const PlanOptions&) { return {}; }

  /// \return true: the schedule is always built
  bool build(const Kokkos::Cuda& exec, const Csr<Memory>& A, const PlanOptions& options, const KernelPolicy& policy) {
    pattern_ = A.view();
    half_vectors_ = options.half_vectors;
    const auto columns = static_cast<std::size_t>(std::max(options.hints.num_vectors, 1));
    const std::size_t row_bytes = columns * (half_vectors_ ? sizeof(Half) : sizeof(Scalar));
    int piece = 0, chunks = Chunked::pays(exec, A, options), column_chunks = 1;
    launched_ = take_csr_policy(policy, piece, chunks, column_chunks);
    if (launched_) chunks = column_chunks = 0;
    schedule_.build(exec, pattern_, A.nonzeros, A.summary, row_bytes, piece, options.same_bits_alone);
    try {
      if (chunks != 0 && !chunked_.build(exec, A))
        throw PolicyError("policy chunks=1: no chunk of X fits in shared memory");
    } catch (const FormatTooLarge&) {
      chunked_ = {};  // rows are multiplied without chunks
    }
    try {
      if (column_chunks != 0 && ColumnChunks::pays(exec, A, schedule_.view().size.mean_span, options))
        column_chunks_.build(exec, A);
    } catch (const FormatTooLarge&) {
      column_chunks_ = {};
    }
    return true;
  }

  Precision precision() const { return Precision::Native; }
  std::string describe() const {
    if (chunked_.is_built()) return chunked_.describe();
    const std::string rows = "compressed rows on CUDA cores";
    return column_chunks_.is_built() ? rows + ", a single column in chunks in shared memory" : rows;
  }

  void refill(const Kokkos::Cuda&, const Scalar*, const std::uint32_t*) const {}

  std::size_t bytes() const { return schedule_.bytes() + chunked_.bytes() + column_chunks_.bytes(); }
  /// Returns the scratch memory. With vectors wider than the matrix, a product computes fewer columns at a time.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    const std::size_t chunked = chunked_.is_built() ? chunked_.scratch_bytes(x_rows, columns) : 0;
    if (half_vectors_) columns = static_cast<Ordinal>(Cuda::padded<Half>(columns));
    return std::max({chunked, column_chunks_.scratch_bytes(),
                     Cuda::csr_workspace_bytes(schedule_.view().size, x_rows, columns, sizeof(Scalar))});
  }

  bool multiplies_halves() const { return true; }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, VectorScalar>) {
      if (chunked_.is_built() && (product.y.columns != 1 || schedule_.view().size.keeps_order))
        return chunked_.multiply(exec, product, scratch);
      if (column_chunks_.is_built() && product.y.columns == 1) {
        column_chunks_.multiply(exec, product, scratch);
        return true;
      }
    }
    const CudaLaunches launches("Tessera::csr_spmm", exec);
    if (launched_) {
      Cuda::csr_spmm(launches.stream(), pattern_, schedule_.view(), product, scratch, *launched_);
    } else {
      Cuda::csr_spmm(launches.stream(), pattern_, schedule_.view(), product, scratch);
    }
    return true;
  }

 private:
  using Chunked = CudaChunked<Scalar>;
  using ColumnChunks = CudaColumnChunks<Scalar>;

  CsrPattern<Offset> pattern_;
  CudaCsrSchedule schedule_;
  std::optional<Cuda::CsrPolicy> launched_;  // set by benchmarks only
  bool half_vectors_ = false;
  Chunked chunked_;
  ColumnChunks column_chunks_;
};

}  // namespace Tessera::Impl
