// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "bcsr/warpgroup/Spmm.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr Ordinal narrow_slab_columns = 128;  // upper bound on the columns of X for the narrow policies

}  // namespace

bool has_warpgroup_spmm() {
  static constinit PerDevice major;
  return major([](int device) { return device_attribute(cudaDevAttrComputeCapabilityMajor, device); }) == 9 &&
         is_for_hopper<&warpgroup_kernel<TunedWarpgroupPolicies<Precision::Tf32>::Narrow>>();
}

void warpgroup_spmm(Stream stream, const BcsrPattern& A, Precision precision, const BlockStep* steps,
                    const CondensedSchedule& schedule, const Product<float, float>& product, const std::byte* lines,
                    const Scratch& workspace) {
  if (A.block.height != square_side || A.block.width != square_side) {
    throw std::invalid_argument("warpgroup_spmm: blocks of " + std::to_string(A.block.height) + "x" +
                                std::to_string(A.block.width) + "; expected 64x64");
  }
  for_precision<float, true>("warpgroup_spmm", precision, [&]<Precision p>() {
    using Policies = TunedWarpgroupPolicies<p>;
    using Operand = typename Policies::Narrow::Operand;
    WarpgroupArguments<Operand> arguments = {{.A = A, .schedule = schedule, .product = product}, steps, lines};
    const XAccess access = warpgroup_x_access(p);
    const auto layout = window_scratch(schedule, panel_rows, product.x, access, p);
    std::byte* const packed = use_scratch("warpgroup_spmm", layout, workspace, arguments);
    const auto take_x = [&](const auto& x) {
      arguments.x = x.data;
      arguments.x_columns = x.columns;
      arguments.x_row_bytes = row_bytes(x);
    };
    if constexpr (is_half(p)) {
      take_x(rounded_by_rows(stream, p, HalfOrder::Columns, product.x, packed));
    } else {
      auto x = by_rows(stream, product.x, access, packed, arguments.partials_stride);
      x.columns = ceil_divide(x.columns, 4) * 4;  // with the padding of a copy
      take_x(x);
    }
    if (policy_columns(schedule, product.x.columns) <= narrow_slab_columns) {
      launch_warpgroups<typename Policies::Narrow>(stream, arguments);
    } else {
      launch_warpgroups<typename Policies::Wide>(stream, arguments);
    }
  });
}

}  // namespace Tessera::Impl::Cuda
