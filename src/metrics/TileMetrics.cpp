// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/metrics/FormatTiles.hpp>
#include <tessera/metrics/Imbalance.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <type_traits>

namespace Tessera {

namespace Impl {

/// The first tile of each window, and the end: stored, or counted.
template <class ExecutionSpace, class Format>
auto tile_counts_of(const ExecutionSpace& exec, const Format& format) {
  if constexpr (requires { format.tile_counts(); }) {
    return format.tile_counts();
  } else {
    return tile_counts(exec, format);
  }
}

template <class ExecutionSpace, class Format>
TileMetrics metrics_of(const ExecutionSpace& exec, const Format& format) {
  TileMetrics result;
  result.tiles = format.tiles();
  result.tiled_nonzeros = format.tiled_nonzeros();
  if (result.tiles == 0) return result;
  const auto nonzeros = static_cast<double>(result.tiled_nonzeros);
  result.mean_nonzeros = nonzeros / static_cast<double>(result.tiles);
  result.fill = nonzeros / static_cast<double>(format.tile_elements());
  const auto offsets = tile_counts_of(exec, format);
  if (offsets.extent(0) > 0) result.imbalance = imbalance(exec, offsets);
  return result;
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
TileMetrics tile_metrics(const ExecutionSpace& exec,
                         const AnyFormat<Offset, typename ExecutionSpace::memory_space>& format) {
  return std::visit(
      [&](const auto& any) -> TileMetrics {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, Csr<Offset, typename ExecutionSpace::memory_space>>) {
          return {};
        } else {
          return Impl::metrics_of(exec, any);
        }
      },
      format);
}

#define TESSERA_INSTANTIATE(Exec, Offset) \
  template TileMetrics tile_metrics<Exec, Offset>(const Exec&, const AnyFormat<Offset, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
