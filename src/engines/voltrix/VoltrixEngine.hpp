// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>
#include <tessera/common/Format.hpp>

namespace Tessera {
template <class Offset, class MemorySpace>
struct Bmat;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaBmat;

/// BMat with the kernel of Voltrix-SpMM.
struct VoltrixEngine {
  static constexpr Format format = Format::Bmat;
  static constexpr bool is_paper_alone = true;
  template <class Memory>
  using Stored = Bmat<int, Memory>;
  template <class Scalar>
  using Cuda = CudaBmat<Scalar, int>;
  template <class Scalar>
  static constexpr bool has_cuda = !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
