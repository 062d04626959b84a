// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "BmatCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct Bmat;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaCondensed;

/// BMat, on GPUs as condensed windows of 16 rows on tensor cores.
struct BmatEngine : BmatCost {
  static constexpr Format format = Format::Bmat;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = Bmat<int, Memory>;
  template <class Scalar>
  using Cuda = CudaCondensed<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
