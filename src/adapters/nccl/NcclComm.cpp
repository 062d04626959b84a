// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tessera/nccl/NcclComm.hpp>

namespace Tessera::Impl {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& why) {
  throw std::runtime_error("Tessera: " + what + " failed: " + why);
}

/// \param comm [in] whose last error explains the status; may be null
void require(ncclResult_t status, const std::string& what, ncclComm_t comm = nullptr) {
  if (status == ncclSuccess) return;
  const char* const detail = ncclGetLastError(comm);
  std::string why = ncclGetErrorString(status);
  if (detail != nullptr && *detail != '\0') why += std::string(" (") + detail + ")";
  fail(what, why);
}

void require(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}

ncclComm_t handle(void* comm) { return static_cast<ncclComm_t>(comm); }

}  // namespace

bool NcclComm::is_built() { return true; }

NcclComm::Key NcclComm::make_key() {
  ncclUniqueId id;
  require(ncclGetUniqueId(&id), "ncclGetUniqueId");
  Key key;
  static_assert(sizeof(id.internal) == sizeof(key));
  std::copy_n(id.internal, key.size(), key.begin());
  return key;
}

void NcclComm::require_device(int device) {
  require(cudaSetDevice(device), "cudaSetDevice");
  require(cudaFree(nullptr), "cudaFree");  // starts the GPU's context
}

NcclComm::NcclComm(const Key& key, int rank, int size, int device) {
  ncclUniqueId id;
  std::copy_n(key.begin(), key.size(), id.internal);
  require(cudaSetDevice(device), "cudaSetDevice");
  ncclComm_t comm = nullptr;
  require(ncclCommInitRank(&comm, size, id, rank), "ncclCommInitRank, which needs a GPU for each rank,");
  comm_ = comm;
}

NcclComm::~NcclComm() { static_cast<void>(ncclCommDestroy(handle(comm_))); }

void NcclComm::exchange(const std::vector<NcclMessage>& sent, const std::vector<NcclMessage>& received, Stream stream) {
  const ncclComm_t comm = handle(comm_);
  ncclResult_t earlier = ncclSuccess;
  require(ncclCommGetAsyncError(comm, &earlier), "ncclCommGetAsyncError", comm);
  require(earlier, "an exchange by NCCL", comm);
  require(ncclGroupStart(), "ncclGroupStart");
  ncclResult_t status = ncclSuccess;
  const auto begin = [&](ncclResult_t result) {
    if (status == ncclSuccess) status = result;
  };
  for (const NcclMessage& message : received)
    begin(ncclRecv(message.data, message.bytes, ncclChar, message.rank, comm, stream));
  for (const NcclMessage& message : sent)
    begin(ncclSend(message.data, message.bytes, ncclChar, message.rank, comm, stream));
  begin(ncclGroupEnd());  // also after an error, or the group would remain open
  require(status, "an exchange by NCCL", comm);
}

StreamOrder::~StreamOrder() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

void StreamOrder::wait(NcclComm::Stream first, NcclComm::Stream second) {
  if (event_ == nullptr) require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  require(cudaEventRecord(event_, first), "cudaEventRecord");
  require(cudaStreamWaitEvent(second, event_, 0), "cudaStreamWaitEvent");
}

}  // namespace Tessera::Impl
