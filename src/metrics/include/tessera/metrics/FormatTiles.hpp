// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/format/AnyFormat.hpp>
#include <tessera/metrics/TileMetrics.hpp>

namespace Tessera {

/// The metrics of the tiles of a format. Cost: a pass over the offsets of the windows; waits for `exec`.
template <class ExecutionSpace, class Offset>
TileMetrics tile_metrics(const ExecutionSpace& exec,
                         const AnyFormat<Offset, typename ExecutionSpace::memory_space>& format);

}  // namespace Tessera
