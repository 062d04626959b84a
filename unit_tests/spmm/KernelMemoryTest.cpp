// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanOptions::memory_limit with kernels that keep lists beside a format, as those of a GPU do: here on a host, with
// kernels that only take memory. A program of its own: it compiles plans anew.
#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Complex.hpp>
#include <tessera/metrics/FormatTiles.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "DeviceKernels.hpp"

namespace Tessera::Impl {

using ListedSpace = Kokkos::DefaultHostExecutionSpace;

/// Lists of a number of bytes a tile, which need as much again while they are made.
template <class Scalar, class Offset>
struct DeviceKernels<Scalar, Offset, ListedSpace> {
  using Memory = ListedSpace::memory_space;
  static constexpr std::size_t tile_bytes = 96;

  static bool has(const ListedSpace&, Precision precision) { return precision == Precision::Native; }
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }
  static FormatParameters parameters(const ListedSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }
  static MachineModel model(const ListedSpace&, const PlanOptions&) { return {}; }
  static std::string published_fault(const ListedSpace&, const PlanOptions&, Format) { return "there are none"; }
  static KernelMemory memory(const ListedSpace&, Kernel, const Candidate& candidate, const MatrixStatistics&) {
    const double lists = tile_bytes * candidate.tiles;
    return {lists, 2 * lists, 2 * lists};
  }
  static std::size_t free_bytes(const ListedSpace&) { return no_memory_limit; }
  static std::string device_name(const ListedSpace&) { return "kernels with lists"; }

  void build(const ListedSpace& exec, const AnyFormat<Offset, Memory>& format, const PlanOptions&) {
    if (std::holds_alternative<Csr<Offset, Memory>>(format)) return;
    const std::size_t bytes = tile_bytes * tile_metrics<ListedSpace, Offset>(exec, format).tiles;
    lists_ = allocate<decltype(lists_)>(exec, "Tessera::lists", bytes);
    allocate<decltype(lists_)>(exec, "Tessera::unsorted_lists", bytes);
  }
  bool is_published() const { return false; }
  std::string describe() const { return "lists"; }
  void refill(const ListedSpace&, const Scalar*) const {}
  std::size_t bytes() const { return lists_.extent(0); }
  std::size_t scratch_bytes(Ordinal, Ordinal) const { return 0; }
  template <class VectorScalar>
  bool multiply(const ListedSpace&, const AnyFormat<Offset, Memory>&, const Product<Scalar, VectorScalar>&,
                const Scratch&) const {
    return false;
  }

 private:
  Kokkos::View<std::byte*, Memory> lists_;
};

}  // namespace Tessera::Impl

// The plans of this program, of doubles and int alone.
#undef TESSERA_FOR_EACH_EXECUTION_SPACE
#undef TESSERA_FOR_EACH_MATRIX
#undef TESSERA_FOR_EACH_PRODUCT
#define TESSERA_FOR_EACH_EXECUTION_SPACE(List, ...) List(ListedSpace, __VA_ARGS__)
#define TESSERA_FOR_EACH_MATRIX(Exec, M) M(Exec, double, int)
#define TESSERA_FOR_EACH_PRODUCT(Exec, M) M(Exec, double, double, int)
#include "MemoryLimits.hpp"
#include "PlanState.cpp"

namespace Tessera::Test {

/// rmat: an order of rows leaves far fewer blocks. elasticity: blocks hold many entries.
TEST(KernelMemoryTest, ListsOfKernelsAreWithinTheLimit) {
  for (const char* name : {"rmat:9,16", "elasticity:4", "road:2000"}) {
    const UserMatrix<Impl::ListedSpace, double, int> A(generated_pattern<int>(name));
    for (const Format format : {Format::Automatic, Format::BitTcf, Format::Bmat, Format::Bcsr}) {
      for (const Reordering reordering : {Reordering::None, Reordering::DegreeSort, Reordering::DataAffinity}) {
        SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(format)) + ", " +
                     std::string(to_string(reordering)));
        PlanOptions options = with_format(format);
        options.reordering = reordering;
        options.always_reorder = true;
        check_limits<Impl::ListedSpace>(A, options, 2);
      }
    }
  }
}

/// One byte less than A and its transpose need: the transpose is not what was asked for.
TEST(KernelMemoryTest, TheTransposeFallsBackForItsLists) {
  const UserMatrix<Impl::ListedSpace, double, int> A(random_pattern<int>(2, 3000, 0.1, 1));
  PlanOptions options = with_format(Format::Bcsr);
  options.parameters.bcsr_block_rows = 2;
  options.parameters.bcsr_block_columns = 5;
  auto unlimited = A.plan(options);
  unlimited.prepare(Impl::ListedSpace(), 0, Mode::Transpose);
  options.memory_limit = static_cast<std::size_t>(predicted_peak(unlimited)) - 1;
  options.on_unsupported = OnUnsupported::FallBack;
  auto plan = A.plan(options);
  plan.prepare(Impl::ListedSpace(), 0, Mode::Transpose);
  EXPECT_EQ(plan.format(), Format::Bcsr);
  EXPECT_LE(predicted_peak(plan), static_cast<std::int64_t>(options.memory_limit));
  EXPECT_NE(plan.explain().find("note: transpose: Tessera: a plan with the format bcsr takes"), std::string::npos)
      << plan.explain();
}

}  // namespace Tessera::Test
