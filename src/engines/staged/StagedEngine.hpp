// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "StagedCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct StagedWindows;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaStaged;

/// Windows of 64 rows, whose rows of X are staged in shared memory.
struct StagedEngine : StagedCost {
  static constexpr Format format = Format::Staged;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = StagedWindows<int, Memory>;
  template <class Scalar>
  using Cuda = CudaStaged<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
