// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the MPI calls that tests check, through MPI's profiling interface.
#include <TpetraCore_config.h>
#ifdef HAVE_TPETRACORE_MPI
#include <mpi.h>

#include "Events.hpp"

using Tessera::Impl::Test::Events;

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  Events::note("MPI_Isend");
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  Events::note("MPI_Irecv");
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  Events::note("MPI_Waitall");
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Events::note("MPI_Allreduce");
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

}  // extern "C"
#endif
