// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/bcsr/Spmm.hpp>

#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr Ordinal wide_columns = 64;  // of X, for which policies are tuned

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BcsrPattern<Offset>& A, Precision precision,
                               const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  return scratch_layout(std::size_t(schedule.slot_count) * std::size_t(A.block.height), x, rows_are_aligned(x),
                        precision);
}

std::string shape_text(const BlockShape& block) {
  return std::to_string(block.height) + "x" + std::to_string(block.width);
}

template <class Operand>
void expect_aligned(const char* what, const Operand* values) {
  if (reinterpret_cast<std::uintptr_t>(values) % 16 == 0) return;
  throw std::invalid_argument(std::string("bcsr_spmm: ") + what + " are not aligned to 16 bytes");
}

/// What a product is launched with.
template <class Offset, class Scalar>
struct Call {
  Stream stream;
  const BcsrPattern<Offset>& A;
  const CondensedSchedule<Offset>& schedule;
  const Product<Scalar, Scalar>& product;
  const std::uint16_t* rounded_values;
  Scalar* partials;
  std::byte* packed;

  template <Precision precision, int height, int width>
  void launch() const {
    using Kind = BcsrKind<precision, height, width>;
    using Operand = typename Kind::Operand;
    BcsrArguments<Offset, Scalar, Operand> arguments = {.A = A, .schedule = schedule, .product = product};
    if constexpr (Kind::half) {
      arguments.values = rounded_values;
      expect_aligned("rounded values", rounded_values);
    } else {
      arguments.values = product.values;
      expect_aligned("values", product.values);
    }
    const auto take_x = [&](const auto& x) {
      arguments.x = x.data;
      arguments.x_columns = x.columns;
      arguments.x_row_bytes = row_bytes(x);
    };
    if constexpr (Kind::half) {
      take_x(rounded_by_rows(stream, precision, HalfOrder::Products, product.x, packed));
    } else {
      take_x(by_rows(stream, product.x, rows_are_aligned(product.x), packed, padded(product.x.columns)));
    }
    arguments.partials = partials;
    arguments.partials_stride = padded(product.x.columns);
    using Policies = TunedBcsrPolicies<Kind>;
    if (product.x.columns <= narrow_columns) {
      launch_bcsr<Kind, typename Policies::Narrow>(stream, arguments);
    } else if (product.x.columns <= wide_columns) {
      launch_bcsr<Kind, typename Policies::Wide>(stream, arguments);
    } else {
      launch_bcsr<Kind, typename Policies::Wider>(stream, arguments);
    }
  }

  [[noreturn]] void refuse(Precision precision, const char* shapes) const {
    throw std::invalid_argument("bcsr_spmm: " + std::string(to_string(precision)) + " products of blocks of " +
                                shape_text(A.block) + "; expected " + shapes);
  }

  template <Precision precision>
  void launch_shape() const {
    const auto is = [this](int height, int width) { return A.block.height == height && A.block.width == width; };
    if constexpr (is_half(precision)) {
      return is(16, 16) ? launch<precision, 16, 16>() : refuse(precision, "16x16");
    } else {
      if (is(16, 8)) return launch<precision, 16, 8>();
      if (is(8, 8)) return launch<precision, 8, 8>();
      if constexpr (precision == Precision::Native) {
        return is(8, 4) ? launch<precision, 8, 4>() : refuse(precision, "16x8, 8x8 or 8x4");
      } else {
        refuse(precision, "16x8 or 8x8");
      }
    }
  }
};

}  // namespace

template <class Offset, class Scalar>
std::size_t bcsr_workspace_bytes(const BcsrPattern<Offset>& A, Precision precision,
                                 const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  return workspace_layout(A, precision, schedule, x).bytes;
}

template <class Offset, class Scalar>
void bcsr_spmm(Stream stream, const BcsrPattern<Offset>& A, Precision precision,
               const CondensedSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product,
               const std::uint16_t* rounded_values, const Scratch& workspace) {
  const ScratchLayout layout = workspace_layout(A, precision, schedule, product.x);
  expect_scratch("bcsr_spmm", layout, workspace);
  const Call<Offset, Scalar> call = {stream,
                                     A,
                                     schedule,
                                     product,
                                     rounded_values,
                                     reinterpret_cast<Scalar*>(workspace.data),
                                     workspace.data + layout.packed};
  for_precision<Scalar, true>("bcsr_spmm", precision, [&]<Precision p>() { call.template launch_shape<p>(); });
}

#define TESSERA_BCSR_SPMM(Scalar, Offset)                                                                            \
  template std::size_t bcsr_workspace_bytes(const BcsrPattern<Offset>&, Precision, const CondensedSchedule<Offset>&, \
                                            const Multivector<const Scalar>&);                                       \
  template void bcsr_spmm(Stream, const BcsrPattern<Offset>&, Precision, const CondensedSchedule<Offset>&,           \
                          const Product<Scalar, Scalar>&, const std::uint16_t*, const Scratch&);

TESSERA_BCSR_SPMM(float, int)
TESSERA_BCSR_SPMM(double, int)
#ifndef TESSERA_CUDA_EMULATED  // without them it is compiled in half the time
TESSERA_BCSR_SPMM(float, std::size_t)
TESSERA_BCSR_SPMM(double, std::size_t)
#endif

}  // namespace Tessera::Cuda
