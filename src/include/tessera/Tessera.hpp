// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// All that a user of the library needs: plans and products, plans in files, block conjugate gradients, the version,
/// and where warnings go.
/// Components have headers of their own: readers, writers and generators of matrices in tessera/io, the adapters
/// tessera/kokkos_kernels/SpmvHandle.hpp, tessera/tpetra/CrsMatrix.hpp and tessera/tpetra/TpetraOperator.hpp.

#include <tessera/Version.hpp>
#include <tessera/Warnings.hpp>
#include <tessera/krylov/BlockCg.hpp>
#include <tessera/spmm/Plan.hpp>
#include <tessera/spmm/PlanFile.hpp>
#include <tessera/spmm/PlanOperator.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/PlanOptionsText.hpp>
#include <tessera/spmm/Spmm.hpp>
#include <tessera/spmm/SpmmWithSums.hpp>
#include <tessera/spmm/Workspace.hpp>
