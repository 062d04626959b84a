// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/sorted_columns/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/sorted_columns/HostSortedColumns.hpp"
#include "../../src/cuda/sorted_columns/Launch.cuh"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// How a product with sorted columns is asked for. The numbers of a case that are of no use here are not looked at.
struct SortedColumnsCase : ProductCase {
  int width = 32, height = 32;
  int group_steps = 8;
  int slab_columns = 0;  // 0: as products choose
};

inline std::string describe(const HostMatrix& A, const SortedColumnsCase& c) {
  return describe(A, static_cast<const ProductCase&>(c)) + ", width " + std::to_string(c.width) + ", height " +
         std::to_string(c.height) + ", groups of " + std::to_string(c.group_steps) + ", slabs of " +
         std::to_string(c.slab_columns);
}

/// A matrix and its schedule on the device.
template <class Offset>
class SortedColumnsOnDevice {
 public:
  SortedColumnsOnDevice(const HostMatrix& A, const SortedColumnsCase& c)
      : SortedColumnsOnDevice(Bench::build_sorted_columns(A, c.width, c.height), c.group_steps) {}

  SortedColumnsPattern<Offset> pattern() const {
    SortedColumnsPattern<Offset> A = sizes_;
    A.column_order = column_order_.data();
    A.block_offsets = block_offsets_.data();
    A.block_positions = block_positions_.data();
    A.row_indices = row_indices_.data();
    A.position_indices = position_indices_.data();
    A.segment_lengths = segment_lengths_.data();
    A.piece_offsets = piece_offsets_.data();
    A.piece_columns = piece_columns_.data();
    return A;
  }

  Cuda::SortedColumnsSchedule<Offset> schedule() const {
    Cuda::SortedColumnsSchedule<Offset> schedule = host_schedule_.view();
    schedule.step_positions = step_positions_.data();
    schedule.places = places_.data();
    schedule.group_segments = group_segments_.data();
    schedule.segment_ends = segment_ends_.data();
    schedule.row_offsets = row_offsets_.data();
    schedule.row_slots = row_slots_.data();
    schedule.long_rows = long_rows_.data();
    return schedule;
  }

  const std::vector<double>& values() const { return host_.values; }

 private:
  static std::vector<Offset> offsets(const std::vector<int>& host) { return {host.begin(), host.end()}; }

  /// The host's sizes with offsets of another type; what `offsets` hold stays with the caller.
  static SortedColumnsPattern<Offset> host_view(const Bench::HostSortedColumns& B,
                                                const std::vector<Offset>& block_offsets,
                                                const std::vector<Offset>& piece_offsets) {
    const SortedColumnsPattern<int> from = B.view();
    SortedColumnsPattern<Offset> A;
    A.rows = from.rows;
    A.columns = from.columns;
    A.positions = from.positions;
    A.width = from.width;
    A.height = from.height;
    A.regular = static_cast<Offset>(from.regular);
    A.blocks = static_cast<Offset>(from.blocks);
    A.pieces = static_cast<Offset>(from.pieces);
    A.block_offsets = block_offsets.data();
    A.block_positions = from.block_positions;
    A.row_indices = from.row_indices;
    A.piece_offsets = piece_offsets.data();
    return A;
  }

  SortedColumnsOnDevice(const Bench::HostSortedColumns& B, int group_steps)
      : host_(B),
        host_block_offsets_(offsets(B.block_offsets)),
        host_piece_offsets_(offsets(B.piece_offsets)),
        sizes_(host_view(host_, host_block_offsets_, host_piece_offsets_)),
        host_schedule_(Cuda::build_sorted_columns_schedule(sizes_, group_steps)),
        block_offsets_(host_block_offsets_),
        piece_offsets_(host_piece_offsets_),
        group_segments_(host_schedule_.group_segments),
        row_offsets_(host_schedule_.row_offsets),
        row_slots_(host_schedule_.row_slots),
        column_order_(B.column_order),
        block_positions_(B.block_positions),
        row_indices_(B.row_indices),
        step_positions_(host_schedule_.step_positions),
        long_rows_(host_schedule_.long_rows),
        position_indices_(B.position_indices),
        places_(host_schedule_.places),
        segment_ends_(host_schedule_.segment_ends),
        segment_lengths_(B.segment_lengths),
        piece_columns_(B.piece_columns) {}

  Bench::HostSortedColumns host_;
  std::vector<Offset> host_block_offsets_, host_piece_offsets_;
  SortedColumnsPattern<Offset> sizes_;
  Cuda::HostSortedColumnsSchedule<Offset> host_schedule_;
  OnDevice<Offset> block_offsets_, piece_offsets_, group_segments_, row_offsets_, row_slots_;
  OnDevice<int> column_order_, block_positions_, row_indices_, step_positions_, long_rows_;
  OnDevice<std::uint16_t> position_indices_, places_, segment_ends_;
  OnDevice<std::int16_t> segment_lengths_;
  OnDevice<std::uint32_t> piece_columns_;
};

/// A product in slabs of the case's size: what no caller may ask for.
template <class Policy, class Offset, class Scalar>
void launch_case(const SortedColumnsCase& c, const SortedColumnsPattern<Offset>& A,
                 const Cuda::SortedColumnsSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product) {
  const int slab = c.slab_columns == 0 ? c.columns : c.slab_columns;
  const auto padded = static_cast<std::size_t>(Cuda::sorted_columns_padded<Scalar>(slab));
  const OnDevice<Scalar> partials(std::vector<Scalar>(std::size_t(schedule.slot_count) * padded));
  const OnDevice<Scalar> packed(std::vector<Scalar>(std::size_t(A.columns) * padded));
  Cuda::SortedColumnsArguments<Offset, Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  arguments.partials = partials.data();
  Cuda::launch_sorted_columns<Policy>(nullptr, arguments, slab, packed.data());
  check(cudaDeviceSynchronize(), "running");
}

/// Y = alpha A X + beta Y on the device, in place; x and y as `place` says.
template <class Offset, class Scalar>
void device_product(const HostMatrix& A, const SortedColumnsCase& c, const std::vector<Scalar>& x,
                    std::vector<Scalar>& y) {
  const SortedColumnsOnDevice<Offset> matrix(A, c);
  const OnDevice<Scalar> values(std::vector<Scalar>(matrix.values().begin(), matrix.values().end()));
  const Operands<Scalar> operands(A, c, x, y);
  const auto product = operands.template product<Scalar>(values.data());
  const auto pattern = matrix.pattern();
  const auto schedule = matrix.schedule();
  constexpr int lanes = 2;  // several chunks of columns
  if (c.slab_columns != 0) {
    launch_case<Cuda::SortedColumnsPolicy<lanes>>(c, pattern, schedule, product);
  } else {
    const OnDevice<std::byte> workspace(
        std::vector<std::byte>(Cuda::sorted_columns_workspace_bytes(pattern, schedule, product.x), std::byte(0xff)));
    Cuda::sorted_columns_spmm(nullptr, pattern, c.precision, schedule, product,
                              Scratch{workspace.data(), workspace.bytes()});
  }
  y = operands.y.to_host();
}

}  // namespace Tessera::Test
