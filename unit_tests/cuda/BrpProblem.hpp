// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/brp/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/brp/HostBrp.hpp"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// A product, and the f and g of its matrix.
struct BrpCase : ProductCase {
  int f = 1, g = 1;
};

inline std::string describe_brp(const HostMatrix& A, const BrpCase& c) {
  return describe(A, c) + ", f " + std::to_string(c.f) + ", g " + std::to_string(c.g);
}

/// A block-row partition with its own types of offsets, on the host or on the device.
template <class Offset, template <class> class Array>
struct BrpArrays {
  Array<Offset> window_groups, residual_offsets, window_residuals;
  Array<int> group_columns, residual_rows, residual_columns;
  Array<std::uint8_t> local_ids;

  explicit BrpArrays(const Bench::HostBrp& B)
      : window_groups(offsets(B.window_groups)),
        residual_offsets(offsets(B.residual_offsets)),
        window_residuals(offsets(B.window_residuals)),
        group_columns(B.group_columns),
        residual_rows(B.residual_rows),
        residual_columns(B.residual_columns),
        local_ids(B.local_ids) {}

  static std::vector<Offset> offsets(const std::vector<int>& all) { return {all.begin(), all.end()}; }

  BlockRowPartitionPattern<Offset> pattern(const Bench::HostBrp& B) const {
    return {B.rows,
            B.columns,
            B.f,
            B.g,
            static_cast<Offset>(B.groups()),
            nullptr,
            window_groups.data(),
            local_ids.data(),
            group_columns.data(),
            residual_rows.data(),
            residual_offsets.data(),
            residual_columns.data(),
            window_residuals.data()};
  }
};
template <class T>
using OnHost = std::vector<T>;

/// Y = alpha A X + beta Y on the device, in place; x and y as `place` says.
template <class Offset, class Scalar>
void device_brp_product(const HostMatrix& A, const BrpCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  const Bench::HostBrp B = Bench::build_host_brp(A, c.f, c.g);
  const BrpArrays<Offset, OnHost> host(B);
  const BrpArrays<Offset, OnDevice> device(B);
  const OnDevice<Scalar> values(std::vector<Scalar>(B.values.begin(), B.values.end()));
  const auto pattern = device.pattern(B);

  const auto host_schedule = Cuda::build_brp_schedule(host.pattern(B), c.piece_tiles);
  const OnDevice<Cuda::BrpItem<Offset>> items(host_schedule.items);
  const OnDevice<Cuda::CondensedSum> sums(host_schedule.sums);
  const Cuda::BrpSchedule<Offset> schedule = {static_cast<int>(host_schedule.items.size()),
                                              static_cast<int>(host_schedule.sums.size()), host_schedule.slots,
                                              items.data(), sums.data()};

  const Operands<Scalar> operands(A, c, x, y);
  const auto product = operands.template product<Scalar>(values.data());
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(Cuda::brp_workspace_bytes(pattern, schedule, product.x), std::byte(0xff)));
  Cuda::brp_spmm(nullptr, pattern, c.precision, schedule, product, Scratch{workspace.data(), workspace.bytes()});
  y = operands.y.to_host();
}

}  // namespace Tessera::Test
