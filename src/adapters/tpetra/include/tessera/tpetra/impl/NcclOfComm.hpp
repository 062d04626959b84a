// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <tessera/nccl/NcclComm.hpp>

namespace Tessera::Impl {

/// Returns the communicator of NCCL for the ranks of `comm`. It is made at the first call, and lives until
/// Kokkos::finalize(). Collective: if it fails on one rank, it throws on all.
///
/// \param device [in] the number of this rank's GPU
NcclComm& nccl_of(const Teuchos::RCP<const Teuchos::Comm<int>>& comm, int device);

}  // namespace Tessera::Impl
