// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/ExecutionSpaces.hpp>

/// Included before every source of the library that a fuzz target is compiled from: they are then compiled for one type
/// of matrix, in a tenth of the time.
#undef TESSERA_FOR_EACH_OFFSET
#undef TESSERA_FOR_EACH_MATRIX
#undef TESSERA_FOR_EACH_PRODUCT
#define TESSERA_FOR_EACH_OFFSET(Exec, M) M(Exec, int)
#define TESSERA_FOR_EACH_MATRIX(Exec, M) M(Exec, double, int)
#define TESSERA_FOR_EACH_PRODUCT(Exec, M) M(Exec, double, double, int)
