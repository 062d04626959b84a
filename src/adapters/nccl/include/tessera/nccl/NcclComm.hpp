// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <vector>

struct CUstream_st;  // cudaStream_t points to it
struct CUevent_st;   // cudaEvent_t points to it

namespace Tessera::Impl {

/// Bytes in the memory of a GPU that this rank sends to, or receives from, another rank.
struct NcclMessage {
  int rank;
  void* data;
  std::size_t bytes;
};

/// A communicator of NCCL, which sends memory of one GPU to another, over NVLink where there is one. Messages are work
/// on a stream: no host thread waits for them. Each rank needs a GPU of its own, unless NCCL_MULTI_RANK_GPU_ENABLE is 1
/// (NCCL 2.32 has this, 2.28 has not).
///
/// Without NCCL (TESSERA_ENABLE_NCCL) is_built() is false, and all else throws std::logic_error. Other errors are
/// std::runtime_errors that hold NCCL's message.
class NcclComm {
 public:
  using Key = std::array<char, 128>;
  using Stream = CUstream_st*;

  static bool is_built();

  /// Returns what rank 0 sends to all ranks, which they make the communicator with.
  static Key make_key();

  /// Throws if a GPU cannot be used: in advance, because ranks wait for each other in the constructor.
  static void require_device(int device);

  /// Collective over all ranks. If a rank ends before it calls this, the others wait forever.
  ///
  /// \param device [in] the number of this rank's GPU
  NcclComm(const Key& key, int rank, int size, int device);
  ~NcclComm();
  NcclComm(const NcclComm&) = delete;
  NcclComm& operator=(const NcclComm&) = delete;

  /// Sends and receives all messages at once, as work on a stream, and returns. Each message that a rank sends must
  /// have one that the other receives, of the same size. Messages between the same two ranks are matched in their
  /// order.
  ///
  /// \throws std::runtime_error also if an earlier exchange has failed, for example because another rank has ended
  void exchange(const std::vector<NcclMessage>& sent, const std::vector<NcclMessage>& received, Stream stream);

 private:
  void* comm_ = nullptr;  // ncclComm_t
};

/// Makes one stream wait for another, without the host.
class StreamOrder {
 public:
  StreamOrder() = default;
  ~StreamOrder();
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  /// Makes later work on `second` wait for all earlier work on `first`.
  void wait(NcclComm::Stream first, NcclComm::Stream second);

 private:
  CUevent_st* event_ = nullptr;  // made at first use
};

}  // namespace Tessera::Impl
