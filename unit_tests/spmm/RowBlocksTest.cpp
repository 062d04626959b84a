// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of several blocks of rows, as for matrices with 2^31 entries or formats that store 2^31 values. These tests use
// small limits on entries and stored values.
#include <tessera/PlanFile.hpp>
#include <tessera/SpmmWithSums.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "HostViews.hpp"
#include "MemoryLimits.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class Exec>
using BlockCasesOf =
    ::testing::Types<Case<Exec, float, float, int>, Case<Exec, double, double, std::size_t>,
                     Case<Exec, float, double, std::size_t>, Case<Exec, Complex<double>, Complex<double>, int>>;

template <class T>
class RowBlocksTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Scalar = typename T::MatrixScalar;
  using Offset = typename T::Offset;
  using Matrix = UserMatrix<Exec, Scalar, Offset>;
  using User = user_scalar_t<typename T::VectorScalar>;
  using Left = Kokkos::View<User**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Right = Kokkos::View<User**, Kokkos::LayoutRight, typename Exec::memory_space>;
  using PlanType = Plan<user_scalar_t<Scalar>, Exec>;

  static constexpr int rows = 61, columns = 47, count = 5;
#ifdef TESSERA_TEST_CUDA_KERNELS
  static constexpr bool sums_rows_alike = true;
#else
  static constexpr bool sums_rows_alike = is_host_space<Exec>;
#endif
  /// Sorted rows, and unsorted rows with duplicates. The first and the last rows are empty.
  static std::vector<Matrix> matrices() {
    std::vector<Matrix> result;
    for (const auto& pattern :
         {random_pattern<Offset>(rows, columns, 0.2, 1, 7), unsorted_pattern<Offset>(rows, columns, 9, 2)}) {
      HostPattern<Offset> framed = pattern;
      framed.row_offsets.insert(framed.row_offsets.begin(), Offset(0));
      framed.rows += 1;
      framed.end_row();
      result.emplace_back(framed);
    }
    return result;
  }
  static PlanType plan_of(const Matrix& A, const PlanOptions& options, std::size_t most_entries,
                          std::size_t most_places = Impl::most_entries_of_block) {
    return Impl::plan_of(Exec(), A.host.rows, A.host.columns, 1, A.pattern.row_offsets, A.pattern.column_indices,
                         A.values, options, most_entries, most_places);
  }
  static PlanType loaded(const std::string& path) { return load_plan<user_scalar_t<Scalar>>(Exec(), path); }
  /// The limit on entries that makes about five blocks.
  static std::size_t fifth(const Matrix& A) { return A.host.nonzeros() / 5 + 1; }

  static void expect_products(const Matrix& A, PlanType& plan, const std::string& what) {
    for (const Mode mode : every_mode) {
      expect_product<Left>(A, plan, count, mode, 1.5, 0, what);
      expect_product<Right>(A, plan, count, mode, -1, 0.5, what);
    }
  }
};
TYPED_TEST_SUITE(RowBlocksTest, EverySpace<BlockCasesOf>::type);

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Returns the bits of Y = 2 op(A) X.
template <class View, class PlanType>
std::vector<typename View::non_const_value_type> bits_of_product(PlanType& plan, Mode mode, int count) {
  using Exec = typename PlanType::execution_space;
  const bool turns = is_transposed(mode);
  const auto X = View("X", turns ? plan.rows() : plan.columns(), count);
  const auto Y = View("Y", turns ? plan.columns() : plan.rows(), count);
  const auto host = Kokkos::create_mirror_view(X);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (int j = 0; j < count; ++j) host(i, j) = typename View::value_type(1.0 / double(i + 3 * std::size_t(j) + 1));
  Kokkos::deep_copy(X, host);
  auto work = plan.prepare(Exec(), count, mode);
  spmm(Exec(), plan, work, mode, 2, X, 0, Y);
  Exec().fence();
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  return {y.data(), y.data() + y.size()};
}

TYPED_TEST(RowBlocksTest, MultiplyAsOnePlan) {
  using Fixture = TestFixture;
  for (const auto& A : Fixture::matrices()) {
    for (const Format format : every_format) {
      auto plan = Fixture::plan_of(A, with_format(format), Fixture::fifth(A));
      EXPECT_EQ(plan.rows(), A.host.rows);
      EXPECT_EQ(plan.columns(), A.host.columns);
      EXPECT_EQ(plan.nonzeros(), A.stored.nonzeros());
      EXPECT_GE(count_of(plan.explain(), "block of rows "), 5u) << plan.explain();
      Fixture::expect_products(A, plan, std::string(to_string(format)));
    }
  }
}

/// Blocks do not change the bits of products without transpose, because each row is summed alone. (On a GPU a block
/// chooses the order for a single column. On a device without a kernel it also chooses the lanes of a row.)
TYPED_TEST(RowBlocksTest, RowsHaveTheSameBits) {
  using Fixture = TestFixture;
  using Left = typename Fixture::Left;
  for (const auto& A : Fixture::matrices()) {
    auto one = A.plan(with_format(Format::Csr));
    const auto bits = bits_of_product<Left>(one, Mode::NoTranspose, Fixture::count);
    EXPECT_EQ(count_of(one.explain(), "block of rows "), 0u);
    for (const std::size_t most : {A.host.nonzeros(), A.host.nonzeros() - 1, Fixture::fifth(A), std::size_t(20)}) {
      auto plan = Fixture::plan_of(A, with_format(Format::Csr), most);
      EXPECT_EQ(count_of(plan.explain(), "block of rows ") > 0, most < A.host.nonzeros());
      const auto plain = bits_of_product<Left>(plan, Mode::NoTranspose, Fixture::count);
      EXPECT_EQ(bits_of_product<Left>(plan, Mode::NoTranspose, Fixture::count), plain) << most;
      if constexpr (Fixture::sums_rows_alike) {
        EXPECT_EQ(plain, bits) << most;
      }
      const auto turned = bits_of_product<Left>(plan, Mode::Transpose, Fixture::count);
      EXPECT_EQ(bits_of_product<Left>(plan, Mode::Transpose, Fixture::count), turned) << most;
    }
  }
}

TYPED_TEST(RowBlocksTest, OffsetsOfBothTypesGiveTheSameBits) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  using Scalar = typename Fixture::Scalar;
  using Other = std::conditional_t<sizeof(typename Fixture::Offset) == 4, std::size_t, int>;
  for (const auto& A : Fixture::matrices()) {
    HostPattern<Other> pattern;
    pattern.rows = A.host.rows;
    pattern.columns = A.host.columns;
    pattern.row_offsets.assign(A.host.row_offsets.begin(), A.host.row_offsets.end());
    pattern.column_indices = A.host.column_indices;
    const UserMatrix<Exec, Scalar, Other> B(pattern, A.host_values);
    for (const Format format : every_format) {
      for (const std::size_t most : {A.host.nonzeros(), Fixture::fifth(A)}) {
        auto plan = Fixture::plan_of(A, with_format(format), most);
        auto other = Impl::plan_of(Exec(), B.host.rows, B.host.columns, 1, B.pattern.row_offsets,
                                   B.pattern.column_indices, B.values, with_format(format), most);
        for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
          EXPECT_EQ(bits_of_product<typename Fixture::Left>(plan, mode, 3),
                    bits_of_product<typename Fixture::Left>(other, mode, 3))
              << to_string(format);
        EXPECT_EQ(plan.bytes(), other.bytes());
      }
    }
  }
}

TYPED_TEST(RowBlocksTest, TakeNewValues) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  for (const auto& A : Fixture::matrices()) {
    const typename Fixture::Matrix B(A.host, 8), C(A.host, 9);
    for (const Format format : {Format::Csr, Format::BitTcf}) {
      auto plan = Fixture::plan_of(A, with_format(format), Fixture::fifth(A));
      plan.update_values(Exec(), B.values);
      Fixture::expect_products(B, plan, "updated");
      const auto values = Kokkos::create_mirror(typename Exec::memory_space(), C.values);
      Kokkos::deep_copy(values, C.values);
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) plan.follow_values(Exec(), values, mode);
      Fixture::expect_products(C, plan, "followed");
      Kokkos::deep_copy(values, A.values);
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) plan.follow_values(Exec(), values, mode);
      Fixture::expect_products(A, plan, "followed again");
      plan.release_source(Exec());
      Kokkos::deep_copy(values, C.values);
      EXPECT_EQ(plan.slot_map_bytes(), 0u);
      Fixture::expect_products(A, plan, "released");
    }
  }
}

TYPED_TEST(RowBlocksTest, AreSavedAndLoaded) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  const TemporaryFolder folder;
  for (const auto& A : Fixture::matrices()) {
    for (const bool turns : {false, true}) {
      PlanOptions options = with_format(Format::BitTcf);
      options.reordering = Reordering::DegreeSort;
      options.always_reorder = true;
      auto plan = Fixture::plan_of(A, options, Fixture::fifth(A));
      if (turns) plan.prepare(Exec(), 1, Mode::Transpose);
      const std::string path = folder / "plan";
      save_plan(Exec(), plan, path);
      auto loaded = Fixture::loaded(path);
      EXPECT_EQ(loaded.bytes(), plan.bytes());
      EXPECT_EQ(loaded.nonzeros(), plan.nonzeros());
      EXPECT_EQ(count_of(loaded.explain(), "block of rows "), count_of(plan.explain(), "block of rows "));
      EXPECT_EQ(to_host(Impl::row_order_of(loaded).order), to_host(Impl::row_order_of(plan).order));
      Fixture::expect_products(A, loaded, "loaded");
      const typename Fixture::Matrix B(A.host, 8);
      loaded.update_values(Exec(), B.values);
      Fixture::expect_products(B, loaded, "loaded and updated");
    }
  }
}

/// The order is a permutation of all rows, and each row stays in its block.
TYPED_TEST(RowBlocksTest, HaveOneOrderOfAllRows) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  const auto A = Fixture::matrices().front();
  PlanOptions options = with_format(Format::BitTcf);
  EXPECT_TRUE(Impl::row_order_of(Fixture::plan_of(A, options, Fixture::fifth(A))).is_identity());
  options.reordering = Reordering::DegreeSort;
  options.always_reorder = true;
  const auto order = Impl::row_order_of(Fixture::plan_of(A, options, Fixture::fifth(A)));
  ASSERT_EQ(order.order.extent(0), std::size_t(A.host.rows));
  EXPECT_EQ(validate(Exec(), order, A.host.rows), "");
}

TYPED_TEST(RowBlocksTest, TellWhatTheyAre) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  const auto A = Fixture::matrices().front();
  auto plan = Fixture::plan_of(A, {}, Fixture::fifth(A));
  plan.prepare(Exec(), 1, Mode::Transpose);
  const std::string text = plan.explain(), stats = plan.stats();
  const std::size_t blocks = count_of(text, "block of rows ");
  EXPECT_NE(text.find("block of rows 0 to "), std::string::npos) << text;
  EXPECT_NE(text.find(" to " + std::to_string(A.host.rows - 1) + ", one of " + std::to_string(blocks)),
            std::string::npos)
      << text;
  EXPECT_EQ(count_of(text, "  format: "), blocks) << text;
  EXPECT_EQ(count_of(stats, "\"first_row\": "), blocks) << stats;
  EXPECT_EQ(count_of(stats, "\"transpose\": {"), blocks + 1) << stats;
  EXPECT_NE(stats.find("\"nonzeros\": " + std::to_string(plan.nonzeros())), std::string::npos) << stats;
  EXPECT_NE(A.plan({}).stats().find("\"row_blocks\": null"), std::string::npos);
}

TYPED_TEST(RowBlocksTest, KeepTheMemoryLimit) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  struct InBlocks {
    const typename Fixture::Matrix& A;
    auto plan(const PlanOptions& options) const { return Fixture::plan_of(A, options, Fixture::fifth(A)); }
  };
  for (const auto& A : Fixture::matrices()) {
    for (const Format format : {Format::Auto, Format::Csr, Format::BitTcf}) {
      std::int64_t peak = 0;
      {
        const MemoryMeter memory;
        auto plan = InBlocks{A}.plan(with_format(format));
        peak = told_peak(plan);
        EXPECT_LE(memory.peak(), peak) << pieces(memory, plan);
        EXPECT_NEAR(double(plan.bytes()), double(memory.now()), double(rounding));
        plan.prepare(Exec(), 0, Mode::Transpose);
        EXPECT_NEAR(double(plan.bytes()), double(memory.now()), double(2 * rounding));
        EXPECT_LE(memory.peak(), told_peak(plan)) << pieces(memory, plan);
      }
      EXPECT_TRUE(expect_within<Exec>(InBlocks{A}, with_format(format), std::size_t(2 * peak)));
      for (const double share : {0.95, 0.7, 0.4, 0.0})
        static_cast<void>(expect_within<Exec>(InBlocks{A}, with_format(format), std::size_t(share * double(peak))));
    }
  }
}

/// 8 x 8 blocks need several times CSR's memory. The first rows must not use up the memory that the last rows need.
TYPED_TEST(RowBlocksTest, LeaveMemoryToEachOther) {
  using Fixture = TestFixture;
  const typename Fixture::Matrix A(random_pattern<typename Fixture::Offset>(400, 400, 0.05, 1));
  PlanOptions options = with_format(Format::Bcsr);
  options.parameters.bcsr_block_rows = options.parameters.bcsr_block_columns = 8;
  const std::size_t rows_of_blocks = Fixture::plan_of(A, options, Fixture::fifth(A)).bytes();
  const std::size_t rows = Fixture::plan_of(A, with_format(Format::Csr), Fixture::fifth(A)).bytes();
  ASSERT_GT(rows_of_blocks, 5 * rows);
  options.on_unsupported = OnUnsupported::FallBack;
  options.memory_limit = rows_of_blocks / 5 + rows / 2;  // the first block alone would fit
  auto plan = Fixture::plan_of(A, options, Fixture::fifth(A));
  EXPECT_EQ(plan.format(), Format::Csr);
  EXPECT_NE(plan.explain().find("note: rows 0 to "), std::string::npos) << plan.explain();
  expect_product<typename Fixture::Left>(A, plan, 3, Mode::NoTranspose, 1, 0, "little memory");
}

TYPED_TEST(RowBlocksTest, ARowThatIsTooLongIsRejected) {
  using Fixture = TestFixture;
  const typename Fixture::Matrix A(unsorted_pattern<typename Fixture::Offset>(4, 30, 9, 2));
  const auto length = [&](int row) { return std::size_t(A.host.row_offsets[row + 1] - A.host.row_offsets[row]); };
  std::size_t longest = 0;
  for (int row = 0; row < A.host.rows; ++row) longest = std::max(longest, length(row));
  int first = 0;
  while (length(first) < longest) ++first;
  EXPECT_NO_THROW(Fixture::plan_of(A, {}, longest));
  EXPECT_MESSAGE(std::invalid_argument, Fixture::plan_of(A, {}, longest - 1),
                 "Tessera::make_plan: row " + std::to_string(first) + " has " + std::to_string(longest) +
                     " entries; expected at most " + std::to_string(longest - 1));
}

/// Errors name the entry by its index in the matrix, not in the block.
TYPED_TEST(RowBlocksTest, WrongInputIsRejected) {
  using Fixture = TestFixture;
  auto pattern = random_pattern<typename Fixture::Offset>(40, 30, 0.3, 1);
  const std::size_t last = pattern.nonzeros() - 1;
  pattern.column_indices[last] = 30;
  const typename Fixture::Matrix A(pattern);
  EXPECT_MESSAGE(std::invalid_argument, Fixture::plan_of(A, {}, Fixture::fifth(A)),
                 "entry " + std::to_string(last) + " lies in column 30; expected columns from 0 to 29");
  pattern.column_indices[last] = 29;
  std::swap(pattern.row_offsets[33], pattern.row_offsets[35]);
  const typename Fixture::Matrix B(pattern, std::vector<typename Fixture::Scalar>(last + 1));
  EXPECT_MESSAGE(std::invalid_argument, Fixture::plan_of(B, {}, Fixture::fifth(A)), "row offsets are wrong at row 33");
}

TYPED_TEST(RowBlocksTest, MayHoldDenseBlocks) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  using Scalar = typename Fixture::Scalar;
  using Offset = typename Fixture::Offset;
  constexpr int size = 3;
  for (const auto& dense : {random_pattern<Offset>(21, 17, 0.3, 1, 4), unsorted_pattern<Offset>(21, 17, 6, 2)}) {
    const auto given = random_values<Scalar>(dense.nonzeros() * size * size, 3);
    HostPattern<Offset> elements;
    elements.columns = dense.columns * size;
    std::vector<Scalar> values;
    for (int i = 0; i < dense.rows * size; ++i) {
      for (auto b = dense.row_offsets[i / size]; b < dense.row_offsets[i / size + 1]; ++b) {
        for (int j = 0; j < size; ++j) {
          elements.column_indices.push_back(dense.column_indices[b] * size + j);
          values.push_back(given[std::size_t(b) * size * size + std::size_t(i % size * size + j)]);
        }
      }
      elements.end_row();
    }
    const typename Fixture::Matrix A(elements, values);
    const DevicePattern<Exec, Offset> pattern(dense);
    auto plan = Impl::plan_of(Exec(), dense.rows, dense.columns, size, pattern.row_offsets, pattern.column_indices,
                              user_values<Exec>(given), with_format(Format::Csr), elements.nonzeros() / 4);
    EXPECT_GE(count_of(plan.explain(), "block of rows "), 4u);
    Fixture::expect_products(A, plan, "dense blocks");
    plan.update_values(Exec(), user_values<Exec>(std::vector<Scalar>(given.size(), Scalar(0))));
    plan.update_values(Exec(), user_values<Exec>(given));
    Fixture::expect_products(A, plan, "new dense blocks");
  }
}

/// Products with inner products, and residuals, sum over several blocks of rows.
TYPED_TEST(RowBlocksTest, HaveSums) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  using Left = typename Fixture::Left;
  using User = typename Fixture::User;
  if constexpr (std::is_floating_point_v<User>) {
    const typename Fixture::Matrix A(random_pattern<typename Fixture::Offset>(50, 50, 0.2, 1));
    auto plan = Fixture::plan_of(A, with_format(Format::Csr), Fixture::fifth(A));
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
      const Left X("X", 50, 4), Y("Y", 50, 4), R("R", 50, 4);
      Kokkos::deep_copy(X, User(0.5));
      auto work = plan.prepare(Exec(), 4, mode);
      spmm(Exec(), plan, work, mode, 1, X, 0, R);
      std::vector<User> XtY(16), squares(4);
      InnerProducts<User> sums;
      sums.XtY = typename InnerProducts<User>::Matrix(XtY.data(), 4, 4);
      spmm_with_inner_products(Exec(), plan, work, mode, 1, X, 0, Y, sums);
      const auto y = to_host(Kokkos::View<User*, typename Exec::memory_space>(Y.data(), Y.size()));
      EXPECT_EQ(y, to_host(Kokkos::View<User*, typename Exec::memory_space>(R.data(), R.size())));
      User sum = 0;
      for (int i = 0; i < 50; ++i) sum += User(0.5) * y[std::size_t(i)];
      EXPECT_NEAR(XtY[0], sum, 1e-4 * std::abs(sum) + 1e-4);
      residual(Exec(), plan, work, mode, X, Y, R, host_view(squares));  // Y is the product
      for (const User square : squares) EXPECT_NEAR(square, 0, 1e-6);
    }
  }
}

/// A padded format and a limit on stored values. The limit is too small for all rows of RowBlocksTest's matrices, but
/// sufficient for each single row.
struct FewPlaces {
  PlanOptions options;
  std::size_t most = 0;
};

std::vector<FewPlaces> formats_with_few_places() {
  FewPlaces bcsr{with_format(Format::Bcsr), 1000};
  bcsr.options.parameters.bcsr_block_rows = bcsr.options.parameters.bcsr_block_columns = 8;
  return {bcsr, {with_format(Format::RowGroups), 200}, {with_format(Format::Staged), 200}};
}

template <class Fixture, class Matrix>
void expect_all_of_a_plan(const Matrix& A, typename Fixture::PlanType plan, const std::string& path) {
  using Exec = typename Fixture::Exec;
  const Matrix B(A.host, 8), C(A.host, 9);
  Fixture::expect_products(A, plan, "made");
  plan.update_values(Exec(), B.values);
  Fixture::expect_products(B, plan, "updated");
  const std::size_t held = plan.bytes();  // follow_values() adds memory, which is not saved
  for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) plan.follow_values(Exec(), C.values, mode);
  Fixture::expect_products(C, plan, "followed");
  save_plan(Exec(), plan, path);
  auto loaded = Fixture::loaded(path);
  EXPECT_EQ(loaded.bytes(), held);
  EXPECT_EQ(count_of(loaded.explain(), "block of rows "), count_of(plan.explain(), "block of rows "));
  EXPECT_EQ(to_host(Impl::row_order_of(loaded).order), to_host(Impl::row_order_of(plan).order));
  Fixture::expect_products(C, loaded, "loaded");
  loaded.update_values(Exec(), B.values);
  Fixture::expect_products(B, loaded, "loaded and updated");
  plan.release_source(Exec());
  EXPECT_EQ(plan.slot_map_bytes(), 0u);
  Fixture::expect_products(C, plan, "released");
}

TYPED_TEST(RowBlocksTest, AreCutAgainWhereTheirFormatNeedsTooManyPlaces) {
  using Fixture = TestFixture;
  const TemporaryFolder folder;
  for (const auto& A : Fixture::matrices()) {
    for (const auto& [few, most] : formats_with_few_places()) {
      for (const bool reorders : {false, true}) {
        PlanOptions options = few;
        if (reorders) options.reordering = Reordering::DegreeSort;
        options.always_reorder = reorders;
        for (const std::size_t entries : {A.host.nonzeros(), A.host.nonzeros() / 2 + 1}) {
          SCOPED_TRACE(std::string(to_string(options.format)) + (reorders ? ", reordered, " : ", ") +
                       std::to_string(entries) + " entries");
          auto plan = Fixture::plan_of(A, options, entries, most);
          EXPECT_EQ(plan.nonzeros(), A.stored.nonzeros());
          EXPECT_EQ(Impl::row_order_of(plan).is_identity(), !reorders);
          const std::string text = plan.explain();
          const std::size_t blocks = count_of(text, "block of rows ");
          EXPECT_GE(blocks, A.stored.nonzeros() / most + 1);
          EXPECT_EQ(count_of(text, "  format: " + std::string(to_string(options.format))), blocks) << text;
          EXPECT_EQ(count_of(text, "is rejected"), 0u) << text;
          expect_all_of_a_plan<Fixture>(A, plan, folder / "plan");
        }
      }
    }
  }
}

/// A limit one below the needed number of values cuts the rows in two.
TYPED_TEST(RowBlocksTest, AreAsLargeAsTheirPlacesAllow) {
  using Fixture = TestFixture;
  for (const auto& A : Fixture::matrices()) {
    const PlanOptions options = formats_with_few_places().front().options;
    const std::size_t places = 64 * Impl::tile_metrics_of(Fixture::plan_of(A, options, A.host.nonzeros())).tiles;
    const auto blocks = [&](std::size_t most) {
      return count_of(Fixture::plan_of(A, options, A.host.nonzeros(), most).explain(), "block of rows ");
    };
    EXPECT_EQ(blocks(places), 0u);
    EXPECT_EQ(blocks(places - 1), 2u);
  }
}

/// Eight rows without a common column. Each row of the transpose has one entry, which row groups pad to four values.
TYPED_TEST(RowBlocksTest, TransposesAreCutWhereTheirFormatNeedsTooManyPlaces) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  const TemporaryFolder folder;
  HostPattern<typename Fixture::Offset> pattern;
  pattern.columns = 200;
  for (int row = 0; row < 8; ++row) {
    for (int column = row; column < 192; column += 8) pattern.column_indices.push_back(column);
    pattern.end_row();
  }
  const typename Fixture::Matrix A(pattern);
  for (const std::size_t entries : {std::size_t(192), std::size_t(100)}) {  // one block of rows, then two
    auto plan = Fixture::plan_of(A, with_format(Format::RowGroups), entries, 192);
    const std::size_t blocks = count_of(plan.explain(), "block of rows ");
    EXPECT_EQ(blocks, entries < 192 ? 2u : 0u);
    plan.prepare(Exec(), 1, Mode::Transpose);
    const std::string text = plan.explain();
    EXPECT_EQ(count_of(text, "block of rows "), blocks);
    EXPECT_EQ(count_of(text, "its rows are stored in "), std::max<std::size_t>(1, blocks)) << text;
    auto small = Fixture::plan_of(A, with_format(Format::RowGroups), entries);
    small.prepare(Exec(), 1, Mode::Transpose);
    EXPECT_EQ(bits_of_product<typename Fixture::Left>(small, Mode::Transpose, 3),
              bits_of_product<typename Fixture::Left>(plan, Mode::Transpose, 3));
    expect_all_of_a_plan<Fixture>(A, plan, folder / "plan");
  }
}

TYPED_TEST(RowBlocksTest, ARowWithTooManyPlacesIsRejected) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  HostPattern<typename Fixture::Offset> pattern;
  pattern.columns = 80;
  for (const int entries : {1, 10, 2}) {  // each entry in its own block
    for (int i = 0; i < entries; ++i) pattern.column_indices.push_back(8 * i);
    pattern.end_row();
  }
  const typename Fixture::Matrix A(pattern);
  PlanOptions options = formats_with_few_places().front().options;
  EXPECT_NO_THROW(Fixture::plan_of(A, options, 13, 640));
  EXPECT_MESSAGE(
      FormatTooLarge, Fixture::plan_of(A, options, 13, 639),
      "Tessera: a plan with the format bcsr is rejected: it needs 640 values in blocks of 8 x 8; expected at "
      "most 639, or another format");
  options.on_unsupported = OnUnsupported::FallBack;
  auto plan = Fixture::plan_of(A, options, 13, 639);
  const std::string text = plan.explain();
  EXPECT_EQ(count_of(text, "  format: bcsr"), 2u) << text;
  EXPECT_NE(text.find("note: rows 1 to 1: Tessera: a plan with the format bcsr is rejected"), std::string::npos)
      << text;
  Fixture::expect_products(A, plan, "one row in compressed rows");
  plan.prepare(Exec(), 1, Mode::Transpose);
}

/// The format of all rows is freed before the formats of its parts are built.
TYPED_TEST(RowBlocksTest, KeepTheMemoryLimitWhenTheyAreCutAgain) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  struct InParts {
    const typename Fixture::Matrix& A;
    std::size_t most;
    auto plan(const PlanOptions& options) const { return Fixture::plan_of(A, options, A.host.nonzeros(), most); }
  };
  for (const auto& A : Fixture::matrices()) {
    for (const auto& [options, most] : formats_with_few_places()) {
      const InParts parts{A, most};
      std::int64_t peak = 0;
      {
        const MemoryMeter memory;
        auto plan = parts.plan(options);
        peak = told_peak(plan);
        EXPECT_LE(memory.peak(), peak) << pieces(memory, plan);
        EXPECT_NEAR(double(plan.bytes()), double(memory.now()), double(2 * rounding));
        plan.prepare(Exec(), 0, Mode::Transpose);
        EXPECT_NEAR(double(plan.bytes()), double(memory.now()), double(4 * rounding));
      }
      EXPECT_TRUE(expect_within<Exec>(parts, options, std::size_t(2 * peak)));
      for (const double share : {0.95, 0.7, 0.4, 0.0})
        static_cast<void>(expect_within<Exec>(parts, options, std::size_t(share * double(peak))));
    }
  }
}

/// Rows are cut only between dense blocks.
TYPED_TEST(RowBlocksTest, DenseBlocksAreCutAgain) {
  using Fixture = TestFixture;
  using Exec = typename Fixture::Exec;
  using Scalar = typename Fixture::Scalar;
  constexpr int size = 2, count = 12;
  HostPattern<typename Fixture::Offset> dense, elements;  // diagonals of blocks
  dense.columns = count;
  elements.columns = size * count;
  for (int i = 0; i < count; ++i) {
    dense.column_indices.push_back(i);
    dense.end_row();
    for (int r = 0; r < size; ++r) {
      for (int c = 0; c < size; ++c) elements.column_indices.push_back(size * i + c);
      elements.end_row();
    }
  }
  const auto values = random_values<Scalar>(elements.nonzeros(), 3);
  const typename Fixture::Matrix A(elements, values);
  const DevicePattern<Exec, typename Fixture::Offset> pattern(dense);
  const auto plan_of = [&](std::size_t most) {
    return Impl::plan_of(Exec(), count, count, size, pattern.row_offsets, pattern.column_indices,
                         user_values<Exec>(values), formats_with_few_places().front().options, elements.nonzeros(),
                         most);
  };
  auto plan = plan_of(64);
  EXPECT_EQ(count_of(plan.explain(), "block of rows "), 3u) << plan.explain();
  Fixture::expect_products(A, plan, "dense blocks");
  EXPECT_MESSAGE(FormatTooLarge, plan_of(63), "it needs 64 values in blocks of 8 x 8; expected at most 63");
}

/// 2^19 entries in blocks of 2^12 values exceed every plan's limit of 2^31. Each of the two rows is then too large for
/// the memory of BCSR.
TYPED_TEST(RowBlocksTest, AreCutAgainAtMoreThan31Bits) {
  using Fixture = TestFixture;
  HostPattern<typename Fixture::Offset> pattern;
  pattern.columns = 1 << 25;
  for (int j = 0; j < pattern.columns; j += 64) {
    if (j == pattern.columns / 2) pattern.end_row();
    pattern.column_indices.push_back(j);
  }
  pattern.end_row();
  const typename Fixture::Matrix A(pattern);
  PlanOptions options = with_format(Format::Bcsr);
  options.parameters.bcsr_block_rows = options.parameters.bcsr_block_columns = 64;
  options.on_unsupported = OnUnsupported::FallBack;
  options.memory_limit = std::size_t(1) << 30;
  auto plan = Fixture::plan_of(A, options, Impl::most_entries_of_block);
  const std::string text = plan.explain();
  EXPECT_EQ(count_of(text, "block of rows "), 2u) << text;
  for (const char* row : {"0 to 0", "1 to 1"}) {
    const std::string note =
        std::string("note: rows ") + row + ": Tessera: a plan with the format bcsr is rejected: the ";
    EXPECT_NE(text.find(note + "array Tessera::slots takes "), std::string::npos) << text;
  }
}

}  // namespace Tessera::Impl::Test
