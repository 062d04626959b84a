// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Operator.hpp>
#include <tessera/common/CompiledTypes.hpp>
#include <type_traits>

namespace Tessera {

template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class BlockVector;

namespace Impl {

/// Whether there are BlockVectors of a type: real scalars that the library is compiled for.
template <class Scalar>
inline constexpr bool has_blocks_v = std::is_floating_point_v<Scalar>&& is_compiled_v<Scalar>;

}  // namespace Impl

}  // namespace Tessera
