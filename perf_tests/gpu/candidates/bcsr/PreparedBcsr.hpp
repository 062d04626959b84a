// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>
#include <utility>

#include "../HostFormats.hpp"
#include "../condensed/PreparedCondensed.hpp"

namespace Tessera::Bench {

/// A matrix in rows of blocks on the device, which candidates share: it takes long to build.
template <class Scalar>
class PreparedBcsr {
 public:
  PreparedBcsr(const HostMatrix& A, BlockShape block) : PreparedBcsr(A, build_bcsr(A, block)) {}

  BcsrPattern<int> pattern() const {
    return {rows_, columns_, block_, block_offsets_.data(), block_columns_.data(), block_masks_.data()};
  }
  const std::vector<int>& host_block_offsets() const { return host_block_offsets_; }
  const Scalar* values() const { return values_.data(); }

  /// Rounded when they are wanted for the first time; only of floats.
  const std::uint16_t* rounded_values(Precision precision) {
    DeviceArray<std::uint16_t>& rounded = rounded_[precision];
    if constexpr (std::is_same_v<Scalar, float>) {
      if (rounded.size() == 0 && values_.size() > 0) {
        rounded = DeviceArray<std::uint16_t>(values_.size());
        Cuda::round_values(nullptr, precision, values_.size(), values_.data(), rounded.data());
        check(cudaDeviceSynchronize(), "round_values");
      }
    }
    return rounded.data();
  }

  /// With values of so many bytes.
  std::size_t bytes(std::size_t value_bytes) const {
    return block_offsets_.bytes() + block_columns_.bytes() + block_masks_.bytes() + values_.size() * value_bytes;
  }

 private:
  PreparedBcsr(const HostMatrix& A, const HostBcsr& B)
      : rows_(A.rows),
        columns_(A.columns),
        block_(B.block),
        host_block_offsets_(B.block_offsets),
        block_offsets_(B.block_offsets),
        block_columns_(B.block_columns),
        block_masks_(B.block_masks),
        values_(std::vector<Scalar>(B.values.begin(), B.values.end())) {}

  int rows_, columns_;
  BlockShape block_;
  std::vector<int> host_block_offsets_;
  DeviceArray<int> block_offsets_, block_columns_;
  DeviceArray<std::uint64_t> block_masks_;
  DeviceArray<Scalar> values_;
  std::map<Precision, DeviceArray<std::uint16_t>> rounded_;
};

/// The matrix in blocks of this shape. The shapes of one matrix are kept until there is another one.
template <class Scalar>
std::shared_ptr<PreparedBcsr<Scalar>> prepared_bcsr(const HostMatrix& A, BlockShape block) {
  static std::uint64_t hash = 0;
  static std::map<std::pair<int, int>, std::shared_ptr<PreparedBcsr<Scalar>>> shapes;
  if (const std::uint64_t wanted = Impl::hash(A); hash != wanted) {
    shapes.clear();
    hash = wanted;
  }
  auto& matrix = shapes[{block.height, block.width}];
  if (matrix == nullptr) matrix = std::make_shared<PreparedBcsr<Scalar>>(A, block);
  return matrix;
}

}  // namespace Tessera::Bench
