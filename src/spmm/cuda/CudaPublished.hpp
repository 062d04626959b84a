// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Kernel.hpp>
#include <tessera/spmm/PlanOptions.hpp>

#include "CudaBcsr.hpp"
#include "CudaBrp.hpp"
#include "CudaPrecision.hpp"

namespace Tessera::Impl {

/// Why the kernel of a format's paper does not multiply matrices of Scalar as the options ask for; empty if it does.
template <class Scalar, class Offset>
std::string cuda_published_fault(const PlanOptions& options, Format format) {
  const std::string name(to_string(format));
  if (paper_of(format).empty()) return name + " is from no paper; expected bittcf, bmat, brp, bcsr or sorted_columns";
  if constexpr (is_complex_v<Scalar>) {
    return "the matrix is complex; expected real numbers";
  } else {
    if (format == Format::SortedColumns) return {};
    if (!has_tensor_cores<Scalar>(options.precision))
      return "tensor cores do not multiply " + name + " of floats in native precision; expected tf32x3 or tf32";
    const FormatParameters& p = options.parameters;
    if (format == Format::BlockRowPartition && !CudaBrp<Scalar, Offset>::has(p.brp_nonzeros_per_column))
      return "brp has " + std::to_string(p.brp_nonzeros_per_column) + " nonzeros a local column; expected 1, 2 or 4";
    const BlockShape block{p.bcsr_block_rows, p.bcsr_block_columns};
    if (format == Format::Bcsr && block.size() > 0 && !CudaBcsr<Scalar, Offset>::has(block, options.precision)) {
      return "bcsr has blocks of " + std::to_string(block.height) + " x " + std::to_string(block.width) +
             "; expected 16 x 8, 8 x 8, for double 8 x 4, or for float in 16 bits 16 x 16";
    }
    return {};
  }
}

}  // namespace Tessera::Impl
