// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "SortedColumnsCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct SortedColumns;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaSortedColumns;

/// Sorted columns, as Swift has them.
struct SortedColumnsEngine : SortedColumnsCost {
  static constexpr Format format = Format::SortedColumns;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = SortedColumns<int, Memory>;
  template <class Scalar>
  using Cuda = CudaSortedColumns<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
