// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Tpetra's and Tessera's templates with their definitions, for types that Tpetra is not instantiated for. Teuchos gives
// complex numbers their traits only if HAVE_TEUCHOS_COMPLEX is defined before its headers are included.
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_BlockCrsMatrix_def.hpp>
#include <Tpetra_BlockMultiVector.hpp>
#include <Tpetra_BlockMultiVector_def.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_CrsMatrix_def.hpp>
#include <Tpetra_Details_getDiagCopyWithoutOffsets_def.hpp>
#include <Tpetra_Details_packCrsMatrix_def.hpp>
#include <Tpetra_Details_unpackCrsMatrixAndCombine_def.hpp>
#include <Tpetra_DistObject_def.hpp>
#include <Tpetra_MultiVector_def.hpp>
#include <Tpetra_RowMatrix_def.hpp>
#include <Tpetra_Vector_def.hpp>
#include <tessera/tpetra/CrsMatrix_def.hpp>
#include <tessera/tpetra/Jacobi_def.hpp>
#include <tessera/tpetra/TpetraOperator_def.hpp>
