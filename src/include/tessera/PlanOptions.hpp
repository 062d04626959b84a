// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/EnumNames.hpp>
#include <tessera/Format.hpp>
#include <tessera/FormatParameters.hpp>
#include <tessera/Kernel.hpp>
#include <tessera/MemoryLimit.hpp>
#include <tessera/Reordering.hpp>

namespace Tessera {

/// The reaction to a request that the matrix or the device cannot meet: a precision or a published kernel that it
/// lacks, or a format or an order that needs more memory than PlanOptions::memory_limit. Requests that are invalid in
/// themselves, such as a parameter out of range, always throw.
enum class OnUnsupported {
  Throw,    ///< throws std::invalid_argument, which names the request and what would work
  FallBack  ///< uses native precision, Kernel::Auto, Format::Csr or the order of A; Plan::explain() says so
};

/// The names of the reactions.
template <>
inline constexpr std::array<std::string_view, 2> Impl::enum_names<OnUnsupported> = {"throw", "fall_back"};

/// The basis of an automatic choice of the format.
enum class Tuning {
  Predict,  ///< times that a model of the device predicts from statistics of the matrix
  Measure,  ///< measured times of the candidates that the model predicts to be the fastest
  /// Predicted times. Candidates that predictions cannot separate are measured, if enough products will repay that.
  Adaptive
};

/// The names of the ways to choose.
template <>
inline constexpr std::array<std::string_view, 3> Impl::enum_names<Tuning> = {"predict", "measure", "adaptive"};

/// The purpose of a plan. Hints make products faster or the plan smaller; they never change what is allowed.
struct PlanHints {
  int num_vectors = 32;          ///< columns of X in a typical product
  bool layout_left = false;      ///< whether typical X and Y are column-major (Kokkos::LayoutLeft)
  bool follow_values = false;    ///< whether Plan::follow_values() comes before each product
  int expected_products = 1000;  ///< number of products; only Tuning::Adaptive uses it
};

/// How a plan is made.
struct PlanOptions {
  PlanHints hints = {};  ///< the purpose of the plan; make_plan() with an X takes num_vectors and layout_left from it
  /// Whether X and Y of products may have 16 bits, and typically do: Tessera::Half or BFloat16, or Kokkos' half_t or
  /// bhalf_t, with sums in float. Only for float matrices, whose values keep their 32 bits except in 16-bit precisions.
  /// On Kokkos::Cuda the kernels of Csr and RowGroups read and write 16 bits, and those of BitTcf and Bmat in Fp16 and
  /// Bf16; other kernels, and hosts, multiply copies of some columns of X and Y as float.
  bool half_vectors = false;
  Format format = Format::Auto;      ///< Auto chooses the fastest format for these hints
  FormatParameters parameters = {};  ///< parameters of the format
  /// An order of rows to store the matrix in. X and Y need not follow it. It is kept only if it is predicted to make
  /// products faster; Plan::explain() says what was tried. Finding it takes as long as tens or hundreds of products;
  /// Search and Auto do not search if even the best imaginable order would not be kept. On hosts Auto is None.
  /// On devices it is LocalClusters, which takes some milliseconds. It is tried only for matrices that are not small
  /// and in which nearby rows share columns that adjacent rows do not, and never for Kernel::Published. SortedColumns
  /// has an order of its own and ignores this option.
  Reordering reordering = Reordering::Auto;
  bool always_reorder = false;  ///< keep the order whatever is predicted, unless Auto found it
  /// The arithmetic of products. Hosts have only Native. Kokkos::Cuda also has Tf32x3 and Tf32 for float matrices, and
  /// Bf16 and Fp16 for float and double ones; other requests are rejected. A format without a kernel for the precision
  /// is multiplied in one that is at least as accurate, which Plan::explain() names; Csr, SortedColumns, Staged
  /// and RowGroups always in Native.
  ///
  /// Bf16 and Fp16 compute sums in binary32. In addition, an element errs by up to 2 u of its sum of magnitudes |alpha|
  /// sum |a| |x|, where u is 2^-8 for Bf16 and 2^-11 for Fp16. Fp16 also errs by up to 2^-25 in each operand that is
  /// too small for binary16.
  ///
  /// A float plan in Bf16 or Fp16 uses Tf32 if that is predicted to be faster, for vectors of 32 bits and without a
  /// memory_limit: Plan::explain() and Plan::stats() say so. X and Y of double then run through
  /// portable code, as they do in Tf32.
  Precision precision = Precision::Native;
  /// The kernel. Published uses the kernel of the format's paper, to compare five systems behind one plan:
  /// - BitTcf: the pipeline and the balance of Acc-SpMM (sections 3.3 to 3.5);
  /// - Bmat: the producer and consumer warps of Voltrix-SpMM (sections 3.1 and 3.2) and its Algorithm 1;
  /// - Brp: the groups and residual rows of BRP-SpMM (section IV);
  /// - Bcsr: the blocks of SMaT (section IV);
  /// - SortedColumns: the segments of Swift (section IV).
  ///
  /// Published kernels exist on Kokkos::Cuda for real matrices. All but Swift's use tensor cores: they multiply floats
  /// in Tf32x3 or Tf32, and only 16 x 16 blocks of Bcsr in 16 bits. Format::Auto then chooses one of the five
  /// formats. It compares the times that are predicted for the kernels of Kernel::Auto, because published kernels
  /// have no model; Tuning::Measure measures the published kernels of all five. A request without such a kernel is
  /// rejected, see on_unsupported. X and Y of double with a float matrix run through portable code.
  Kernel kernel = Kernel::Auto;
  OnUnsupported on_unsupported = OnUnsupported::Throw;  ///< what to do about a request that cannot be met
  /// Tuning::Measure times up to three candidates, or all with published kernels, with X and Y of `hints.num_vectors`
  /// columns. It does so for each order of rows that is tried, and does not count what follow_values() costs. For each
  /// candidate it takes the time of building it and of seven products, or some ten milliseconds. It needs memory for
  /// one candidate, X and Y; without it, the choice is predicted. Whether a reordering is kept is always predicted.
  ///
  /// Tuning::Adaptive measures only candidates that the model cannot separate: up to three whose predicted times are
  /// so close to the least that the model may err, or all published kernels. It takes fewer and shorter samples. It
  /// measures none unless two are likely to fit in a tenth of the time of `hints.expected_products` products, for all
  /// orders together (the transpose has another tenth). Each is assumed to cost as much as the most expensive before
  /// it, and at least 20 products and 150 us.
  Tuning tuning = Tuning::Predict;
  /// A text file that remembers measured choices by pattern, device, types, precision, kernel and columns. Empty for
  /// none. It is made if it does not exist. With Tuning::Predict it is neither read nor written. Tuning::Adaptive also
  /// uses choices of Tuning::Measure, but not the other way round. On hosts the device is the backend and its
  /// concurrency: use one file for each kind of machine. If processes write at the same time, the file of the last one
  /// is kept.
  std::string tuning_file = {};
  /// Upper bound on the bytes that the plan uses in the memory of its device at any time. It includes the peak of
  /// make_plan(), with the orders that it tries and the candidates that it measures, and what the plan then holds, with
  /// slot maps and the data of kernels. Plan::prepare() adds the same for the transpose. It excludes the matrix that
  /// make_plan() is given, workspaces (Workspace::bytes()), host memory of a plan on a device, and memory that Kokkos
  /// allocates for itself.
  ///
  /// Each array is charged before it is allocated, in steps of 512 bytes. Candidates and orders that do not fit are
  /// dropped, and Plan::explain() says so. On Kokkos::Cuda, slower kernels multiply if there is no room for the data of
  /// faster ones. If nothing that the options allow fits, an error names the array that did not fit.
  std::size_t memory_limit = no_memory_limit;
};

}  // namespace Tessera
