// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/common/Complex.hpp>
#include <tessera/parallel/Teams.hpp>

#include "RowItems.hpp"

/// The identity of sums of complex numbers.
template <class Real>
struct Kokkos::reduction_identity<Tessera::Impl::Complex<Real>> {
  /// Returns 0.
  KOKKOS_FORCEINLINE_FUNCTION constexpr static Tessera::Impl::Complex<Real> sum() { return {Real(0), Real(0)}; }
};

/// The product of compressed rows with a single column on a device of any vendor.
namespace Tessera::Impl {

/// Computes y = alpha A x + beta y. A thread of a team sums an item with all its vector lanes: adjacent lanes read
/// adjacent entries, and Kokkos adds their sums.
///
/// \tparam teams_at_a_time teams that a multiprocessor has room for: with more, a lane has fewer registers
/// \tparam Items           RowItems or BatchItems
template <class ExecutionSpace, class Items, int teams_at_a_time>
class DeviceColumn {
 public:
  using VectorScalar = typename Items::Vector;
  using Operands = typename Items::Operands;
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<256, teams_at_a_time>, Kokkos::IndexType<Ordinal>>;
  using Team = typename Policy::member_type;

  explicit DeviceColumn(const Items& items)
      : items_(items), lanes_(std::min(items.schedule.column_lanes, Policy::vector_length_max())) {}

  /// \param most_teams [in] as for DeviceRows
  void run(const ExecutionSpace& exec, Ordinal most_teams = 1 << 22) const {
    constexpr bool is_host = is_host_space<ExecutionSpace>;
    const int threads = is_host ? 1 : team_lanes / lanes_;
    const Ordinal teams = std::min(window_count(items_.count(), threads * items_.schedule.column_rows), most_teams);
    if (teams > 0) Kokkos::parallel_for(Items::label, Policy(exec, teams, threads, is_host ? 1 : lanes_), *this);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t count = items_.count(), block = std::int64_t(team.team_size()) * items_.schedule.column_rows;
    for (std::int64_t first = team.league_rank() * block; first < count; first += team.league_size() * block) {
      const std::int64_t last = first + block < count ? first + block : count;
      for (std::int64_t item = first + team.team_rank(); item < last; item += team.team_size())
        sum_item(team, static_cast<Ordinal>(item));
    }
  }

 private:
  static constexpr int team_lanes = 256;

  KOKKOS_FUNCTION void sum_item(const Team& team, Ordinal item) const {
    EntrySpan span;
    if (!items_.find(item, span)) return;
    const Operands& operands = items_.product_of(item);
    VectorScalar sum;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lanes_),
        [&](int lane, VectorScalar& own) {
          own += sum_of(operands, {span.begin + lane, span.end});
        },
        Kokkos::Sum<VectorScalar>(sum));
    Kokkos::single(Kokkos::PerThread(team), [&] { items_.store(item, 0, sum); });
  }

  /// Returns the sum of every lanes_-th entry times x, in order. The next columns are read
  /// while elements of x are fetched.
  KOKKOS_FUNCTION VectorScalar sum_of(const Operands& operands, EntrySpan span) const {
    constexpr int unroll = sizeof(VectorScalar) > 8 ? 2 : 4;  // with more, complex doubles have too few registers
    Ordinal columns[unroll];
    const auto read_columns = [&](Offset first) {
      TESSERA_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const Offset k = first + u * lanes_;
        columns[u] = k < span.end ? items_.A.column(k) : 0;
      }
    };
    read_columns(span.begin);
    VectorScalar sum(0);
    for (Offset first = span.begin; first < span.end; first += unroll * lanes_) {
      VectorScalar x[unroll], a[unroll];
      TESSERA_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const Offset k = first + u * lanes_;
        x[u] = operands.x(columns[u], 0);
        a[u] = k < span.end ? items_.value(operands, k) : VectorScalar(0);
      }
      read_columns(first + unroll * lanes_);
      TESSERA_UNROLL
      for (int u = 0; u < unroll; ++u)
        if (first + u * lanes_ < span.end) sum += a[u] * x[u];
    }
    return sum;
  }

  Items items_;
  int lanes_;
};

}  // namespace Tessera::Impl
