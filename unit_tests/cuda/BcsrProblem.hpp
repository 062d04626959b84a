// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/bcsr/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/bcsr/HostBcsr.hpp"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// A case of ProductCase, and what blocks of rows have besides.
struct BcsrCase : ProductCase {
  BlockShape block = {16, 8};
  bool gather = false;         // rows of X backwards
  bool longest_first = false;  // of the schedule
};

inline std::string describe(const HostMatrix& A, const BcsrCase& c) {
  return describe(A, static_cast<const ProductCase&>(c)) + ", blocks " + std::to_string(c.block.height) + "x" +
         std::to_string(c.block.width) + (c.gather ? ", gather" : "");
}

template <class Offset>
Cuda::HostCondensedSchedule<Offset> bcsr_schedule(const std::vector<Offset>& offsets, const BcsrCase& c) {
  auto schedule =
      Cuda::build_condensed_schedule(offsets.data(), static_cast<Ordinal>(offsets.size()) - 1, c.piece_tiles);
  if (c.longest_first) Cuda::put_longest_first(schedule.items);
  return schedule;
}

/// Y = alpha A X + beta Y on the device, in place; x and y as `place` says, the rows of x in the order of the columns
/// of A whatever c.gather says.
template <class Offset, class Scalar>
void bcsr_product(const HostMatrix& A, const BcsrCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  const Bench::HostBcsr B = Bench::build_bcsr(A, c.block);
  const std::vector<Offset> host_offsets(B.block_offsets.begin(), B.block_offsets.end());
  const OnDevice<Offset> offsets(host_offsets);
  const OnDevice<int> columns(B.block_columns);
  const OnDevice<std::uint64_t> masks(B.block_masks);
  const OnDevice<Scalar> values(std::vector<Scalar>(B.values.begin(), B.values.end()));
  const BcsrPattern<Offset> pattern = {A.rows, A.columns, c.block, offsets.data(), columns.data(), masks.data()};
  const auto host_schedule = bcsr_schedule(host_offsets, c);
  const OnDevice<Cuda::CondensedItem<Offset>> items(host_schedule.items);
  const OnDevice<Cuda::CondensedSum> sums(host_schedule.sums);
  const Cuda::CondensedSchedule<Offset> schedule = {static_cast<int>(host_schedule.items.size()),
                                                    static_cast<int>(host_schedule.sums.size()), host_schedule.slots,
                                                    items.data(), sums.data()};

  const bool half = c.precision == Precision::Fp16 || c.precision == Precision::Bf16;
  const OnDevice<std::uint16_t> rounded(std::vector<std::uint16_t>(half ? B.values.size() : 0));
  if constexpr (std::is_same_v<Scalar, float>) {
    if (half) Cuda::round_values(nullptr, c.precision, B.values.size(), values.data(), rounded.data());
  }
  std::vector<Scalar> host_x = x;
  for (int i = 0; c.gather && i < A.columns; ++i) {
    for (int j = 0; j < c.columns; ++j) {
      host_x[place(c, A.columns, A.columns - 1 - i, j)] = x[place(c, A.columns, i, j)];
    }
  }
  const Operands<Scalar> operands(A, c, host_x, y);
  const OnDevice<int> x_rows(Operands<Scalar>::backwards(A.columns));
  auto product = operands.template product<Scalar>(values.data());
  if (c.gather) product.x_rows = x_rows.data();
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(Cuda::bcsr_workspace_bytes(pattern, c.precision, schedule, product.x), std::byte(0xff)));
  Cuda::bcsr_spmm(nullptr, pattern, c.precision, schedule, product, rounded.data(),
                  Scratch{workspace.data(), workspace.bytes()});
  y = operands.y.to_host();
}

}  // namespace Tessera::Test
