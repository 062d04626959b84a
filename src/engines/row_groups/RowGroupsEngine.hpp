// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

#include "RowGroupsCost.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct RowGroups;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaRowGroups;

/// Compressed rows in groups of adjacent rows that share their columns.
struct RowGroupsEngine : RowGroupsCost {
  static constexpr Format format = Format::RowGroups;
  static constexpr bool is_paper_alone = false;
  template <class Memory>
  using Stored = RowGroups<int, Memory>;
  template <class Scalar>
  using Cuda = CudaRowGroups<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = true;
};

}  // namespace Tessera::Impl
