// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/common/Kernel.hpp>
#include <tessera/common/MemoryLimit.hpp>
#include <tessera/common/Reordering.hpp>

namespace Tessera {

/// What to do about a request that the matrix or the device cannot meet: a precision, a published kernel, or a format
/// or an order that takes more memory than PlanOptions::memory_limit. What is wrong in itself, such as a parameter out
/// of range, always throws.
enum class OnUnsupported {
  Throw,    ///< std::invalid_argument that names the request and what would work
  FallBack  ///< native precision; Kernel::Automatic; Format::Csr, of A or its transpose or both; the order of A.
            ///< Plan::explain() tells
};

/// Whether something that may help is done.
enum class Wish {
  Automatic,  ///< where it is predicted to help
  Never,
  Always  ///< wherever it can be
};

/// What an automatic choice goes by.
enum class Tuning {
  Predict,  ///< a model of the device, from statistics of the matrix
  Measure   ///< times of products with the candidates that the model calls fastest
};

struct PlanOptions {
  int columns = 32;                   ///< hint: columns of X in a typical product; any number works
  Format format = Format::Automatic;  ///< Automatic predicts the fastest for `columns`
  FormatParameters parameters;        ///< of the format
  /// Whether BitTCF of doubles on Kokkos::Cuda is kept once more in windows of 64 rows, for which rows of X are staged
  /// in shared memory.
  Wish staged_windows = Wish::Automatic;
  /// An order of rows to store the matrix in, which X and Y need not follow. Finding it takes as long as tens or
  /// hundreds of products; it is kept only if it is predicted to make them faster, and Plan::explain() tells.
  /// SortedColumns has an order of its own and ignores this.
  Reordering reordering = Reordering::None;
  bool always_reorder = false;  ///< keep the order whatever is predicted
  /// The arithmetic. Hosts have Native alone. Kokkos::Cuda has Tf32x3 and Tf32 for float matrices, Bf16 and Fp16 for
  /// float and double ones; other requests are refused. A format that has no kernel for it is multiplied in a precision
  /// that is at least as accurate, which Plan::explain() names: CSR in Native, always. With Bf16 and Fp16 sums are
  /// those of binary32; an element errs by up to 2 u of its sum of magnitudes |alpha| sum |a| |x| besides, u = 2^-8 or
  /// 2^-11, and with Fp16 by 2^-25 for an operand whose bits binary16 lacks.
  Precision precision = Precision::Native;
  /// Published multiplies by the kernel of the format's paper, so that the five systems can be compared behind one
  /// plan: BitTcf by the pipeline and the balance of Acc-SpMM (sections 3.3 to 3.5), Bmat by the producer and consumer
  /// warps and the partition of Voltrix-SpMM (sections 3.1 and 3.2, Algorithm 1), BlockRowPartition by BRP-SpMM's
  /// groups (section IV), Bcsr by SMaT's blocks (section IV), SortedColumns by Swift's segments (section IV). The
  /// headers of tessera/cuda name what deviates from each paper. These kernels exist on Kokkos::Cuda, for real
  /// matrices; all but Swift's use tensor cores and multiply floats in Tf32x3 or Tf32 (Bf16 and Fp16: blocks of 16 x 16
  /// alone, elsewhere Tf32). Format::Automatic takes one of the five formats by the time that is predicted for the
  /// kernel of an automatic plan, since published kernels have no model; Tuning::Measure measures the published kernels
  /// of all five. What has no such kernel is refused, or told by Plan::explain(): see on_unsupported. Vectors of double
  /// are multiplied with a matrix of floats by portable code, as in most formats of automatic plans.
  Kernel kernel = Kernel::Automatic;
  OnUnsupported on_unsupported = OnUnsupported::Throw;
  /// Measure times up to three candidates, on X and Y of `columns` columns by rows, in the order that rows have and in
  /// each that is tried: as long as to build each and seven products, or some ten milliseconds, and memory for one
  /// candidate at a time, X and Y; without that, it predicts. Whether a reordering is kept is predicted.
  Tuning tuning = Tuning::Predict;
  /// A file in which measured choices are remembered by pattern, device, types, precision and columns, and found again:
  /// text, made if it does not exist. Empty: none. On hosts the device is the backend and its concurrency: keep a file
  /// a kind of machine. Of processes that write at the same time, the last one's stays.
  std::string tuning_file;
  /// The most bytes that the plan may take in the memory of its device, at any time: what make_plan() allocates at once
  /// while it makes the plan, orders that it tries and candidates that it measures included; what the plan holds then,
  /// with the slot maps and what kernels keep; and both with the transpose, which prepare() builds beside. Not counted
  /// are the matrix that make_plan() is given, workspaces (Workspace::bytes()), on devices what the host allocates, and
  /// memory that Kokkos takes for itself.
  ///
  /// What a step takes is known or bounded before it begins; the bounds of BlockRowPartition, SortedColumns and of
  /// orders are up to a third too large, that of JaccardRows for wide blocks more. Candidates and orders that do not
  /// fit are refused, and Plan::explain() says so; on Kokkos::Cuda slower kernels multiply where there is no room for
  /// what faster ones keep. If no candidate fits, or not what is asked for (see on_unsupported), an error names what it
  /// takes.
  std::size_t memory_limit = no_memory_limit;
};

}  // namespace Tessera
