// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/common/EnumNames.hpp>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/common/MemoryLimit.hpp>
#include <tessera/common/Reordering.hpp>

namespace Tessera {

/// What to do about a request that the matrix or the device cannot meet: a precision, or a format or an order that
/// takes more memory than PlanOptions::memory_limit. What is wrong in itself, such as a parameter out of range, always
/// throws.
enum class OnUnsupported {
  Throw,    ///< std::invalid_argument that names the request and what would work
  FallBack  ///< native precision; Format::Csr, of A or its transpose or both; the order of A. Plan::explain() tells
};

template <>
inline constexpr std::array<std::string_view, 2> enum_names<OnUnsupported> = {"throw", "fall_back"};

/// What an automatic choice goes by.
enum class Tuning {
  Predict,  ///< a model of the device, from statistics of the matrix
  Measure   ///< times of products with the candidates that the model calls fastest
};

template <>
inline constexpr std::array<std::string_view, 2> enum_names<Tuning> = {"predict", "measure"};

struct PlanOptions {
  int columns = 32;                   ///< hint: columns of X in a typical product; any number works
  Format format = Format::Automatic;  ///< Automatic predicts the fastest for `columns`
  FormatParameters parameters;        ///< of the format
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
