// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/PlanOptions.hpp>

namespace Tessera {

/// When the ranks of a TpetraOperator or CrsMatrix agree on whether one of them has failed.
enum class Agreement {
  /// In every apply(): an error on any rank throws on all. Costs one MPI_Allreduce of an int.
  EveryApply,
  /// Only in products with more columns than any before in their mode, which includes the first apply(). In other
  /// products, an error on some ranks may leave the others waiting, as with Tpetra::CrsMatrix: wrong arguments, or a
  /// lack of memory to copy an X that is Y or to make plans for a new pattern.
  WhenGrowing
};

/// How ranks send each other elements of X, in products that are not transposed. On hosts there is only host memory.
///
/// This does not apply to sums over ranks and to Tpetra's own messages, for which Tpetra has
/// TPETRA_ASSUME_GPU_AWARE_MPI: an MPI may be able to send memory of a device, but not to compute sums in it.
enum class HaloMemory {
  /// The value of the environment variable TESSERA_HALO_MEMORY: `host`, `device` or `nccl`. Without it, Device if
  /// Tpetra assumes an MPI that reads the memory of devices (Tpetra::Details::Behavior::assumeMpiIsGPUAware()).
  Auto,
  Host,    ///< by MPI, in pinned memory of the host: two more copies, for any MPI
  Device,  ///< by MPI, in the memory of the device. An MPI that cannot read it aborts the program
  /// By NVIDIA's NCCL, in the memory of the device. The messages are work on a stream, and the host waits for none of
  /// them. Needs the component Nccl, Kokkos::Cuda, and a GPU for each rank, and must be the same on all ranks. The
  /// first such product on a communicator makes one of NCCL, which takes about half a second and serves all matrices
  /// until Kokkos::finalize()
  Nccl
};

/// Whether a rank multiplies the entries in columns whose elements of X it owns while it receives elements of other
/// ranks (the *halo*). In transposed products: whether it sends sums to other ranks before it computes its own.
enum class Overlap {
  /// Always on devices whose halos pass through the host (HaloMemory::Host), and on hosts if values are trusted; else
  /// Never.
  Auto,
  /// One plan has all entries of the rank. A product waits until the halo has arrived behind the rank's own rows of X,
  /// and multiplies. It copies these rows first if X is a multivector, or has no room behind them
  /// (BlockVector::getHaloRoom). Non-transposed products in compressed rows read A's own values: following them is
  /// free.
  Never,
  /// Two plans, one for the rank's own columns and one for the halo. They copy A's values. If a product follows values,
  /// it must compare them first, which takes as long as a product with one column.
  Always
};

/// How a TpetraOperator or CrsMatrix multiplies.
struct TpetraOptions {
  /// Options of this rank's plans. hints.layout_left, hints.follow_values, shares_pattern, shares_values and
  /// trusts_pattern are overwritten.
  PlanOptions plan = {};
  Agreement agreement = Agreement::WhenGrowing;  ///< when the ranks agree on errors; the same on all of them
  /// Whether apply() relies on being told of new values, by TpetraOperator::update() or CrsMatrix::values_changed().
  /// Otherwise it checks the values each time. Must be the same on all ranks.
  bool trusts_values = false;
  HaloMemory halo_memory = HaloMemory::Auto;  ///< how elements of X are sent; Host and Device may differ between ranks
  Overlap overlap = Overlap::Auto;            ///< whether ranks multiply while they wait; may differ between ranks
};

}  // namespace Tessera
