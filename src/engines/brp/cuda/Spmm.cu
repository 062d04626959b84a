// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "brp/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {
namespace {

template <Precision precision, int f, class Scalar>
void launch_widths(Stream stream, const BrpArguments<Scalar>& arguments) {
  for_width(policy_columns(arguments.schedule, arguments.product.x.columns),
            [&]<bool wide>() { launch_brp<BrpKind<precision, f>, TunedBrpPolicy<Scalar, wide>>(stream, arguments); });
}

template <Precision precision, class Scalar>
void launch_kind(Stream stream, const BrpArguments<Scalar>& arguments) {
  switch (arguments.partition.f) {
    case 1:
      return launch_widths<precision, 1>(stream, arguments);
    case 2:
      return launch_widths<precision, 2>(stream, arguments);
    case 4:
      return launch_widths<precision, 4>(stream, arguments);
    default:
      throw std::invalid_argument("brp_spmm: f = " + std::to_string(arguments.partition.f) + " is not 1, 2 or 4");
  }
}

}  // namespace

template <class Scalar>
void brp_spmm(Stream stream, const BrpPattern& A, Precision precision, const BrpSchedule& schedule,
              const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  // The kernel reads pairs of columns.
  if (reinterpret_cast<std::uintptr_t>(A.group_columns) % (2 * sizeof(Ordinal)) != 0) {
    throw std::invalid_argument("brp_spmm: group_columns are not aligned to 8 bytes");
  }

  BrpArguments<Scalar> arguments;
  arguments.A.rows = A.rows;
  arguments.A.columns = A.columns;
  arguments.A.strips = 2;
  arguments.partition = A;
  arguments.items = schedule.items;
  arguments.schedule = {schedule.item_count, schedule.sum_count, schedule.slot_count, nullptr,
                        schedule.sums,       schedule.width};
  arguments.product = product;
  prepare_operands("brp_spmm", stream, A.window_rows(), brp_x_access, workspace, arguments);
  for_precision<Scalar>("brp_spmm", precision, [&]<Precision p>() { launch_kind<p>(stream, arguments); });
}

#define TESSERA_BRP_SPMM(Scalar)                                                                                   \
  template void brp_spmm(Stream, const BrpPattern&, Precision, const BrpSchedule&, const Product<Scalar, Scalar>&, \
                         const Scratch&);

TESSERA_BRP_SPMM(float)
TESSERA_BRP_SPMM(double)

}  // namespace Tessera::Impl::Cuda
