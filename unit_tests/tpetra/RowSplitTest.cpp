// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split of a rank's entries into own and halo parts, compared with plain loops. Also compares the kernels for
// devices with those for hosts.
#include <numeric>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/impl/LocalArrays.hpp>
#include <tessera/tpetra/impl/RowSplit.hpp>

#include "TestProblem.hpp"

namespace Tessera::Impl::Test {

using Device = Matrix::device_type;
using Exec = Device::execution_space;
using Arrays = Impl::LocalArrays<Matrix>;
using Columns = Impl::ColumnSplit<Map>;
using Indices = Kokkos::View<int*, Device>;

template <class View>
auto on_host(const View& view) {
  std::vector<typename View::non_const_value_type> result(view.extent(0));
  const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = copy(i);
  return result;
}

/// The columns according to Tpetra's look-ups on the host.
struct ExpectedColumns {
  std::vector<int> targets;
  std::vector<GO> halo;
  std::vector<int> joined;  // column numbers if the halo follows all owned elements

  explicit ExpectedColumns(const Matrix& A) {
    for (int c = 0; c < int(A.getColMap()->getLocalNumElements()); ++c) {
      const GO column = A.getColMap()->getGlobalElement(c);
      int target = A.getDomainMap()->getLocalElement(column);
      if (target < 0) {
        target = -1 - int(halo.size());
        halo.push_back(column);
      }
      const int owned = int(A.getDomainMap()->getLocalNumElements());
      joined.push_back(target >= 0 ? target : owned + int(halo.size()) - 1);
      targets.push_back(target);
    }
  }
};

/// A part as compressed rows, computed by plain loops.
struct ExpectedPart {
  std::vector<std::size_t> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;

  void expect(const Impl::SplitPart<double, Device>& part) const {
    EXPECT_EQ(on_host(part.row_offsets), offsets);
    EXPECT_EQ(on_host(part.column_indices), columns);
    EXPECT_EQ(on_host(part.values), values);
  }
};

class RowSplitOn : public testing::TestWithParam<std::pair<Spread, std::string>> {
 protected:
  /// Makes a matrix with empty and long rows.
  RCP<Matrix> make() const {
    HostCsr<double> matrix{70, 70, {0}, {}, {}};
    for (Ordinal i = 0; i < matrix.rows; ++i) {
      for (Ordinal c = 0; c < matrix.columns; ++c) {
        const auto place = std::uint64_t(i) * 70 + std::uint64_t(c);
        if (i == 40 ? false : i % 4 == 1 || hash(place, 3) % 9 != 0) continue;
        matrix.column_indices.push_back(c);
        matrix.values.push_back(uniform(place, 4));
      }
      matrix.row_offsets.push_back(matrix.values.size());
    }
    return distribute(matrix, GetParam().first);
  }
};

TEST_P(RowSplitOn, FindsThePlacesOfColumns) {
  const auto A = make();
  const ExpectedColumns expected(*A);
  const Columns columns = Columns::of(*A->getColMap(), *A->getDomainMap());
  EXPECT_EQ(on_host(columns.targets), expected.targets);
  EXPECT_EQ(on_host(columns.halo), expected.halo);
  std::vector<int> numbers(expected.joined.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(columns.keeps_numbers, expected.joined == numbers);
}

TEST_P(RowSplitOn, JoinsColumns) {
  const auto A = make();
  const ExpectedColumns expected(*A);
  const Columns columns = Columns::of(*A->getColMap(), *A->getDomainMap());
  const Impl::LocalArrays<Matrix> arrays(*A);
  std::vector<int> joined;
  for (const int column : on_host(arrays.graph.entries)) joined.push_back(expected.joined[std::size_t(column)]);
  const auto owned = int(A->getDomainMap()->getLocalNumElements());
  EXPECT_EQ(on_host(Impl::joined_columns(Matrix::execution_space(), arrays, columns.targets, owned)), joined);
}

/// Both parts, computed by plain loops.
struct ExpectedParts {
  ExpectedPart owned, halo;
  std::vector<int> boundary;

  explicit ExpectedParts(const Matrix& A) {
    const ExpectedColumns columns(A);
    const auto local = A.getLocalMatrixHost();
    for (int row = 0; row < local.numRows(); ++row) {
      const std::size_t before = halo.values.size();
      for (auto k = local.graph.row_map(row); k < local.graph.row_map(row + 1); ++k) {
        const int target = columns.targets[std::size_t(local.graph.entries(k))];
        auto& part = target >= 0 ? owned : halo;
        part.columns.push_back(target >= 0 ? target : -1 - target);
        part.values.push_back(local.values(k));
      }
      owned.offsets.push_back(owned.values.size());
      if (halo.values.size() == before) continue;
      boundary.push_back(row);
      halo.offsets.push_back(halo.values.size());
    }
  }
};

TEST_P(RowSplitOn, CutsTwoParts) {
  const auto A = make();
  const ExpectedParts expected(*A);
  const Exec exec;
  const Arrays arrays(*A);
  const auto split = Impl::split_rows(exec, arrays, Columns::of(*A->getColMap(), *A->getDomainMap()).targets);
  EXPECT_EQ(split.owned_entries, expected.owned.values.size());
  EXPECT_EQ(split.halo_entries, expected.halo.values.size());
  EXPECT_EQ(on_host(split.boundary), expected.boundary);
  const auto [own, far] = Impl::cut<double>(exec, arrays, split);
  expected.owned.expect(own);
  expected.halo.expect(far);
}

/// Lanes that share a row compute the same as one thread. The total numbers of entries in this test lead to one lane
/// and to many lanes for each row.
TEST_P(RowSplitOn, LanesShareRows) {
  const auto A = make();
  const Exec exec;
  const Arrays arrays(*A);
  const auto split = Impl::split_rows(exec, arrays, Columns::of(*A->getColMap(), *A->getDomainMap()).targets);
  const auto [own, far] = Impl::cut<double>(exec, arrays, split);
  const auto rows = std::size_t(arrays.rows);
  const auto owned_offsets = on_host(split.owned_offsets);
  std::vector<int> expected_counts(rows);
  for (std::size_t i = 0; i < rows; ++i) expected_counts[i] = int(owned_offsets[i + 1] - owned_offsets[i]);

  using Offsets = decltype(arrays.graph.row_map);
  using Entries = decltype(arrays.graph.entries);
  using Write = Impl::WriteColumns<Indices>;
  for (const std::size_t entries : {std::size_t(0), 5 * rows, 1000 * rows}) {
    const Indices counts("counts", rows), columns("columns", split.owned_entries),
        halo_columns("columns", split.halo_entries);
    Impl::for_each_row_by_lanes(
        "count", exec, rows, entries,
        Impl::CountOwned<Device, Offsets, Entries>{arrays.graph.row_map, arrays.graph.entries, split.targets, counts});
    Impl::for_each_row_by_lanes(
        "fill", exec, rows, entries,
        Impl::VisitEntries<Device, Offsets, Entries, Write>{arrays.graph.row_map, arrays.graph.entries, split.targets,
                                                            split.owned_offsets, Write{columns, halo_columns}});
    EXPECT_EQ(on_host(counts), expected_counts);
    EXPECT_EQ(on_host(columns), on_host(own.column_indices));
    EXPECT_EQ(on_host(halo_columns), on_host(far.column_indices));
  }
}

INSTANTIATE_TEST_SUITE_P(Spreads, RowSplitOn, testing::ValuesIn(every_spread), spread_name);

}  // namespace Tessera::Impl::Test
