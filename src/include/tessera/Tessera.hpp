// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// All that a user of the library needs: plans and products, plans in files, block conjugate gradients, the version,
/// and where warnings go.
/// Components have headers of their own: readers, writers and generators of matrices in tessera/io, the adapters
/// tessera/kokkos_kernels/SpmvHandle.hpp, tessera/tpetra/CrsMatrix.hpp and tessera/tpetra/TpetraOperator.hpp.

#include <tessera/Batch.hpp>
#include <tessera/BlockCg.hpp>
#include <tessera/Plan.hpp>
#include <tessera/PlanFile.hpp>
#include <tessera/PlanOperator.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/PlanOptionsText.hpp>
#include <tessera/Spmm.hpp>
#include <tessera/SpmmWithSums.hpp>
#include <tessera/Version.hpp>
#include <tessera/Warnings.hpp>
#include <tessera/Workspace.hpp>
