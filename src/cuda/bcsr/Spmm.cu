// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/bcsr/Spmm.hpp>

#include "../launch/RowBytes.hpp"
#include "../launch/ScratchLayout.hpp"
#include "Launch.cuh"

namespace Tessera::Cuda {
namespace {

constexpr Ordinal narrow_columns = 32, wide_columns = 64;  // of X, for which policies are tuned

template <class Offset, class Scalar>
ScratchLayout workspace_layout(const BcsrPattern<Offset>& A, Precision precision,
                               const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x) {
  const auto rows = static_cast<std::size_t>(x.rows);
  std::size_t packed = rows_are_aligned(x) ? 0 : padded_bytes<Scalar>(rows, x.columns);
  if (is_half(precision)) packed = rows * std::size_t(rounded_row_stride(x.columns)) * sizeof(std::uint16_t);
  return scratch_layout(padded_bytes<Scalar>(std::size_t(schedule.slot_count) * std::size_t(A.block.height), x.columns),
                        packed);
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

  // X by rows that can be copied 16 bytes at a time.
  template <Precision precision>
  Multivector<const Scalar> staged_x() const {
    const Multivector<const Scalar>& x = product.x;
    if (rows_are_aligned(x)) return x;
    pack_rows(stream, x, reinterpret_cast<Scalar*>(packed), padded(x.columns));
    return {reinterpret_cast<const Scalar*>(packed), x.rows, x.columns, padded(x.columns), 1};
  }
  template <Precision precision>
  requires(is_half(precision)) Multivector<const std::uint16_t> staged_x()
  const {
    auto* const rows = reinterpret_cast<std::uint16_t*>(packed);
    const std::ptrdiff_t stride = rounded_row_stride(product.x.columns);
    round_rows(stream, precision, HalfOrder::Products, product.x, rows);
    return {rows, product.x.rows, static_cast<Ordinal>(stride), stride, 1};
  }

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
    const auto x = this->template staged_x<precision>();
    arguments.x = x.data;
    arguments.x_columns = x.columns;
    arguments.x_row_bytes = row_bytes(x);
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
  if constexpr (std::is_same_v<Scalar, double>) {
    if (precision == Precision::Native) return call.template launch_shape<Precision::Native>();
  } else {
    if (precision == Precision::Tf32x3) return call.template launch_shape<Precision::Tf32x3>();
    if (precision == Precision::Tf32) return call.template launch_shape<Precision::Tf32>();
    if (precision == Precision::Fp16) return call.template launch_shape<Precision::Fp16>();
    if (precision == Precision::Bf16) return call.template launch_shape<Precision::Bf16>();
  }
  throw std::invalid_argument("bcsr_spmm: no " + std::string(to_string(precision)) + " products of these types");
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
