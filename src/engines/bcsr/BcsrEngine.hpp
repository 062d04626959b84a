// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "BcsrCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct Bcsr;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaBcsr;

/// Compressed rows of dense blocks, as SMaT has them.
struct BcsrEngine : BcsrCost {
  static constexpr Format format = Format::Bcsr;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = Bcsr<int, Memory>;
  template <class Scalar>
  using Cuda = CudaBcsr<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
