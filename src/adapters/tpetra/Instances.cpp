// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator and matrix for every type that this Tpetra was instantiated for, so that users' files compile none of it.
#include <TpetraCore_ETIHelperMacros.h>
#include <TpetraCore_config.h>

#include <complex>
#include <tessera/tpetra/CrsMatrix_def.hpp>
#include <tessera/tpetra/TpetraOperator_def.hpp>

namespace Tessera {

TPETRA_ETI_MANGLING_TYPEDEFS()

// Tpetra may have scalars that Tessera has not: long double, float128.
#define TESSERA_INSTANTIATE(Scalar, LO, GO, Node)         \
  template class TpetraOperator<Scalar, LO, GO, Node>; \
  template class CrsMatrix<Scalar, LO, GO, Node>;
#define TESSERA_INSTANTIATE_DOUBLE(LO, GO, Node) TESSERA_INSTANTIATE(double, LO, GO, Node)
#define TESSERA_INSTANTIATE_FLOAT(LO, GO, Node) TESSERA_INSTANTIATE(float, LO, GO, Node)
#define TESSERA_INSTANTIATE_COMPLEX_DOUBLE(LO, GO, Node) TESSERA_INSTANTIATE(std::complex<double>, LO, GO, Node)
#define TESSERA_INSTANTIATE_COMPLEX_FLOAT(LO, GO, Node) TESSERA_INSTANTIATE(std::complex<float>, LO, GO, Node)

#ifdef HAVE_TPETRA_INST_DOUBLE
TPETRA_INSTANTIATE_LGN(TESSERA_INSTANTIATE_DOUBLE)
#endif
#if defined(HAVE_TPETRA_INST_FLOAT) && !defined(TESSERA_WITHOUT_FLOAT)
TPETRA_INSTANTIATE_LGN(TESSERA_INSTANTIATE_FLOAT)
#endif
#if defined(HAVE_TPETRA_INST_COMPLEX_DOUBLE) && !defined(TESSERA_WITHOUT_COMPLEX_DOUBLE)
TPETRA_INSTANTIATE_LGN(TESSERA_INSTANTIATE_COMPLEX_DOUBLE)
#endif
#if defined(HAVE_TPETRA_INST_COMPLEX_FLOAT) && !defined(TESSERA_WITHOUT_COMPLEX_FLOAT)
TPETRA_INSTANTIATE_LGN(TESSERA_INSTANTIATE_COMPLEX_FLOAT)
#endif

}  // namespace Tessera
