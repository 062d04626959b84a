// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "CsrCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct Csr;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaCsr;

/// Compressed rows.
struct CsrEngine : CsrCost {
  static constexpr Format format = Format::Csr;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = Csr<int, Memory>;
  template <class Scalar>
  using Cuda = CudaCsr<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = true;
};

}  // namespace Tessera::Impl
