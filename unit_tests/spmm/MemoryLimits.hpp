// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/MemoryAccount.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "MemoryMeter.hpp"
#include "PlanCheck.hpp"

/// Checks that plans keep PlanOptions::memory_limit and allocate the bytes that they report.
namespace Tessera::Impl::Test {

template <class Offset>
HostPattern<Offset> generated_pattern(const std::string& name) {
  const HostCsr<double> A = generate(name, 1);
  HostPattern<Offset> result;
  result.columns = A.columns;
  for (int row = 0; row < A.rows; ++row) {
    for (auto k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k)
      result.column_indices.push_back(A.column_indices[k]);
    result.end_row();
  }
  return result;
}

template <class PlanType>
Candidate taken(const PlanType& plan) {
  for (const Candidate& candidate : Impl::choice_of(plan).candidates)
    if (Impl::choice_of(plan).is_chosen(candidate)) return candidate;
  throw std::logic_error("the choice is no candidate");
}

/// Returns the peak memory that a plan reports for all calls so far.
template <class PlanType>
std::int64_t told_peak(const PlanType& plan) {
  const std::string text = plan.stats(), key = "\"peak\": ";
  return std::stoll(text.substr(text.find(key) + key.size()));
}

/// Text for failures: the reported and the measured peak, and the arrays at the peak.
template <class PlanType>
std::string pieces(const MemoryMeter& memory, const PlanType& plan) {
  std::string text = "told " + std::to_string(told_peak(plan)) + ", measured " + std::to_string(memory.peak()) +
                     " bytes:\n" + memory.at_peak() + plan.explain();
  for (const Candidate& candidate : Impl::choice_of(plan).candidates) {
    text += "\n" + std::string(to_string(candidate.format)) + ": tiles " + std::to_string(candidate.tiles) +
            ", holds " + std::to_string(candidate.held_bytes) + ", peak " + std::to_string(candidate.peak_bytes);
  }
  const MatrixStatistics& m = Impl::choice_of(plan).statistics;
  return text + "\nrows " + std::to_string(m.rows) + ", nonzeros " + std::to_string(m.nonzeros) +
         ", columns of windows of 8 rows " + std::to_string(m.window8_columns) + ", of 64 rows " +
         std::to_string(m.window64_columns) + ", blocks " + std::to_string(m.bcsr_blocks);
}

/// Upper bound on the bytes by which accounts round up all arrays of a plan.
constexpr std::int64_t rounding = 64 * std::int64_t(Impl::MemoryAccount::grain);

/// Lower bound on the measured peak, given the reported peak: some devices round arrays up by an eighth.
template <class Exec>
std::int64_t least_measured(std::int64_t told) {
  const std::size_t size = std::size_t(1) << 30;
  const bool is_exact = Impl::ArrayMemory<typename Exec::memory_space>::taken_bytes(Exec(), size + 1) == size + 1;
  return (is_exact ? told : told * 8 / 9) - rounding;
}

/// Makes a plan and its transpose under a limit. Expects that the plan keeps the limit, or is rejected and leaks
/// nothing. \return whether the plan was made
template <class Exec, class Matrix>
testing::AssertionResult expect_within(const Matrix& A, PlanOptions options, std::size_t limit) {
  SCOPED_TRACE("limit " + std::to_string(limit));
  options.memory_limit = limit;
  const auto most = static_cast<std::int64_t>(limit);
  const MemoryMeter memory;
  try {
    auto plan = A.plan(options);
    EXPECT_LE(memory.peak(), most) << pieces(memory, plan);
    EXPECT_LE(memory.peak(), told_peak(plan)) << pieces(memory, plan);
    EXPECT_LE(static_cast<double>(told_peak(plan)), static_cast<double>(limit)) << pieces(memory, plan);
    const std::int64_t held = memory.now();
    try {
      plan.prepare(Exec(), 0, Mode::Transpose);
      EXPECT_LE(memory.peak(), told_peak(plan)) << "transposed, " << pieces(memory, plan);
    } catch (const std::invalid_argument& rejection) {
      EXPECT_EQ(memory.now(), held) << "transposed, " << rejection.what();
    }
    EXPECT_LE(memory.peak(), most) << "transposed, " << pieces(memory, plan);
  } catch (const std::invalid_argument& rejection) {
    EXPECT_EQ(memory.now(), 0) << rejection.what();
    EXPECT_LE(memory.peak(), most) << rejection.what() << '\n' << memory.at_peak();
    return testing::AssertionFailure() << rejection.what();
  }
  return testing::AssertionSuccess();
}

/// Expects that the reported peak equals the measured peak, that the same plan can be made with this peak as its limit,
/// and that smaller limits are kept or rejected.
template <class Exec, class Matrix>
void check_limits(const Matrix& A, PlanOptions options) {
  std::int64_t peak = 0, turned = 0;
  Format format{};
  {
    const MemoryMeter memory;
    auto plan = A.plan(options);
    format = plan.format();
    peak = told_peak(plan);
    EXPECT_EQ(static_cast<double>(peak), taken(plan).peak_bytes);
    EXPECT_LE(memory.peak(), peak) << pieces(memory, plan);
    EXPECT_LE(least_measured<Exec>(peak), memory.peak()) << pieces(memory, plan);
    EXPECT_EQ(taken(plan).held_bytes, static_cast<double>(memory.now())) << pieces(memory, plan);
    EXPECT_EQ(taken(plan).held_bytes, static_cast<double>(plan.bytes()));
    plan.prepare(Exec(), 0, Mode::Transpose);
    turned = told_peak(plan);
    EXPECT_LE(memory.peak(), turned) << "transposed, " << pieces(memory, plan);
    EXPECT_LE(least_measured<Exec>(turned), memory.peak()) << "transposed, " << pieces(memory, plan);
  }
  EXPECT_TRUE(expect_within<Exec>(A, options, static_cast<std::size_t>(turned)));
  EXPECT_TRUE(expect_within<Exec>(A, options, static_cast<std::size_t>(peak)));
  for (const double share : {0.99, 0.7, 0.4, 0.0})
    static_cast<void>(expect_within<Exec>(A, options, static_cast<std::size_t>(share * static_cast<double>(peak))));
  options.memory_limit = static_cast<std::size_t>(peak);
  auto same = A.plan(options);
  EXPECT_EQ(same.format(), format);
  EXPECT_EQ(told_peak(same), peak);
  static_cast<void>(expect_within<Exec>(A, options, static_cast<std::size_t>(peak) - 1));
}

}  // namespace Tessera::Impl::Test
