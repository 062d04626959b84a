// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "csr/chunked/Spmm.hpp"

namespace Tessera::Impl::Cuda {

template <class Scalar>
void chunked_spmm(Stream stream, const CsrPattern<Offset>& A, const ChunkedSchedule& schedule,
                  const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  launch_chunked(stream, chunked_arguments(stream, A, schedule, product, workspace));
}

#define TESSERA_CHUNKED_SPMM(Scalar)                                                    \
  template void chunked_spmm(Stream, const CsrPattern<Offset>&, const ChunkedSchedule&, \
                             const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_CHUNKED_SPMM(float)
TESSERA_CHUNKED_SPMM(double)

}  // namespace Tessera::Impl::Cuda
