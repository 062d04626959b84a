// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/PlanOptions.hpp>

namespace Tessera {

/// When the ranks of a TpetraOperator or CrsMatrix agree on whether one of them has failed.
enum class Agreement {
  /// In every apply(): an error on any rank throws on all. Costs one MPI_Allreduce of an int.
  EveryApply,
  /// Only when a mode gets more columns than before, including the first apply(). An error on some ranks may otherwise
  /// leave the others waiting, as with Tpetra::CrsMatrix: wrong arguments, or a lack of memory to copy an X that is Y
  /// or to make plans for a new pattern.
  WhenGrowing
};

/// The memory with the elements of X that ranks send each other, in products that are not transposed. On hosts there is
/// only host memory.
///
/// This excludes sums over the ranks and Tpetra's own messages, for which Tpetra has TPETRA_ASSUME_GPU_AWARE_MPI. An
/// MPI may be able to send memory of a device, but not to add up there.
enum class HaloMemory {
  /// The value of the environment variable TESSERA_MPI_DEVICE_BUFFERS: `1` is Device, `0` is Host. Without it, Device
  /// if Tpetra assumes an MPI that reads the memory of devices (Tpetra::Details::Behavior::assumeMpiIsGPUAware()).
  Auto,
  Host,   ///< in pinned memory of the host: two more copies, for any MPI
  Device  ///< in the memory of the device. An MPI that cannot read it aborts the program
};

/// Whether a rank multiplies in the columns whose elements of X it owns while the elements of other ranks (the *halo*)
/// are under way. In transposed products: whether it sends sums to other ranks before it computes its own.
enum class Overlap {
  Auto,  ///< Always on devices, and on hosts where values are trusted; else Never
  /// One plan has all entries of the rank. A product waits for the halo first, and copies the rank's own rows of X in
  /// front of it. Non-transposed products in compressed rows read A's own values: following them is free.
  Never,
  /// Two plans, for the rank's own columns and for the halo. They copy A's values, which a product that follows them
  /// must compare first. That takes as long as a product with one column.
  Always
};

/// How a TpetraOperator or CrsMatrix multiplies.
struct TpetraOptions {
  PlanOptions plan = {};  ///< options of each plan of this rank; its layout_left and follows_values are set here
  Agreement agreement = Agreement::WhenGrowing;  ///< when the ranks agree on errors; the same on all of them
  /// Whether apply() relies on being told of new values, by TpetraOperator::update() or CrsMatrix::values_changed().
  /// Otherwise it checks the values each time. The same on all ranks.
  bool trusts_values = false;
  HaloMemory halo_memory = HaloMemory::Auto;  ///< the memory that MPI sends from; may differ between ranks
  Overlap overlap = Overlap::Auto;            ///< whether ranks multiply while they wait; may differ between ranks
};

}  // namespace Tessera
