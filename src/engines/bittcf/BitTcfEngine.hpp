// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "BitTcfCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct BitTcf;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaCondensed;

/// BitTCF, on GPUs as condensed windows of 8 rows on tensor cores.
struct BitTcfEngine : BitTcfCost {
  static constexpr Format format = Format::BitTcf;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = BitTcf<int, Memory>;
  template <class Scalar>
  using Cuda = CudaCondensed<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
