// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda/condensed/Launch.cuh>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>

#include "Pieces.hpp"
#include "Prepared.hpp"
#include "condensed/cuda/DenseTiles.hpp"

namespace Tessera::Bench {

/// Condensed windows by one policy. X is rounded in every product where operands have 16 bits.
template <class Kind, class Policy, class Scalar>
class Condensed : public Candidate<Scalar> {
  static constexpr bool half = Cuda::is_half(Kind::precision);
  static constexpr bool dense = Kind::values == Cuda::TileValues::Dense;
  using Build = std::conditional_t<Kind::strips == 1, BuildBitTcf, BuildBmatStrips>;

 public:
  explicit Condensed(int piece_tiles)
      : Candidate<Scalar>(joined("condensed<", 8 * Kind::strips, " rows, ", dense ? "dense, " : "compact, ",
                                 Policy::columns, " columns, ", Policy::reads, " reads, ", Policy::warps,
                                 " warps, pieces ", piece_tiles, half ? ", 16 bits>" : ", inner>"),
                          Kind::precision),
        piece_tiles_(piece_tiles) {}

  bool takes(Layout layout) const override { return half || layout == Layout::Right; }

  // Left out where a smaller slab would do, or another candidate launches the same.
  bool prepare(const HostMatrix& A, int columns, Layout) override {
    if (Policy::columns > 32 && columns <= (half ? Policy::columns / 2 : 32)) return false;
    matrix_ = prepared<Build, Scalar>(A);
    const auto host = windows(matrix_->host), device = windows(matrix_->device);
    const int tiles = host.window_offsets[host.windows()];
    if (dense && tiles > 0) {
      dense_ = DeviceArray<Scalar>(std::size_t(tiles) * Kind::strips * 64);
      Cuda::expand_tiles<int, Scalar>(nullptr, device, tiles, matrix_->values.data(), dense_.data());
      check(cudaDeviceSynchronize(), "expand_tiles");
    }
    pieces_ = CondensedPieces<Scalar>(Cuda::build_condensed_schedule(host.window_offsets, host.windows(), piece_tiles_),
                                      host.window_rows(), columns);
    if (half) rounded_ = DeviceArray<std::uint16_t>(std::size_t(A.columns) * Cuda::rounded_row_stride(columns));
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::CondensedArguments<int, Scalar, Scalar> arguments;
    arguments.A = windows(matrix_->device);
    pieces_.set(arguments);
    product.values = dense ? dense_.data() : matrix_->values.data();
    arguments.product = product;
    if constexpr (half) {
      Cuda::round_rows(stream, Kind::precision, Cuda::HalfOrder::Columns, product.x, rounded_.data());
      arguments.x = rounded_.data();
      arguments.x_row_bytes =
          static_cast<unsigned>(Cuda::rounded_row_stride(product.x.columns) * sizeof(std::uint16_t));
    }
    Cuda::launch_condensed<Kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override {
    return matrix_->pattern_bytes + (dense ? dense_ : matrix_->values).bytes() + pieces_.bytes();
  }

 private:
  static Cuda::CondensedPattern<int> windows(const typename Build::Pattern& A) {
    if constexpr (Kind::strips == 1) {
      return Cuda::condensed(A);
    } else {
      return A;
    }
  }

  int piece_tiles_;
  PreparedBy<Build, Scalar> matrix_;
  DeviceArray<Scalar> dense_;
  CondensedPieces<Scalar> pieces_;
  DeviceArray<std::uint16_t> rounded_;
};

}  // namespace Tessera::Bench
