// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <list>
#include <memory>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/NcclOfComm.hpp>

namespace Tessera::Impl {
namespace {

using CommPointer = Teuchos::RCP<const Teuchos::Comm<int>>;

struct Entry {
  CommPointer comm;  // weak: does not keep it alive
  std::unique_ptr<NcclComm> nccl;
};

/// The communicators of NCCL so far. Kokkos::finalize() frees them, on all ranks in the same order.
std::list<Entry>& entries() {
  static std::list<Entry>& list = *[] {
    auto* const made = new std::list<Entry>;  // outlives the static objects of the program
    Kokkos::push_finalize_hook([made] { made->clear(); });
    return made;
  }();
  return list;
}

NcclComm* find(const CommPointer& comm) {
  for (const Entry& entry : entries())
    if (entry.comm.is_valid_ptr() && entry.comm.shares_resource(comm)) return entry.nccl.get();
  return nullptr;
}

}  // namespace

NcclComm& nccl_of(const CommPointer& comm, int device) {
  NcclComm* const found = find(comm);
  if (!on_any_rank(*comm, found == nullptr)) return *found;
  NcclComm::Key key{};
  std::list<Entry> made;
  made.push_back({comm.create_weak(), nullptr});
  on_every_rank(*comm, [&] {
    entries();
    NcclComm::require_device(device);
    if (comm->getRank() == 0) key = NcclComm::make_key();
  });
  Teuchos::broadcast(*comm, 0, static_cast<int>(key.size()), key.data());
  // All ranks come here. NCCL's own errors, such as two ranks on one GPU, are those of all ranks.
  on_every_rank(*comm,
                [&] { made.front().nccl = std::make_unique<NcclComm>(key, comm->getRank(), comm->getSize(), device); });
  entries().splice(entries().begin(), made);
  return *find(comm);
}

}  // namespace Tessera::Impl
