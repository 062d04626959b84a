// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "BrpCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct BlockRowPartition;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaBrp;

/// The block-row partition, as BRP-SpMM has it.
struct BrpEngine : BrpCost {
  static constexpr Format format = Format::BlockRowPartition;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = BlockRowPartition<int, Memory>;
  template <class Scalar>
  using Cuda = CudaBrp<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
