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
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <type_traits>

#include "CountRows.hpp"
#include "CudaChunked.hpp"
#include "csr/cuda/Spmm.hpp"
#include "gpu/CudaLaunches.hpp"

namespace Tessera::Impl {

/// Multiplies compressed rows on CUDA cores. The plan stores the list of rows that are cut into pieces. If X and Y have
/// the type of A, X is multiplied in chunks in shared memory where that is faster. The choice does not depend on the
/// number of columns of a product, so the bits of a column do not either, except for a single column.
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
    int piece = 0, chunks = Chunked::pays(exec, A, options);
    take_policy(policy, piece, chunks);
    Cuda::CsrPieceLengths lengths;
    if (piece > 0) lengths.at[0] = piece;
    std::optional<Cuda::CsrRowCounts> counted;
    const auto count = [&](Ordinal length) {
      auto counts = Cuda::CsrRowCounts::of_short_rows(A.summary.rows_with_entries, A.summary.longest, A.summary.spans);
      if (A.summary.longest == 0 || A.summary.longest > length) {
        if (!counted) counted = count_rows(exec, pattern_, lengths);
        counts = *counted;
      }
      return counts.size(lengths, length, A.rows, A.nonzeros);
    };
    auto size = piece > 0 ? count(piece) : Cuda::choose_csr_schedule(A.rows, A.nonzeros, row_bytes, count);
    size.keeps_order = options.same_bits_alone;
    memory_ = allocate<decltype(memory_)>(exec, "Tessera::CsrSchedule", size.memory_size());
    const auto counter =
        allocate<Array<unsigned long long*, Memory>>(exec, "Tessera::counter", size.long_rows > 0 ? 1 : 0);
    {
      const CudaLaunches launches("Tessera::csr_schedule", exec);
      Cuda::fill_csr_schedule(launches.stream(), pattern_, size, counter.data(), memory_.data());
    }
    schedule_ = Cuda::CsrSchedule(size, memory_.data());
    try {
      if (chunks != 0 && !chunked_.build(exec, A))
        throw PolicyError("policy chunks=1: no chunk of X fits in shared memory");
    } catch (const FormatTooLarge&) {
      chunked_ = {};  // rows are multiplied without chunks
    }
    return true;
  }

  Precision precision() const { return Precision::Native; }
  std::string describe() const { return chunked_.is_built() ? chunked_.describe() : "compressed rows on CUDA cores"; }

  void refill(const Kokkos::Cuda&, const Scalar*, const std::uint32_t*) const {}

  std::size_t bytes() const { return memory_.extent(0) * sizeof(Ordinal) + chunked_.bytes(); }
  /// Returns the scratch memory. With vectors wider than the matrix, a product computes fewer columns at a time.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    const std::size_t chunked = chunked_.is_built() ? chunked_.scratch_bytes(x_rows, columns) : 0;
    if (half_vectors_) columns = static_cast<Ordinal>(Cuda::padded<Half>(columns));
    return std::max(chunked, Cuda::csr_workspace_bytes(schedule_.size, x_rows, columns, sizeof(Scalar)));
  }

  bool multiplies_halves() const { return true; }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, VectorScalar>) {
      if (chunked_.is_built() && (product.y.columns != 1 || schedule_.size.keeps_order))
        return chunked_.multiply(exec, product, scratch);
    }
    const CudaLaunches launches("Tessera::csr_spmm", exec);
    if (launched_) {
      Cuda::csr_spmm(launches.stream(), pattern_, schedule_, product, scratch, *launched_);
    } else {
      Cuda::csr_spmm(launches.stream(), pattern_, schedule_, product, scratch);
    }
    return true;
  }

 private:
  using Chunked = CudaChunked<Scalar>;

  /// \param piece  [in,out] entries of a piece; 0: the schedule chooses
  /// \param chunks [in,out] whether X is multiplied in chunks
  void take_policy(const KernelPolicy& policy, int& piece, int& chunks) {
    Cuda::CsrPolicy own{.lanes = 0};
    int eager = 0, tiles = 0;
    policy.replace({{"piece", piece},
                    {"chunks", chunks, 0, 1},
                    {"lanes", own.lanes},
                    {"vectors", own.vectors},
                    {"rounds", own.rounds},
                    {"threads", own.threads},
                    {"eager", eager, 0, 1},
                    {"tiles", tiles, 0, 1}});
    own.eager = eager != 0;
    own.tiles = tiles != 0;
    if (own == Cuda::CsrPolicy{.lanes = 0}) return;
    if (!Cuda::is_valid(own))
      throw PolicyError("policy lanes=" + std::to_string(own.lanes) + ",vectors=" + std::to_string(own.vectors) +
                        ",rounds=" + std::to_string(own.rounds) + ",threads=" + std::to_string(own.threads) +
                        ",eager=" + std::to_string(eager) +
                        ": expected 4 to 32 lanes, 16 or 32 with two vectors, 32 with four; eager ones with one vector;"
                        " rounds up to the lanes; threads a multiple of 32 up to 512");
    launched_ = own;
    chunks = 0;
  }

  CsrPattern<Offset> pattern_;
  Cuda::CsrSchedule schedule_;
  std::optional<Cuda::CsrPolicy> launched_;  // set by benchmarks only
  bool half_vectors_ = false;
  Array<Ordinal*, Memory> memory_;  // the arrays of the schedule
  Chunked chunked_;
};

}  // namespace Tessera::Impl
