// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <tessera/cuda/BrpSchedule.hpp>

#include "../condensed/PreparedCondensed.hpp"
#include "HostBrp.hpp"

namespace Tessera::Bench {

/// A block-row partition whose arrays lie in these, as kernels see it.
template <class Vector>
BlockRowPartitionPattern<int> host_pattern(const Vector& B) {
  return {B.rows,
          B.columns,
          B.f,
          B.g,
          B.groups(),
          B.group_windows.data(),
          B.window_groups.data(),
          B.local_ids.data(),
          B.group_columns.data(),
          B.residual_rows.data(),
          B.residual_offsets.data(),
          B.residual_columns.data(),
          B.window_residuals.data()};
}

/// A block-row partition on the device, and on the host for schedules.
template <class Scalar>
class PreparedBrp {
 public:
  explicit PreparedBrp(HostBrp host)
      : host_(std::move(host)),
        window_groups_(host_.window_groups),
        group_columns_(host_.group_columns),
        local_ids_(host_.local_ids),
        residual_rows_(host_.residual_rows),
        residual_offsets_(host_.residual_offsets),
        residual_columns_(host_.residual_columns),
        window_residuals_(host_.window_residuals),
        values_(std::vector<Scalar>(host_.values.begin(), host_.values.end())) {}

  BlockRowPartitionPattern<int> host() const { return host_pattern(host_); }
  /// On the device, without group_windows, which kernels do not read.
  BlockRowPartitionPattern<int> device() const {
    return {host_.rows,
            host_.columns,
            host_.f,
            host_.g,
            host_.groups(),
            nullptr,
            window_groups_.data(),
            local_ids_.data(),
            group_columns_.data(),
            residual_rows_.data(),
            residual_offsets_.data(),
            residual_columns_.data(),
            window_residuals_.data()};
  }
  const Scalar* values() const { return values_.data(); }
  std::size_t bytes() const {
    return window_groups_.bytes() + group_columns_.bytes() + local_ids_.bytes() + residual_rows_.bytes() +
           residual_offsets_.bytes() + residual_columns_.bytes() + window_residuals_.bytes() + values_.bytes();
  }

 private:
  HostBrp host_;
  DeviceArray<int> window_groups_, group_columns_;
  DeviceArray<std::uint8_t> local_ids_;
  DeviceArray<int> residual_rows_, residual_offsets_, residual_columns_, window_residuals_;
  DeviceArray<Scalar> values_;
};

/// Partitions of one matrix, which candidates share: they take long to build.
template <class Scalar>
class BrpCache {
 public:
  /// f = 0: f and g as the format chooses them.
  static std::shared_ptr<PreparedBrp<Scalar>> get(const HostMatrix& A, int f, int g) {
    static BrpCache cache;
    const std::uint64_t hash = Impl::hash(A);
    if (cache.hash_ != hash) {
      cache.hash_ = hash;
      cache.chosen_ = {0, 0};
      cache.partitions_.clear();
    }
    if (f == 0) {
      if (cache.chosen_.first == 0) cache.chosen_ = choose_brp(A, sizeof(Scalar));
      std::tie(f, g) = cache.chosen_;
    }
    auto& partition = cache.partitions_[{f, g}];
    if (partition == nullptr) partition = std::make_shared<PreparedBrp<Scalar>>(build_host_brp(A, f, g));
    return partition;
  }

 private:
  std::uint64_t hash_ = 0;
  std::pair<int, int> chosen_ = {0, 0};
  std::map<std::pair<int, int>, std::shared_ptr<PreparedBrp<Scalar>>> partitions_;
};

}  // namespace Tessera::Bench
