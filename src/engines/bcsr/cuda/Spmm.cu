// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "bcsr/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr Ordinal wide_columns = 64;  // upper bound on the columns of X for Policies::Wide

template <class Operand>
void expect_aligned(const char* what, const Operand* values) {
  if (reinterpret_cast<std::uintptr_t>(values) % 16 == 0) return;
  throw std::invalid_argument(std::string("bcsr_spmm: ") + what + " are not aligned to 16 bytes");
}

/// The arguments for the launch of a product.
template <class Scalar>
struct Call {
  Stream stream;
  const BcsrPattern& A;
  const CondensedSchedule& schedule;
  const Product<Scalar, Scalar>& product;
  const std::uint16_t* rounded_values;
  const Scratch& workspace;

  template <Precision precision, int height, int width>
  void launch() const {
    using Kind = BcsrKind<precision, height, width>;
    BcsrArguments<Scalar, typename Kind::Operand> arguments = {.A = A, .schedule = schedule, .product = product};
    const auto layout = window_scratch(schedule, height, product.x, bcsr_x_access(precision), precision);
    std::byte* const packed = use_scratch("bcsr_spmm", layout, workspace, arguments);
    const auto take_x = [&](const auto& x) {
      arguments.x = x.data;
      arguments.x_columns = x.columns;
      arguments.x_row_bytes = row_bytes(x);
    };
    if constexpr (Kind::half) {
      expect_aligned("rounded values", arguments.values = rounded_values);
      take_x(rounded_by_rows(stream, precision, HalfOrder::Products, product.x, packed));
    } else {
      expect_aligned("values", arguments.values = product.values);
      take_x(by_rows(stream, product.x, bcsr_x_access(precision), packed, arguments.partials_stride));
    }
    using Policies = TunedBcsrPolicies<Kind>;
    const Ordinal columns = policy_columns(schedule, product.x.columns);
    if (columns <= narrow_columns) {
      launch_bcsr<Kind, typename Policies::Narrow>(stream, arguments);
    } else if (columns <= wide_columns) {
      launch_bcsr<Kind, typename Policies::Wide>(stream, arguments);
    } else {
      launch_bcsr<Kind, typename Policies::Wider>(stream, arguments);
    }
  }

  template <Precision precision>
  void launch_shape() const {
    constexpr bool half = is_half(precision), native = precision == Precision::Native;
    const auto is = [this](int height, int width) { return A.block.height == height && A.block.width == width; };
    if constexpr (half) {
      if (is(16, 16)) return launch<precision, 16, 16>();
    } else {
      if (is(16, 8)) return launch<precision, 16, 8>();
      if (is(8, 8)) return launch<precision, 8, 8>();
      if constexpr (native) {
        if (is(8, 4)) return launch<precision, 8, 4>();
      }
    }
    throw std::invalid_argument("bcsr_spmm: " + std::string(to_string(precision)) + " products of blocks of " +
                                std::to_string(A.block.height) + "x" + std::to_string(A.block.width) + "; expected " +
                                (half     ? "16x16"
                                 : native ? "16x8, 8x8 or 8x4"
                                          : "16x8 or 8x8"));
  }
};

}  // namespace

template <class Scalar>
void bcsr_spmm(Stream stream, const BcsrPattern& A, Precision precision, const CondensedSchedule& schedule,
               const Product<Scalar, Scalar>& product, const std::uint16_t* rounded_values, const Scratch& workspace) {
  const Call<Scalar> call = {stream, A, schedule, product, rounded_values, workspace};
  for_precision<Scalar, true>("bcsr_spmm", precision, [&]<Precision p>() { call.template launch_shape<p>(); });
}

#define TESSERA_BCSR_SPMM(Scalar)                                                          \
  template void bcsr_spmm(Stream, const BcsrPattern&, Precision, const CondensedSchedule&, \
                          const Product<Scalar, Scalar>&, const std::uint16_t*, const Scratch&);

TESSERA_BCSR_SPMM(float)
TESSERA_BCSR_SPMM(double)

}  // namespace Tessera::Impl::Cuda
