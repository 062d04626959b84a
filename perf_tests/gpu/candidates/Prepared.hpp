// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <tessera/common/FormatParameters.hpp>
#include <type_traits>

#include "Candidate.hpp"
#include "Device.hpp"
#include "bcsr/BcsrView.hpp"
#include "bittcf/BitTcfView.hpp"
#include "bmat/BmatView.hpp"
#include "brp/BlockRowPartitionView.hpp"
#include "condensed/cuda/View.hpp"
#include "row_groups/RowGroupsView.hpp"
#include "sorted_columns/SortedColumnsView.hpp"
#include "staged/StagedView.hpp"

namespace Tessera::Bench {

/// A matrix in a format, built by the library. Schedules are made from the pattern on the host.
template <class Pattern, class Scalar>
struct Prepared {
  Pattern host, device;
  DeviceArray<Scalar> values;
  std::size_t pattern_bytes = 0;  // on the device
  std::shared_ptr<const void> host_arrays, device_arrays;

  std::size_t bytes() const { return pattern_bytes + values.bytes(); }
};

/// Names the pattern of a way to build a format.
template <class Pattern_>
struct BuildOf {
  using Pattern = Pattern_;
};
struct BuildBitTcf : BuildOf<BitTcfPattern<int>> {};
struct BuildBmat : BuildOf<BmatPattern<int>> {};
struct BuildBmatStrips : BuildOf<Cuda::CondensedPattern<int>> {
};  // the tiles of BMat as condensed windows of two strips
struct BuildBrp : BuildOf<BlockRowPartitionPattern<int>> {};
struct BuildBcsr : BuildOf<BcsrPattern<int>> {};
struct BuildStaged : BuildOf<StagedWindowsPattern<int>> {};
struct BuildRowGroups : BuildOf<RowGroupsPattern<int>> {};
struct BuildSortedColumns : BuildOf<SortedColumnsPattern<int>> {};
struct BuildIrregularColumns : BuildOf<SortedColumnsPattern<int>> {
};  // pieces of up to 32 entries of a column, and no blocks
struct BuildWholeColumns : BuildOf<SortedColumnsPattern<int>> {};  // a single piece for what no block takes of a column

template <class Build, class Scalar>
using PreparedBy = std::shared_ptr<const Prepared<typename Build::Pattern, Scalar>>;

/// The matrix built in a way; null if it has more places for values than an int counts, which may be so for BCSR and
/// staged windows. The last few are kept, for candidates share them and they take long to build. Compiled for the ways
/// above, float and double. Kokkos must run.
template <class Build, class Scalar>
PreparedBy<Build, Scalar> prepared(const HostMatrix& A, const FormatParameters& parameters = {});

/// Runs Kokkos, which formats are built with.
class Builders {
 public:
  Builders();
  ~Builders();
  Builders(const Builders&) = delete;
  Builders& operator=(const Builders&) = delete;
};

}  // namespace Tessera::Bench
