// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanOptions::memory_limit with kernels that store lists as well as a format, as on a GPU. Here the kernels run on a
// host and only allocate memory. A separate program, because it compiles plans with these kernels.
#include <tessera/metrics/FormatTiles.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "OwnKernels.hpp"

namespace Tessera::Impl {

template <>
struct Device<double, OwnSpace> : OwnDevice<double> {};

/// A kernel that allocates lists of tile_bytes per tile, and the same size temporarily. It multiplies nothing.
struct ListKernel : NoKernel<double> {
  using Memory = OwnSpace::memory_space;
  static inline std::size_t tile_bytes = 96;

  bool build(const OwnSpace&, const Csr<Memory>&, const PlanOptions&, const KernelPolicy&) { return false; }
  template <class Stored>
  bool build(const OwnSpace& exec, const Stored& format, const PlanOptions&, const KernelPolicy&) {
    const std::size_t bytes = tile_bytes * tile_metrics(exec, format).tiles;
    lists_ = allocate<decltype(lists_)>(exec, "Tessera::lists", bytes);
    allocate<decltype(lists_)>(exec, "Tessera::unsorted_lists", bytes);
    return true;
  }
  std::string describe() const { return "lists"; }
  std::size_t bytes() const { return lists_.extent(0); }

 private:
  Array<std::byte*, Memory> lists_;
};

template <class Kind>
struct KernelOf<Kind, double, OwnSpace> {
  using type = ListKernel;
};

}  // namespace Tessera::Impl

#include "MemoryLimits.hpp"
#include "PlanState.cpp"

namespace Tessera::Impl::Test {

/// Reordering the rows of rmat saves many blocks; blocks of elasticity hold many entries.
TEST(KernelMemoryTest, ListsOfKernelsAreWithinTheLimit) {
  for (const char* name : {"rmat:9,16", "elasticity:4", "road:2000"}) {
    const UserMatrix<Impl::OwnSpace, double, int> A(generated_pattern<int>(name));
    for (const Format format : {Format::Auto, Format::BitTcf, Format::Bmat, Format::Bcsr}) {
      for (const Reordering reordering : {Reordering::None, Reordering::DegreeSort, Reordering::DataAffinity}) {
        SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(format)) + ", " +
                     std::string(to_string(reordering)));
        PlanOptions options = with_format(format);
        options.reordering = reordering;
        options.always_reorder = true;
        check_limits<Impl::OwnSpace>(A, options);
      }
    }
  }
}

/// The lists do not fit, which the plan learns only after it found the order and built the format in it.
TEST(KernelMemoryTest, OrdersAreDroppedForTheLists) {
  const UserMatrix<Impl::OwnSpace, double, int> A(generated_pattern<int>("elasticity:4"));
  PlanOptions options = with_format(Format::Bcsr);
  options.reordering = Reordering::DegreeSort;
  options.always_reorder = true;
  options.memory_limit = std::size_t(1) << 30;
  Impl::ListKernel::tile_bytes = std::size_t(1) << 30;
  EXPECT_MESSAGE(std::invalid_argument, A.plan(options),
                 "a plan in the order degree is rejected: the array Tessera::lists takes ");
  options.on_unsupported = OnUnsupported::FallBack;
  const auto plan = A.plan(options);
  options.format = Format::Auto;
  options.reordering = Reordering::Search;
  const auto automatic = A.plan(options);
  Impl::ListKernel::tile_bytes = 96;
  EXPECT_EQ(plan.format(), Format::Csr);
  EXPECT_NE(plan.explain().find("rows stay in their order"), std::string::npos) << plan.explain();
  EXPECT_EQ(automatic.format(), Format::Csr);
}

/// The limit is one byte less than A and its transpose need, so the transpose falls back to another format.
TEST(KernelMemoryTest, TheTransposeFallsBackForItsLists) {
  const UserMatrix<Impl::OwnSpace, double, int> A(random_pattern<int>(2, 3000, 0.1, 1));
  PlanOptions options = with_format(Format::Bcsr);
  options.parameters.bcsr_block_rows = 2;
  options.parameters.bcsr_block_columns = 5;
  auto unlimited = A.plan(options);
  unlimited.prepare(Impl::OwnSpace(), 0, Mode::Transpose);
  options.memory_limit = static_cast<std::size_t>(told_peak(unlimited)) - 1;
  options.on_unsupported = OnUnsupported::FallBack;
  auto plan = A.plan(options);
  plan.prepare(Impl::OwnSpace(), 0, Mode::Transpose);
  EXPECT_EQ(plan.format(), Format::Bcsr);
  EXPECT_LE(told_peak(plan), static_cast<std::int64_t>(options.memory_limit));
  EXPECT_NE(plan.explain().find("note: transpose: Tessera: a plan with the format bcsr is rejected"), std::string::npos)
      << plan.explain();
}

}  // namespace Tessera::Impl::Test
