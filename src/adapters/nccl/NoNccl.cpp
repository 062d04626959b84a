// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What remains where Tessera is built without NCCL.
#include <stdexcept>
#include <tessera/nccl/NcclComm.hpp>

namespace Tessera::Impl {
namespace {

[[noreturn]] void fail() {
  throw std::logic_error("Tessera: built without NCCL; expected a build with TESSERA_ENABLE_NCCL");
}

}  // namespace

bool NcclComm::is_built() { return false; }
NcclComm::Key NcclComm::make_key() { fail(); }
void NcclComm::require_device(int) { fail(); }
NcclComm::NcclComm(const Key&, int, int, int) { fail(); }
NcclComm::~NcclComm() = default;
void NcclComm::exchange(const std::vector<NcclMessage>&, const std::vector<NcclMessage>&, Stream) { fail(); }
StreamOrder::~StreamOrder() = default;
void StreamOrder::wait(NcclComm::Stream, NcclComm::Stream) { fail(); }

}  // namespace Tessera::Impl
