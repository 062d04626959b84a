// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <tessera/cuda/brp/Schedule.hpp>

#include "../condensed/PreparedCondensed.hpp"
#include "ChooseBrp.hpp"

namespace Tessera::Bench {

/// A block-row partition on the device, and on the host for schedules.
template <class Scalar>
class PreparedBrp {
 public:
  explicit PreparedBrp(std::shared_ptr<const HostBrp> host)
      : host_(std::move(host)),
        window_groups_(host_->window_groups),
        group_columns_(host_->group_columns),
        local_ids_(host_->local_ids),
        residual_rows_(host_->residual_rows),
        residual_offsets_(host_->residual_offsets),
        residual_columns_(host_->residual_columns),
        window_residuals_(host_->window_residuals),
        values_(std::vector<Scalar>(host_->values.begin(), host_->values.end())) {
    const BlockRowPartitionPattern<int> pattern = on_host();
    double work = 0;
    for (int window = 0; window < pattern.windows(); ++window) work += Cuda::brp_window_work(pattern, window);
    const auto schedule = Cuda::build_brp_schedule(pattern, Cuda::condensed_piece_tiles(work));
    items_ = DeviceArray<Cuda::BrpItem<int>>(schedule.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.sums);
    slots_ = schedule.slots;
  }

  BlockRowPartitionPattern<int> on_host() const { return host_->view(); }
  /// On the device, without group_windows, which kernels do not read.
  BlockRowPartitionPattern<int> device() const {
    return {host_->rows,
            host_->columns,
            host_->f,
            host_->g,
            static_cast<int>(host_->group_windows.size()),
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
  Cuda::BrpSchedule<int> schedule() const {
    return {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(), sums_.data()};
  }
  std::size_t bytes() const {
    return window_groups_.bytes() + group_columns_.bytes() + local_ids_.bytes() + residual_rows_.bytes() +
           residual_offsets_.bytes() + residual_columns_.bytes() + window_residuals_.bytes() + values_.bytes() +
           items_.bytes() + sums_.bytes();
  }

 private:
  std::shared_ptr<const HostBrp> host_;
  DeviceArray<int> window_groups_, group_columns_;
  DeviceArray<std::uint8_t> local_ids_;
  DeviceArray<int> residual_rows_, residual_offsets_, residual_columns_, window_residuals_;
  DeviceArray<Scalar> values_;
  DeviceArray<Cuda::BrpItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  int slots_ = 0;
};

/// Partitions of the matrix that was asked for last, which candidates share: they take long to build.
class HostBrps {
 public:
  explicit HostBrps(const HostMatrix& A) : A_(A) {
    if (hash_ == Impl::hash(A)) return;
    hash_ = Impl::hash(A);
    all_.clear();
    chosen_.clear();
  }

  /// f = 0: f and g as the format chooses them for values of so many bytes.
  std::shared_ptr<const HostBrp> get(int f, int g, std::size_t value_bytes) const {
    std::pair<int, int> wanted = {f, g};
    if (f == 0) {
      auto& chosen = chosen_[value_bytes];
      if (chosen.first == 0) chosen = choose_brp(A_, value_bytes);
      wanted = chosen;
    }
    auto& partition = all_[wanted];
    if (partition == nullptr) {
      partition = std::make_shared<const HostBrp>(build_brp(A_, wanted.first, wanted.second));
    }
    return partition;
  }

 private:
  const HostMatrix& A_;
  static inline std::uint64_t hash_ = 0;
  static inline std::map<std::size_t, std::pair<int, int>> chosen_;
  static inline std::map<std::pair<int, int>, std::shared_ptr<const HostBrp>> all_;
};

/// The matrix with this f and g, f = 0: as the format chooses them; those of the matrix that was asked for last stay.
template <class Scalar>
std::shared_ptr<PreparedBrp<Scalar>> prepared_brp(const HostMatrix& A, int f, int g) {
  static std::uint64_t last_hash = 0;
  static std::map<const HostBrp*, std::shared_ptr<PreparedBrp<Scalar>>> all;
  const std::uint64_t hash = Impl::hash(A);
  if (last_hash != hash) all.clear();
  last_hash = hash;
  const auto host = HostBrps(A).get(f, g, sizeof(Scalar));
  auto& prepared = all[host.get()];
  if (prepared == nullptr) prepared = std::make_shared<PreparedBrp<Scalar>>(host);
  return prepared;
}

}  // namespace Tessera::Bench
