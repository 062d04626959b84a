// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/spmm/PlanOptions.hpp>

namespace Tessera {

/// When the ranks of a TpetraOperator or CrsMatrix agree on whether one of them has failed.
enum class Agreement {
  /// In every apply(): an error on any rank throws on all. Costs one MPI_Allreduce of an int.
  EveryApply,
  /// Only when a mode gets more columns than before, the first apply() among them. An error on some ranks alone may
  /// otherwise leave the others waiting, as with Tpetra::CrsMatrix: wrong arguments, or a lack of memory to copy an X
  /// that is Y or to make plans for a new pattern.
  WhenGrowing
};

/// Where MPI finds the elements of X that ranks send each other, in products that are not transposed. On hosts there is
/// only their own memory.
///
/// Sums over the ranks, and what Tpetra sends itself, are not meant: for these it has TPETRA_ASSUME_GPU_AWARE_MPI. An
/// MPI may be able to send memory of a device, but not to add up there.
enum class HaloMemory {
  /// As the environment variable TESSERA_MPI_DEVICE_BUFFERS says: `1` is Device, `0` is Host. Without it, Device if
  /// Tpetra assumes an MPI that reads the memory of devices (Tpetra::Details::Behavior::assumeMpiIsGPUAware()).
  Automatic,
  Host,   ///< in pinned memory of the host: two copies more, for any MPI
  Device  ///< in the memory of the device. An MPI that cannot read it ends the program
};

/// Whether a rank multiplies in the columns whose elements of X it owns while those of the others (the *halo*) are
/// under way. In transposed products, whether it sends sums to other ranks before it has its own.
enum class Overlap {
  Automatic,  ///< Always on devices, and on hosts where values are trusted; else Never
  /// One plan has all entries of the rank. A product waits for the halo first, and copies the rank's own rows of X in
  /// front of it. Products in compressed rows that are not transposed read A's own values: following them is free.
  Never,
  /// Two plans, of the rank's own columns and of the halo. They copy A's values, which a product that follows them has
  /// to compare first. That takes as long as a product with one column.
  Always
};

/// How a TpetraOperator or CrsMatrix multiplies.
struct TpetraOptions {
  PlanOptions plan = {};  ///< options of each plan of this rank; its layout_left and follows_values are set here
  Agreement agreement = Agreement::WhenGrowing;  ///< when the ranks agree on errors; the same on all of them
  /// Whether apply() trusts that it is told of new values, by TpetraOperator::update() or CrsMatrix::values_changed().
  /// Otherwise it looks at the values each time. The same on all ranks.
  bool trusts_values = false;
  HaloMemory halo_memory = HaloMemory::Automatic;  ///< what MPI sends from; may be another on each rank
  Overlap overlap = Overlap::Automatic;  ///< whether ranks multiply while they wait; may be another on each rank
};

}  // namespace Tessera
