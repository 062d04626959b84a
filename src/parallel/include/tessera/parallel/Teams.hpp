// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Types.hpp>
#include <type_traits>

/// Teams that work together on one piece. A team is many threads on a device, and one thread on a host.
namespace Tessera::Impl {

template <class ExecutionSpace>
inline constexpr bool is_host_space = std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

template <class ExecutionSpace>
using Teams = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Ordinal>>;

/// The shape of a team on a device.
struct TeamShape {
  int lanes = 256;        // lanes of the whole team
  int thread_lanes = 32;  // lanes of a thread, which read a list together: a power of two, at most 32
};

/// Returns the number of lanes to use for lists of this mean length. Short lists keep only a few lanes busy.
inline int lanes_for(double mean_length) {
  int lanes = 1;
  while (lanes < 32 && lanes < mean_length) lanes *= 2;
  return lanes;
}

/// Returns a policy of `count` teams.
///
/// \param exec          [in] the instance to run on
/// \param count         [in] number of teams
/// \param scratch_bytes [in] bytes of scratch memory of a team
/// \param shape         [in] the shape on devices; on hosts, a team is one thread with one lane
template <class ExecutionSpace>
Teams<ExecutionSpace> teams(const ExecutionSpace& exec, Ordinal count, std::size_t scratch_bytes = 0,
                            TeamShape shape = {}) {
  if (is_host_space<ExecutionSpace>) shape = {1, 1};
  Teams<ExecutionSpace> policy(exec, count, shape.lanes / shape.thread_lanes, shape.thread_lanes);
  return policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
}

/// Returns how many of `count` pieces a team takes if parallel_reduce() adds numbers of all teams: a multiple of
/// `threads`, such that there are few teams. On CUDA, one warp adds the sums of all teams, one after the other.
inline Ordinal pieces_of_summing_team(Ordinal count, int threads) {
  constexpr Ordinal most_teams = 8192;
  return threads * (1 + (window_count(count, threads) - 1) / most_teams);
}

/// Allocates `count` elements in the scratch memory of a team. They are not initialized.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* team_array(const Member& team, int count) {
  return static_cast<T*>(team.team_scratch(0).get_shmem_aligned(count * static_cast<int>(sizeof(T)), alignof(T)));
}

/// Sets bits and returns the previous word. On a device, other threads may set bits of the word concurrently; on a
/// host, one thread owns a word.
template <class ExecutionSpace, class Word>
KOKKOS_INLINE_FUNCTION Word add_bits(Word* word, Word bits) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const Word before = *word;
    *word |= bits;
    return before;
  } else {
    return Kokkos::atomic_fetch_or(word, bits);
  }
}

/// Adds to a count; concurrency as for add_bits().
template <class ExecutionSpace, class Count>
KOKKOS_INLINE_FUNCTION void add_to(Count* count, Count summand) {
  if constexpr (is_host_space<ExecutionSpace>) {
    *count += summand;
  } else {
    Kokkos::atomic_add(count, summand);
  }
}

/// Adds to a count and returns the previous count; concurrency as for add_bits().
template <class ExecutionSpace, class Count>
KOKKOS_INLINE_FUNCTION Count count_up(Count* count, Count by = 1) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const Count before = *count;
    *count += by;
    return before;
  } else {
    return Kokkos::atomic_fetch_add(count, by);
  }
}

/// Raises a number to another one that is greater; concurrency as for add_bits().
template <class ExecutionSpace, class Number>
KOKKOS_INLINE_FUNCTION void raise_to(Number* number, Number other) {
  if constexpr (is_host_space<ExecutionSpace>) {
    if (*number < other) *number = other;
  } else {
    Kokkos::atomic_max(number, other);
  }
}

}  // namespace Tessera::Impl
