// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <complex>
#include <stdexcept>
#include <tessera/io/Generators.hpp>
#include <tessera/io/HostCsr.hpp>

namespace {

using Tessera::HostCsr;

TEST(HostCsr, ValidAndCanonical) {
  const HostCsr<double> good{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  EXPECT_TRUE(Tessera::Impl::is_valid(good));
  EXPECT_TRUE(is_canonical(good));
  EXPECT_TRUE(is_canonical(HostCsr<float>{}));

  const auto changed = [&](auto change) {
    HostCsr<double> matrix = good;
    change(matrix);
    return matrix;
  };
  for (const auto& bad : {
           changed([](auto& m) { m.rows = 3; }),
           changed([](auto& m) { m.rows = -1; }),
           changed([](auto& m) { m.columns = 2; }),
           changed([](auto& m) { m.column_indices[1] = -1; }),
           changed([](auto& m) {
             m.row_offsets = {1, 2, 3};
           }),
           changed([](auto& m) {
             m.row_offsets = {0, 4, 3};
           }),
           changed([](auto& m) {
             m.row_offsets = {0, 2, 4};
           }),
           changed([](auto& m) { m.row_offsets = {}; }),
           changed([](auto& m) { m.values.pop_back(); }),
       }) {
    EXPECT_FALSE(Tessera::Impl::is_valid(bad));
    EXPECT_FALSE(is_canonical(bad));
  }
  const auto unsorted = changed([](auto& m) { std::swap(m.column_indices[0], m.column_indices[1]); });
  const auto duplicate = changed([](auto& m) { m.column_indices[1] = 0; });
  EXPECT_TRUE(Tessera::Impl::is_valid(unsorted));
  EXPECT_TRUE(Tessera::Impl::is_valid(duplicate));
  EXPECT_FALSE(is_canonical(unsorted));
  EXPECT_FALSE(is_canonical(duplicate));
}

TEST(HostCsr, MakeCanonicalSortsAndSumsInOrder) {
  HostCsr<double> matrix{3, 4, {0, 5, 5, 8}, {3, 1, 3, 0, 3, 2, 2, 1}, {1e16, 5, 1, 0, -1e16, 1, 2, 7}};
  make_canonical(matrix);
  EXPECT_EQ(matrix, (HostCsr<double>{3, 4, {0, 3, 3, 5}, {0, 1, 3, 1, 2}, {0, 5, 0, 7, 3}}));
}

TEST(HostCsr, MakeCanonicalSumsLongRowsInOrder) {
  // Magnitudes differ so much that another order of summation changes the last bits.
  const auto random = Tessera::random_dense<double>(1000, 2, 3);
  HostCsr<double> matrix{1, 3, {0, 1000}, {}, {}};
  HostCsr<double> expected{1, 3, {0, 3}, {0, 1, 2}, {0, 0, 0}};
  for (std::size_t k = 0; k < 1000; ++k) {
    const int column = random.values[k] < -0.3 ? 0 : random.values[k] < 0.3 ? 1 : 2;
    const double value = random.values[1000 + k] * (k % 3 == 0 ? 1e6 : 1.0);
    matrix.column_indices.push_back(column);
    matrix.values.push_back(value);
    expected.values[static_cast<std::size_t>(column)] += value;
  }
  make_canonical(matrix);
  EXPECT_EQ(matrix, expected);
}

TEST(HostCsr, MakeCanonicalTakesManyRowsAndAnyNumberOfThreads) {
  // Each row has the entries of a known matrix twice, the second time in reverse. The sum is twice the known matrix.
  const auto known = Tessera::Impl::generate_uniform(20000, 5, 3);
  HostCsr<double> doubled;
  doubled.rows = known.rows;
  doubled.columns = known.columns;
  doubled.row_offsets = known.row_offsets;
  for (auto& offset : doubled.row_offsets) offset *= 2;
  for (std::size_t row = 0; row < 20000; ++row) {
    for (std::size_t k = 0; k < 5; ++k) {
      doubled.column_indices.push_back(known.column_indices[5 * row + k]);
      doubled.values.push_back(known.values[5 * row + k]);
    }
    for (std::size_t k = 5; k-- > 0;) {
      doubled.column_indices.push_back(known.column_indices[5 * row + k]);
      doubled.values.push_back(known.values[5 * row + k]);
    }
  }
  auto expected = known;
  for (auto& value : expected.values) value *= 2;
  for (const int threads : {1, 2, 3, 7}) {
    auto matrix = doubled;
    make_canonical(matrix, threads);
    EXPECT_EQ(matrix, expected) << threads << " threads";
  }
}

TEST(HostCsr, MakeCanonicalRejectsWhatIsNotValid) {
  HostCsr<std::complex<float>> matrix{1, 1, {0, 1}, {1}, {1}};
  EXPECT_THROW(make_canonical(matrix), std::invalid_argument);
}

}  // namespace
