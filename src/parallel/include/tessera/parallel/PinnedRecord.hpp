// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstddef>

namespace Tessera::Impl {

/// A block of page-locked host memory, to which a GPU writes small results: the driver copies results to other memory
/// through a buffer of its own, which takes longer. Any thread may use a record, for any GPU. Blocks are kept for later
/// records until Kokkos ends.
class PinnedRecord {
 public:
  static constexpr std::size_t size = 4096;  ///< bytes of a record

  /// \throws std::runtime_error if CUDA has no memory for the block
  explicit PinnedRecord(const Kokkos::Cuda& exec);
  ~PinnedRecord();
  PinnedRecord(const PinnedRecord&) = delete;
  PinnedRecord& operator=(const PinnedRecord&) = delete;

  /// Copies up to `size` bytes of the GPU to `target`. Waits for `exec`.
  /// \throws std::runtime_error for errors of CUDA
  void fetch(const Kokkos::Cuda& exec, const void* source, std::size_t bytes, void* target) const;

  /// Returns the number of blocks that no record uses.
  static std::size_t idle_blocks();

 private:
  void* block_;
};

}  // namespace Tessera::Impl

#endif
