// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/cuda/tall/Panel.hpp>
#include <type_traits>

namespace Tessera::Impl::Cuda::Tall {

/// Two adjacent elements of a row. A lane reads or writes them at once.
template <class Scalar>
struct alignas(2 * sizeof(Scalar)) Pair {
  std::remove_const_t<Scalar> at[2];
};

/// Whether the columns of a panel form groups of `bytes` bytes that are aligned to their size.
template <class Scalar>
bool has_groups(const TallPanel<Scalar>& panel, int bytes) {
  const int count = bytes / int(sizeof(Scalar));
  return !panel.is_listed && panel.columns % count == 0 && panel.row_stride % count == 0 &&
         reinterpret_cast<std::uintptr_t>(panel.data) % unsigned(bytes) == 0;
}

}  // namespace Tessera::Impl::Cuda::Tall
