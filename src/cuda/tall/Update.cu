// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/cuda/tall/Update.hpp>

#include "StagedUpdate.cuh"
#include "Update.cuh"

namespace Tessera::Impl::Cuda {
namespace {

template <class Policy, class Scalar>
void update_with(Stream stream, const Tall::UpdateArguments<Scalar>& arguments) {
  // Every call passes the size for the largest B: see allow_shared_memory().
  constexpr int most_bytes = most_panel_columns * Policy::b_stride * int(sizeof(double));
  constexpr auto kernel = Tall::update_kernel<Policy, Scalar>;
  allow_shared_memory<kernel>("update", most_bytes);
  const std::size_t shared = std::size_t((arguments.x.columns + 7) / 8 * 8) * Policy::b_stride * sizeof(double);
  const auto items = std::size_t(arguments.x.rows);
  const unsigned blocks = std::min(blocks_for(items, Policy::rows * Policy::block_warps),
                                   resident_blocks<kernel>(32 * Policy::block_warps, shared));
  launch("update", kernel, blocks, 32 * Policy::block_warps, shared, stream, arguments);
}

template <bool is_listed, class Scalar>
void update_columns(Stream stream, const Tall::UpdateArguments<Scalar>& arguments) {
  const auto with = [&](auto policy) { update_with<decltype(policy), Scalar>(stream, arguments); };
  const int tiles = (arguments.y.columns + 7) / 8;
  if (tiles <= 1) return with(Tall::UpdatePolicy<1, 2, is_listed>());
  if (tiles <= 2) return with(Tall::UpdatePolicy<2, 2, is_listed>());
  if (tiles <= 4) return with(Tall::UpdatePolicy<4, 2, is_listed>());
  if (tiles <= 8) return with(Tall::UpdatePolicy<8, 1, is_listed>());
  return with(Tall::UpdatePolicy<16, 1, is_listed>());
}

template <class Policy, class Scalar>
void staged_update_with(Stream stream, const Tall::UpdateArguments<Scalar>& arguments) {
  constexpr auto kernel = Tall::staged_update_kernel<Policy, Scalar>;
  allow_shared_memory<kernel>("update", int(Policy::template shared_bytes<Scalar>(most_panel_columns)));
  const std::size_t shared = Policy::template shared_bytes<Scalar>(arguments.x.columns);
  const unsigned blocks = std::min(blocks_for(std::size_t(arguments.x.rows), Policy::rows * Policy::block_warps),
                                   resident_blocks<kernel>(32 * Policy::block_warps, shared));
  launch("update", kernel, blocks, 32 * Policy::block_warps, shared, stream, arguments);
}

template <class Scalar>
void staged_update_columns(Stream stream, const Tall::UpdateArguments<Scalar>& arguments) {
  const auto with = [&](auto policy) { staged_update_with<decltype(policy), Scalar>(stream, arguments); };
  const int tiles = (arguments.y.columns + 7) / 8;
  if (tiles <= 2) return with(Tall::StagedUpdatePolicy<2>());
  if (tiles <= 4) return with(Tall::StagedUpdatePolicy<4>());
  if (tiles <= 8) return with(Tall::StagedUpdatePolicy<8>());
  return with(Tall::StagedUpdatePolicy<16>());
}

/// Upper bound on the bytes of shared memory of a staged update.
constexpr int most_staged_bytes = 231424;

}  // namespace

template <class Scalar>
void update(Stream stream, Scalar alpha, const TallPanel<const Scalar>& X, const Scalar* B, bool is_on_host,
            Scalar beta, const TallPanel<Scalar>& Y) {
  if (X.rows == 0 || Y.columns == 0) return;
  Tall::UpdateArguments<Scalar> arguments{X, Y, is_on_host ? nullptr : B, double(alpha), double(beta), false, {}};
  arguments.has_pairs = Tall::has_groups(Y, 2 * sizeof(Scalar));
  if (is_on_host) std::copy_n(B, X.columns * Y.columns, arguments.small);
  const bool is_staged = std::max(X.columns, Y.columns) > 16 && Tall::has_groups(X, 16) && Tall::has_groups(Y, 16) &&
                         most_shared_bytes() >= most_staged_bytes;
  if (is_staged) return staged_update_columns(stream, arguments);
  X.is_listed || Y.is_listed ? update_columns<true>(stream, arguments) : update_columns<false>(stream, arguments);
}

bool can_update() { return most_shared_bytes() >= most_panel_columns * Tall::UpdatePolicy<16, 1, false>::b_stride * 8; }

template void update(Stream, float, const TallPanel<const float>&, const float*, bool, float, const TallPanel<float>&);
template void update(Stream, double, const TallPanel<const double>&, const double*, bool, double,
                     const TallPanel<double>&);

}  // namespace Tessera::Impl::Cuda
