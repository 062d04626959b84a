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

/// The reaction to a request that the matrix or the device cannot meet: a precision or a published kernel that does not
/// exist for it, or a format or an order of rows that needs more memory than PlanOptions::memory_limit. Requests that
/// are invalid in themselves, such as a parameter out of range, always throw.
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
  /// Predicted times. Candidates that predictions cannot separate are measured, for 10 ms at most, if the expected
  /// products repay the time.
  Adaptive
};

/// The names of the ways to choose.
template <>
inline constexpr std::array<std::string_view, 3> Impl::enum_names<Tuning> = {"predict", "measure", "adaptive"};

/// The purpose of a plan. Hints make products faster or the plan smaller; they never restrict what is allowed.
struct PlanHints {
  /// Columns of X in a typical product; 0 if it is unknown. Then a plan that begins with compressed rows takes the
  /// number of its first product, before it decides on another format. Any other plan assumes 32.
  int num_vectors = 0;
  bool layout_left = false;    ///< whether typical X and Y are column-major (Kokkos::LayoutLeft)
  bool follow_values = false;  ///< whether Plan::follow_values() is called before each product
  /// Number of products; 0 if it is unknown. If it is known, make_plan() decides for good whether another format repays
  /// its set-up. If it is not, the plan begins with compressed rows and decides later (PlanOptions::format).
  int expected_products = 0;
};

/// How a plan is made.
struct PlanOptions {
  PlanHints hints = {};  ///< the purpose of the plan; make_plan(exec, A, X) sets num_vectors and layout_left from X
  /// Whether compressed rows may stay in the row offsets and column indices of A, which the plan then neither copies
  /// nor counts as its memory. It holds these Views. The program must change none of their elements as long as the
  /// plan, or a CUDA graph of its products, exists. The plan copies offsets of 8 bytes. It copies both arrays if rows
  /// are unsorted or have duplicates, if A consists of blocks or is stored in several blocks of rows, and if the column
  /// indices are not aligned to 16 bytes.
  bool shares_pattern = false;
  /// Whether products in compressed rows may read the values in the array of A, as if Plan::follow_values() had been
  /// called for NoTranspose at once. The plan then neither copies them nor counts them as its memory. It does not hold
  /// the View: the array must exist as long as the plan reads it. That ends with update_values(), save_plan() and
  /// release_source(), which allocate room for a copy, and when another format than CompactRows replaces the rows. From
  /// then on, and in the transpose, new values count only if follow_values() or update_values() is called. The plan
  /// copies values of blocks, of all formats but Csr and CompactRows and, unless it trusts the pattern, of unsorted
  /// rows and of duplicates.
  bool shares_values = false;
  /// Whether make_plan() on a host may trust that the pattern is right, as KokkosSparse::spmv does: row offsets begin
  /// at 0 and do not descend, and columns lie in the matrix. It then reads no column. With shares_pattern,
  /// shares_values, offsets of 4 bytes and columns aligned to 16 bytes it takes no longer for a larger matrix. Products
  /// read memory outside of X if the pattern is wrong. It is checked before another format or the transpose is built.
  /// If rows are wrong, unsorted, or have duplicates, they stay as they are, and the plan cannot be saved. Ignored on
  /// devices, where the check takes a small part of a product, for matrices of blocks, and if another format is built
  /// at once.
  bool trusts_pattern = false;
  /// Whether X and Y of products may, and typically do, have 16 bits: Tessera::Half or BFloat16, or Kokkos' half_t or
  /// bhalf_t. Sums are computed in float. Only for float matrices, whose values keep 32 bits except in 16-bit
  /// precisions. On Kokkos::Cuda the kernels of Csr and RowGroups read and write 16 bits, and so do those of BitTcf and
  /// Bmat in Fp16 and Bf16. Other kernels, and hosts, multiply float copies of some columns of X and Y at a time.
  bool half_vectors = false;
  /// Whether a column that is multiplied alone has the bits that it has among others. If not, products of compressed
  /// rows with one column on a GPU may add the entries of a row in another order, which can take half as long.
  /// The plan then still gives the same bits in every run. Other products always have this property.
  bool same_bits_alone = false;
  /// Auto chooses the fastest format for these hints. With Auto or Csr, a reordering of Auto or None, Kernel::Auto and
  /// Tuning::Predict, the plan begins with compressed rows, which take the shortest time to set up. Before a certain
  /// product it analyses the matrix, and before a later one it builds its choice: when what earlier products have lost
  /// equals what that costs, by predicted times (rent or buy). Both numbers follow from the pattern, the options, the
  /// device and its free memory, not from a clock; Plan::explain() has them. These two products allocate memory and
  /// wait for all products of the device. Plan::settle() builds at once. Products and new values that a graph captures
  /// before make the plan keep its rows, and so does a lack of memory. A matrix that is stored in several blocks of
  /// rows is analysed and built by make_plan().
  Format format = Format::Auto;
  FormatParameters parameters = {};  ///< parameters of the format
  /// The order in which rows are stored. X and Y do not change. An order is used only if it is predicted to make
  /// products faster; Plan::explain() says which orders were tried. Finding one takes as long as tens or hundreds of
  /// products. Search and Auto do not search if even the best imaginable order would not be used. On hosts Auto means
  /// None. On devices it tries LocalClusters, which takes some milliseconds, if the matrix is not small and nearby rows
  /// share columns that adjacent rows do not, but never for Kernel::Published. SortedColumns has an order of its own:
  /// it ignores this option, and Format::Auto does not take it for another order than that of A.
  Reordering reordering = Reordering::Auto;
  bool always_reorder = false;  ///< use the order even if it is predicted not to be faster; ignored for Auto
  /// The arithmetic of products. Hosts have only Native. Kokkos::Cuda also has Tf32x3 and Tf32 for float matrices, and
  /// Bf16 and Fp16 for float and double ones; other requests are rejected. If a format has no kernel for the precision,
  /// its products use one that is at least as accurate, which Plan::explain() names. Csr, SortedColumns, Staged and
  /// RowGroups always use Native.
  ///
  /// Bf16 and Fp16 compute sums in binary32. In addition to rounding errors of sums, the error of an element is up to 2
  /// u times |alpha| sum |a| |x|, where u is 2^-8 for Bf16 and 2^-11 for Fp16. In Fp16, each operand that is too small
  /// for binary16 also has an error of up to 2^-25.
  ///
  /// A float plan in Bf16 or Fp16 uses Tf32 instead if that is predicted to be faster, vectors have 32 bits, and there
  /// is no memory_limit. Plan::explain() and Plan::stats() then say so, and X and Y of double are multiplied by
  /// portable code, as in Tf32.
  Precision precision = Precision::Native;
  /// The kernel. Published selects the kernel of the format's paper, to compare five systems through one interface:
  /// - BitTcf: the pipeline and the balance of Acc-SpMM (sections 3.3 to 3.5);
  /// - Bmat: the producer and consumer warps of Voltrix-SpMM (sections 3.1 and 3.2) and its Algorithm 1;
  /// - Brp: the groups and residual rows of BRP-SpMM (section IV);
  /// - Bcsr: the blocks of SMaT (section IV);
  /// - SortedColumns: the segments of Swift (section IV).
  ///
  /// Published kernels exist on Kokkos::Cuda for real matrices. All but Swift's use tensor cores: they multiply floats
  /// in Tf32x3 or Tf32; only Bcsr with blocks of 16 x 16 also has 16-bit precisions. With Format::Auto, the plan
  /// chooses one of the five formats by the predicted times of the kernels of Kernel::Auto, because published kernels
  /// have no model; Tuning::Measure measures the published kernels of all five. A request without such a kernel is
  /// rejected, see on_unsupported. If A is float and X and Y are double, portable code multiplies.
  Kernel kernel = Kernel::Auto;
  OnUnsupported on_unsupported = OnUnsupported::Throw;  ///< what to do about a request that cannot be met
  /// Tuning::Predict keeps compressed rows on devices whose rates nobody measured: all but hosts, H100 and H200.
  ///
  /// Tuning::Measure times up to three candidates, or all published kernels, with X and Y of `hints.num_vectors`
  /// columns, for each order of rows that is tried. The cost of follow_values() is ignored. Each candidate takes the
  /// time of building it and of seven products, or some ten milliseconds. The measurement needs memory for X, Y and two
  /// candidates, because the plan keeps the fastest as it was built; with a memory_limit, for one, and the fastest is
  /// built again. A candidate for which there is too little is not measured. Whether an order is used is always
  /// predicted.
  ///
  /// Tuning::Adaptive measures only candidates that the model cannot separate: up to three whose predicted times are so
  /// close to the least that the model may be wrong, or all published kernels. It takes fewer and shorter samples. Its
  /// time limit is a tenth of the time of `hints.expected_products` products (1000 if it is 0), and at most 10 ms, for
  /// all orders together, including the time of building candidates. It measures nothing unless two candidates are
  /// likely to fit. A candidate is assumed to cost as much as the most expensive one before it, and at least the
  /// predicted time of building it and of five products, three of them at least 50 us. A candidate that takes longer
  /// is not interrupted.
  Tuning tuning = Tuning::Predict;
  /// A text file that stores measured choices by pattern, device, types, precision, kernel and columns; empty for none.
  /// It is created if it does not exist. Tuning::Predict neither reads nor writes it. Tuning::Adaptive also uses
  /// choices of Tuning::Measure, but Tuning::Measure does not use those of Tuning::Adaptive. On hosts the device is the
  /// backend and its concurrency: use one file for each kind of machine. If several processes write at the same time,
  /// the file of the last one is kept.
  std::string tuning_file = {};
  /// Upper bound on the bytes that the plan uses in the memory of its device at any time. It includes the peak of
  /// make_plan(), with all orders that are tried and candidates that are measured, and the memory that the plan then
  /// holds, with slot maps and the data of kernels. Plan::prepare() adds the same for the transpose. It excludes the
  /// matrix that make_plan() is given, workspaces (Workspace::bytes()), host memory of a plan on a device, and memory
  /// that Kokkos allocates for itself.
  ///
  /// Each array is charged before it is allocated, in steps of 512 bytes. Candidates and orders that do not fit are
  /// dropped, and Plan::explain() says so. On Kokkos::Cuda, if there is no room for the data of a fast kernel, a slower
  /// kernel multiplies. If nothing that the options allow fits, an error names the array that did not fit.
  std::size_t memory_limit = no_memory_limit;
};

}  // namespace Tessera
