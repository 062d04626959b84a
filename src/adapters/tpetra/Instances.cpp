// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix, operators and BlockVectors for all types that this Tpetra was instantiated for. Users need not compile them.
#include <TpetraCore_ETIHelperMacros.h>
#include <TpetraCore_config.h>

#include <complex>
#include <tessera/tpetra/ApplyToBlocks_def.hpp>
#include <tessera/tpetra/BlockCg_def.hpp>
#include <tessera/tpetra/BlockVector_def.hpp>
#include <tessera/tpetra/Chebyshev_def.hpp>
#include <tessera/tpetra/CrsMatrix_def.hpp>
#include <tessera/tpetra/Jacobi_def.hpp>
#include <tessera/tpetra/TpetraOperator_def.hpp>

namespace Tessera {

TPETRA_ETI_MANGLING_TYPEDEFS()

// For scalars that Tessera does not support, Tpetra multiplies in CrsMatrix, and there is no operator.
#define TESSERA_MATRIX(Scalar, LO, GO, Node) template class CrsMatrix<Scalar, LO, GO, Node>;
#define TESSERA_OPERATOR(Scalar, LO, GO, Node) template class TpetraOperator<Scalar, LO, GO, Node>;
#define TESSERA_BLOCKS(Scalar, LO, GO, Node)                                                                        \
  template class BlockVector<Scalar, LO, GO, Node>;                                                                 \
  template class Jacobi<Scalar, LO, GO, Node>;                                                                      \
  template class Chebyshev<Scalar, LO, GO, Node>;                                                                   \
  template void apply(const Tpetra::Operator<Scalar, LO, GO, Node>&, const BlockVector<Scalar, LO, GO, Node>&,      \
                      BlockVector<Scalar, LO, GO, Node>&, Teuchos::ETransp, Scalar, Scalar);                        \
  template BlockCgResult block_cg(const Tpetra::Operator<Scalar, LO, GO, Node>&,                                    \
                                  const BlockVector<Scalar, LO, GO, Node>&, BlockVector<Scalar, LO, GO, Node>&,     \
                                  const BlockCgOptions<Scalar>&, BlockCgWorkspace<Node::execution_space, Scalar>&); \
  template BlockCgResult block_cg(const Tpetra::Operator<Scalar, LO, GO, Node>&,                                    \
                                  const Tpetra::Operator<Scalar, LO, GO, Node>&,                                    \
                                  const BlockVector<Scalar, LO, GO, Node>&, BlockVector<Scalar, LO, GO, Node>&,     \
                                  const BlockCgOptions<Scalar>&, BlockCgWorkspace<Node::execution_space, Scalar>&); \
  template BlockCgResult block_cg(const Tpetra::Operator<Scalar, LO, GO, Node>&,                                    \
                                  const BlockVector<Scalar, LO, GO, Node>&, BlockVector<Scalar, LO, GO, Node>&,     \
                                  const BlockCgOptions<Scalar>&);                                                   \
  template BlockCgResult block_cg(                                                                                  \
      const Tpetra::Operator<Scalar, LO, GO, Node>&, const Tpetra::Operator<Scalar, LO, GO, Node>&,                 \
      const BlockVector<Scalar, LO, GO, Node>&, BlockVector<Scalar, LO, GO, Node>&, const BlockCgOptions<Scalar>&);
#define TESSERA_BLOCKS_DOUBLE(LO, GO, Node) TESSERA_BLOCKS(double, LO, GO, Node)
#define TESSERA_BLOCKS_FLOAT(LO, GO, Node) TESSERA_BLOCKS(float, LO, GO, Node)
#define TESSERA_MATRIX_DOUBLE(LO, GO, Node) TESSERA_MATRIX(double, LO, GO, Node)
#define TESSERA_MATRIX_FLOAT(LO, GO, Node) TESSERA_MATRIX(float, LO, GO, Node)
#define TESSERA_MATRIX_COMPLEX_DOUBLE(LO, GO, Node) TESSERA_MATRIX(std::complex<double>, LO, GO, Node)
#define TESSERA_MATRIX_COMPLEX_FLOAT(LO, GO, Node) TESSERA_MATRIX(std::complex<float>, LO, GO, Node)
#define TESSERA_OPERATOR_DOUBLE(LO, GO, Node) TESSERA_OPERATOR(double, LO, GO, Node)
#define TESSERA_OPERATOR_FLOAT(LO, GO, Node) TESSERA_OPERATOR(float, LO, GO, Node)
#define TESSERA_OPERATOR_COMPLEX_DOUBLE(LO, GO, Node) TESSERA_OPERATOR(std::complex<double>, LO, GO, Node)
#define TESSERA_OPERATOR_COMPLEX_FLOAT(LO, GO, Node) TESSERA_OPERATOR(std::complex<float>, LO, GO, Node)

#ifdef HAVE_TPETRA_INST_DOUBLE
TPETRA_INSTANTIATE_LGN(TESSERA_MATRIX_DOUBLE)
TPETRA_INSTANTIATE_LGN(TESSERA_OPERATOR_DOUBLE)
TPETRA_INSTANTIATE_LGN(TESSERA_BLOCKS_DOUBLE)
#endif
#ifdef HAVE_TPETRA_INST_FLOAT
TPETRA_INSTANTIATE_LGN(TESSERA_MATRIX_FLOAT)
#ifndef TESSERA_WITHOUT_FLOAT
TPETRA_INSTANTIATE_LGN(TESSERA_OPERATOR_FLOAT)
TPETRA_INSTANTIATE_LGN(TESSERA_BLOCKS_FLOAT)
#endif
#endif
#ifdef HAVE_TPETRA_INST_COMPLEX_DOUBLE
TPETRA_INSTANTIATE_LGN(TESSERA_MATRIX_COMPLEX_DOUBLE)
#ifndef TESSERA_WITHOUT_COMPLEX_DOUBLE
TPETRA_INSTANTIATE_LGN(TESSERA_OPERATOR_COMPLEX_DOUBLE)
#endif
#endif
#ifdef HAVE_TPETRA_INST_COMPLEX_FLOAT
TPETRA_INSTANTIATE_LGN(TESSERA_MATRIX_COMPLEX_FLOAT)
#ifndef TESSERA_WITHOUT_COMPLEX_FLOAT
TPETRA_INSTANTIATE_LGN(TESSERA_OPERATOR_COMPLEX_FLOAT)
#endif
#endif

}  // namespace Tessera
