// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/Plan.hpp>
#include <thread>
#include <vector>

#include "HostPattern.hpp"
#include "Instances.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

/// Runs two host threads that share nothing but the library.
template <class T>
class SideBySideTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Matrix = UserMatrix<Exec, double, int>;
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
  static constexpr int columns = 5;

  explicit SideBySideTest() : A_(random_pattern<int>(300, 260, 0.1, 1)) {}

  /// Makes a plan of A, computes Y = A X, updates the values, and returns X - A^T Y / 2.
  std::vector<double> products(const Exec& exec, const PlanOptions& options) const {
    const auto& pattern = A_.pattern;
    auto plan = make_plan(exec, 300, 260, pattern.row_offsets, pattern.column_indices, A_.values, options);
    auto work = plan.prepare(exec, columns, Mode::NoTranspose), turned = plan.prepare(exec, columns, Mode::Transpose);
    const Vectors x("x", 260, columns), y("y", 300, columns);
    Kokkos::deep_copy(exec, x, 0.75);
    spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
    plan.update_values(exec, A_.values);
    spmm(exec, plan, turned, Mode::Transpose, -0.5, y, 1.0, x);
    const auto result = Kokkos::create_mirror_view(x);
    Kokkos::deep_copy(exec, result, x);
    exec.fence();
    return {result.data(), result.data() + result.size()};
  }

 private:
  Matrix A_;
};

template <class Exec>
using OneCaseOf = ::testing::Types<Case<Exec, int>>;
TYPED_TEST_SUITE(SideBySideTest, EverySpace<OneCaseOf>::type);

/// Two host threads make, prepare, update and destroy plans at the same time. Results have the bits of one thread.
TYPED_TEST(SideBySideTest, PlansAreMadeAtOnce) {
  using Exec = typename TestFixture::Exec;
  const auto instances = two_instances<Exec>();
  if (instances.empty()) GTEST_SKIP() << "instances are one queue";
  std::vector<PlanOptions> every_options;
  for (const Format format : every_format) every_options.push_back(with_format(format));
  for (const Reordering order : {Reordering::DataAffinity, Reordering::LocalClusters, Reordering::WindowGrowing}) {
    every_options.emplace_back();
    every_options.back().reordering = order;
  }
  std::vector<std::vector<double>> expected;
  for (const PlanOptions& options : every_options) expected.push_back(this->products(instances[0], options));
  int different[2] = {};
  const auto make_plans = [&](int which) {
    for (int round = 0; round < 3; ++round)
      for (std::size_t k = 0; k < every_options.size(); ++k)
        different[which] += this->products(instances[which], every_options[k]) != expected[k];
  };
  std::thread other(make_plans, 1);
  make_plans(0);
  other.join();
  EXPECT_EQ(different[0], 0);
  EXPECT_EQ(different[1], 0);
}

}  // namespace Tessera::Impl::Test
