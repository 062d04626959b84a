// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// All that a user of the library needs: plans and products, plans in files, block conjugate gradients, readers and
/// generators of matrices.
/// The adapters have headers of their own: tessera/kokkos_kernels/SpmvHandle.hpp, tessera/tpetra/CrsMatrix.hpp and
/// tessera/tpetra/TpetraOperator.hpp.

#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <tessera/io/ReadOrGenerate.hpp>
#include <tessera/krylov/BlockCg.hpp>
#include <tessera/spmm/Plan.hpp>
#include <tessera/spmm/PlanFile.hpp>
#include <tessera/spmm/PlanOperator.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/PlanOptionsText.hpp>
#include <tessera/spmm/Spmm.hpp>
#include <tessera/spmm/SpmmWithSums.hpp>
#include <tessera/spmm/Workspace.hpp>
#include <tessera/spmm/Workspaces.hpp>
