// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <tessera/PlanFile.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "PlanCheck.hpp"
#include "PlanFileBytes.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class Exec>
using PlanFileCasesOf = ::testing::Types<Case<Exec, float, float, std::size_t>, Case<Exec, double, double, int>,
                                         Case<Exec, Complex<float>, Complex<float>, std::size_t>,
                                         Case<Exec, Complex<double>, Complex<double>, int>>;

template <class T>
class PlanFileTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using User = user_scalar_t<typename T::MatrixScalar>;
  using PlanType = Plan<User, Exec>;
  using Matrix = UserMatrix<Exec, typename T::MatrixScalar, typename T::Offset>;

  PlanType saved_and_loaded(const PlanType& plan) const {
    const std::string path = folder_ / "plan";
    save_plan(Exec(), plan, path);
    return load_plan<User>(Exec(), path);
  }

  /// Returns Y = alpha op(A) X + beta Y. The operands depend only on the shape.
  std::vector<User> product(PlanType plan, Mode mode, int columns) const {
    using V = typename T::MatrixScalar;
    using View = Kokkos::View<User*, typename Exec::memory_space>;
    const int rows = is_transposed(mode) ? plan.columns() : plan.rows();
    const int x_rows = is_transposed(mode) ? plan.rows() : plan.columns();
    const View x = user_values<Exec>(random_values<V>(static_cast<std::size_t>(x_rows) * columns, 1));
    const View y = user_values<Exec>(random_values<V>(static_cast<std::size_t>(rows) * columns, 2));
    using Dense = Kokkos::View<User**, Kokkos::LayoutLeft, typename Exec::memory_space>;
    auto work = plan.prepare(Exec(), columns, mode);
    spmm(Exec(), plan, work, mode, User(1.5), Dense(x.data(), x_rows, columns), User(-0.5),
         Dense(y.data(), rows, columns));
    Exec().fence();
    return to_host(y);
  }

  /// Expects bitwise equal products in every mode.
  void expect_same_products(const PlanType& plan, const PlanType& loaded, int columns = 9) const {
    for (const Mode mode : every_mode) {
      const auto expected = product(plan, mode, columns), found = product(loaded, mode, columns);
      ASSERT_EQ(found.size(), expected.size());
      EXPECT_TRUE(expected.empty() || std::memcmp(found.data(), expected.data(), expected.size() * sizeof(User)) == 0)
          << to_string(mode);
    }
  }

  const TemporaryFolder folder_;
};
TYPED_TEST_SUITE(PlanFileTest, EverySpace<PlanFileCasesOf>::type);

/// Returns explain() without the lines about loading and growth, which are said of only one of the two plans, and
/// without peaks of memory, because loading may need more.
template <class PlanType>
std::string explanation(const PlanType& plan) {
  std::string text = plan.explain();
  for (const char* said : {"  loaded from a file: chosen, and times predicted, on ", "  growth: "}) {
    const std::size_t line = text.find(said);
    if (line != std::string::npos) text.erase(line, text.find('\n', line) + 1 - line);
  }
  return std::regex_replace(text, std::regex(R"(peak [0-9.]+ MB|\([0-9.]+ MB\))"), "a peak");
}

template <class PlanType>
void expect_same_plan(const PlanType& plan, const PlanType& loaded) {
  EXPECT_EQ(loaded.rows(), plan.rows());
  EXPECT_EQ(loaded.columns(), plan.columns());
  EXPECT_EQ(loaded.nonzeros(), plan.nonzeros());
  EXPECT_EQ(loaded.format(), plan.format());
  EXPECT_EQ(Impl::choice_of(loaded).reordering, Impl::choice_of(plan).reordering);
  EXPECT_EQ(to_host(Impl::row_order_of(loaded).order), to_host(Impl::row_order_of(plan).order));
  EXPECT_EQ(explanation(loaded), explanation(plan));
  EXPECT_EQ(loaded.bytes(), plan.bytes());
  EXPECT_EQ(Impl::tile_metrics_of(loaded).tiles, Impl::tile_metrics_of(plan).tiles);
  EXPECT_EQ(Impl::tile_metrics_of(loaded).fill, Impl::tile_metrics_of(plan).fill);
  EXPECT_EQ(Impl::tile_metrics_of(loaded).imbalance.has_value(), Impl::tile_metrics_of(plan).imbalance.has_value());
}

PlanOptions reordered(Format format) {
  PlanOptions options;
  options.format = format;
  options.reordering = format == Format::Bcsr ? Reordering::DataAffinity : Reordering::DegreeSort;
  options.always_reorder = true;
  return options;
}

TYPED_TEST(PlanFileTest, IsLoadedAsItWasSaved) {
  const typename TestFixture::Matrix A(random_pattern<typename TypeParam::Offset>(45, 45, 0.15, 1, 7));
  for (const Format format : every_format) {
    for (const bool is_reordered : {false, true}) {
      SCOPED_TRACE(std::string(to_string(format)) + (is_reordered ? ", reordered" : ""));
      auto plan = A.plan(is_reordered ? reordered(format) : with_format(format));
      const auto loaded = this->saved_and_loaded(plan);
      EXPECT_NE(loaded.explain().find("loaded from a file"), std::string::npos);
      EXPECT_EQ(Impl::row_order_of(plan).is_identity(), !is_reordered || format == Format::SortedColumns);
      expect_same_plan(plan, loaded);
      this->expect_same_products(plan, loaded);  // builds the transposes
      const auto with_transpose = this->saved_and_loaded(loaded);
      EXPECT_EQ(with_transpose.bytes(), plan.bytes());
      expect_same_plan(plan, with_transpose);
      this->expect_same_products(plan, with_transpose);
    }
  }
}

/// A column alone has the same bits before and after, in rows whose lengths differ: on a GPU these have two kernels.
TYPED_TEST(PlanFileTest, KeepsTheOrderOfAColumn) {
  auto pattern = random_pattern<typename TypeParam::Offset>(90, 300, 0.05, 1, 7);
  for (int j = 0; j < 300; ++j) pattern.column_indices.push_back(j);
  pattern.end_row();
  const typename TestFixture::Matrix A(pattern);
  for (const bool same_bits_alone : {false, true}) {
    PlanOptions options = with_format(Format::Csr);
    options.same_bits_alone = same_bits_alone;
    auto plan = A.plan(options);
    this->expect_same_products(plan, this->saved_and_loaded(plan), 1);
  }
}

TYPED_TEST(PlanFileTest, TakesNewValuesAsTheSavedPlanDid) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto pattern = unsorted_pattern<typename TypeParam::Offset>(33, 41, 7, 2);
  const typename TestFixture::Matrix A(pattern, 3), B(pattern, 4);
  for (const Format format : every_format) {
    for (const bool has_transpose : {false, true}) {
      SCOPED_TRACE(to_string(format));
      auto plan = A.plan(reordered(format));
      if (has_transpose) plan.prepare(Exec(), 1, Mode::Transpose);
      auto loaded = this->saved_and_loaded(plan);
      expect_same_plan(plan, loaded);
      plan.update_values(Exec(), B.values);
      loaded.update_values(Exec(), B.values);
      this->expect_same_products(plan, loaded);
      const auto few = Kokkos::subview(B.values, std::pair<std::size_t, std::size_t>(0, 3));
      EXPECT_MESSAGE(std::invalid_argument, loaded.update_values(Exec(), few), "there are 3 values; expected those of");
    }
  }
}

TYPED_TEST(PlanFileTest, StaysReleased) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(unsorted_pattern<typename TypeParam::Offset>(20, 30, 5, 5));
  for (const Format format : every_format) {
    SCOPED_TRACE(to_string(format));
    auto plan = A.plan(with_format(format));
    plan.prepare(Exec(), 1, Mode::Transpose);
    plan.release_source(Exec());
    auto loaded = this->saved_and_loaded(plan);
    EXPECT_EQ(loaded.slot_map_bytes(), 0u);
    EXPECT_MESSAGE(std::logic_error, loaded.update_values(Exec(), A.values), "release_source() was called before");
    this->expect_same_products(plan, loaded);
  }
}

TYPED_TEST(PlanFileTest, EmptyMatrices) {
  using Offset = typename TypeParam::Offset;
  for (const auto& [rows, columns] : {std::pair(0, 0), std::pair(0, 5), std::pair(5, 0), std::pair(20, 20)}) {
    const typename TestFixture::Matrix A(random_pattern<Offset>(rows, columns, 0, 1));
    for (const Format format : every_format) {
      SCOPED_TRACE(std::string(to_string(format)) + ", " + std::to_string(rows) + " x " + std::to_string(columns));
      auto plan = A.plan(with_format(format));
      const auto loaded = this->saved_and_loaded(plan);
      expect_same_plan(plan, loaded);
      this->expect_same_products(plan, loaded);
    }
  }
}

using Space = Kokkos::DefaultExecutionSpace;
using SmallPlan = Plan<double, Space>;

SmallPlan parse(std::string_view bytes) { return Impl::parse_plan<double>(Space(), bytes, "plan"); }

UserMatrix<Space, double, int> small_matrix() {
  return UserMatrix<Space, double, int>(unsorted_pattern<int>(9, 9, 3, 6));
}

/// A plan with every part that a plan may have: an order, slot maps with duplicates, a transpose.
SmallPlan small_plan(Format format) {
  PlanOptions options = reordered(format);
  options.parameters.bcsr_block_rows = 2;
  options.parameters.bcsr_block_columns = 1;
  options.parameters.brp_nonzeros_per_column = 2;
  options.parameters.brp_tiles_per_group = 1;
  options.parameters.sorted_columns_width = 4;
  options.parameters.sorted_columns_height = 2;
  options.parameters.staged_chunk_values = 6;
  options.parameters.staged_piece_chunks = 2;
  options.parameters.group_rows = 3;
  auto plan = small_matrix().plan(options);
  plan.prepare(Space(), 1, Mode::Transpose);
  return plan;
}

std::string file_of(Format format) {
  const TemporaryFolder folder;
  save_plan(Space(), small_plan(format), folder / "plan");
  return content_of(folder / "plan");
}

/// Multiplies in two modes and updates values. None of this may access memory outside the arrays of a loaded plan.
void use(SmallPlan plan, std::size_t source_entries) {
  if (std::max(plan.rows(), plan.columns()) > 100) return;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  const View x("x", plan.columns(), 3), y("y", plan.rows(), 3);
  auto work = plan.prepare(Space(), 3, Mode::NoTranspose);
  spmm(Space(), plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
  if (plan.slot_map_bytes() > 0 && source_entries < 1000)
    plan.update_values(Space(), Kokkos::View<double*, Space>("values", source_entries));
  auto transposed_work = plan.prepare(Space(), 3, Mode::Transpose);
  spmm(Space(), plan, transposed_work, Mode::Transpose, 1.0, y, 0.0, x);
  Space().fence();
}

TEST(PlanFileBytesTest, EveryByteCounts) {
  for (const Format format : every_format) {
    const std::string file = file_of(format);
    EXPECT_NO_THROW(parse(file));
#ifdef __SANITIZE_ADDRESS__
    constexpr std::size_t step = 7;  // all bytes take a minute
#else
    constexpr std::size_t step = 1;
#endif
    for (std::size_t i = 0; i < file.size(); i += step) {
      for (const int bits : {1 << (i % 8), 255}) {
        std::string damaged = file;
        damaged[i] = static_cast<char>(damaged[i] ^ bits);
        ASSERT_THROW(parse(damaged), std::runtime_error) << to_string(format) << ", byte " << i;
      }
    }
  }
}

TEST(PlanFileBytesTest, EveryTruncationIsRejected) {
  for (const Format format : every_format) {
    const std::string file = file_of(format);
    for (std::size_t size = 0; size < file.size(); ++size)
      ASSERT_THROW(parse(std::string_view(file).substr(0, size)), std::runtime_error) << to_string(format) << size;
    EXPECT_MESSAGE(std::runtime_error, parse(file + '\0'), "plan: there is something else after the end");
  }
}

/// Damaged files with matching checksums are rejected, or give a plan that multiplies safely.
TEST(PlanFileBytesTest, WhateverIsLoadedMultiplies) {
  int rejected = 0, loaded = 0;
  for (const Format format : every_format) {
    const std::string file = file_of(format);
    for (std::size_t i = 16; i < file.size(); i += 31) {  // the fuzzer changes all bytes
      std::string other = file;
      other[i] = static_cast<char>(other[i] ^ 1 << (i % 8));
      try {
        other = with_right_checksums(other);
        use(parse(other), source_entries(other));
        ++loaded;
      } catch (const std::runtime_error&) {
        ++rejected;
      } catch (const std::invalid_argument&) {
        ++rejected;
      }
    }
  }
  EXPECT_GT(rejected, 50);
  EXPECT_GT(loaded, 50);  // e.g. changed values, and texts of explain()
}

TEST(PlanFileBytesTest, SaysWhatIsWrongWithTheFile) {
  using std::runtime_error;
  const std::string file = file_of(Format::Csr);
  EXPECT_MESSAGE(runtime_error, parse(""), "plan: expected the file of a plan, which begins with the bytes TESSPLAN");
  EXPECT_MESSAGE(runtime_error, parse("%%MatrixMarket matrix"), "begins with the bytes TESSPLAN");
  EXPECT_MESSAGE(runtime_error, parse(file.substr(0, 12)), "ends within its header");
  EXPECT_MESSAGE(runtime_error, parse(file.substr(0, 30)), "ends within section 1: the file is truncated");
  std::string other = file;
  other[12] = 1;
  EXPECT_MESSAGE(runtime_error, parse(other), "has version 1 of the file of a plan; expected version 9");
  other = file;
  std::reverse(other.begin() + 8, other.begin() + 12);
  EXPECT_MESSAGE(runtime_error, parse(other), "was written with another byte order");
  const PlaceInFile values = find_section(file, "values");
  other = file;
  other[values.content] = static_cast<char>(other[values.content] ^ 1);
  EXPECT_MESSAGE(runtime_error, parse(other), "is not that of the bytes before it: the file is damaged");
  other = file;
  other[values.header + 38] = 1;  // adds 2^48 to the count
  EXPECT_MESSAGE(runtime_error, parse(other), "bytes are left: the file is truncated or damaged");
}

/// A valid section of another file is rejected.
TEST(PlanFileBytesTest, SectionsCannotBeMixed) {
  std::string file = file_of(Format::Csr), other = file_of(Format::Csr);
  const PlaceInFile values = find_section(file, "values");
  for (std::size_t i = 0; i < values.bytes; ++i) other[values.content + i] = 0;
  other = with_right_checksums(other);
  EXPECT_NO_THROW(parse(other));
  file.replace(values.header, values.bytes + 44, other, values.header, values.bytes + 44);
  EXPECT_MESSAGE(std::runtime_error, parse(file), "the file is damaged");
}

TEST(PlanFileBytesTest, RejectsOtherTypes) {
  using std::invalid_argument;
  const std::string file = file_of(Format::BitTcf);
#ifndef TESSERA_WITHOUT_FLOAT
  EXPECT_MESSAGE(invalid_argument, (Impl::parse_plan<float>(Space(), file, "a")),
                 "a: the plan is of numbers of 8 bytes; expected numbers of 4 bytes, which the type of the plan");
#endif
#ifndef TESSERA_WITHOUT_COMPLEX_DOUBLE
  EXPECT_MESSAGE(invalid_argument, (Impl::parse_plan<Kokkos::complex<double>>(Space(), file, "a")),
                 "expected complex numbers of two times 8 bytes");
#endif
  EXPECT_NO_THROW((Impl::parse_plan<double>(Space(), file, "a")));
  EXPECT_NO_THROW((Impl::parse_plan<double>(Space(), file, "a")));
}

/// Returns the file with another number in section "plan". `which` counts from the number after the backend's name:
/// rows, columns, nonzeros, source entries, has slot maps, has transpose, then the options.
std::string with_plan_number(std::string file, std::size_t which, std::int64_t number) {
  const std::size_t name_length = std::string(Space::name()).size();
  std::memcpy(file.data() + find_section(file, "plan").content + 8 + name_length + 8 * which, &number, 8);
  return with_right_checksums(std::move(file));
}

/// Files with matching checksums and wrong content.
TEST(PlanFileBytesTest, ChecksTheContent) {
  const auto expect_rejection = [](const std::string& file, const std::string& message) {
    EXPECT_MESSAGE(std::runtime_error, parse(file), "plan: " + message);
  };
  const std::string csr = file_of(Format::Csr);
  expect_rejection(with_number(csr, "row_offsets", 1, 1000), "CSR: row 0: row_offsets does not ascend");
  expect_rejection(with_number(csr, "row_offsets", 2, -1), "CSR: row 1: row_offsets does not ascend");
  expect_rejection(with_number(csr, "column_indices", 0, 9), "CSR: row 0: column_indices holds a column outside");
  expect_rejection(with_number(csr, "column_indices", 0, -1), "CSR: row 0: column_indices holds a column outside");
  expect_rejection(with_number(csr, "slots", 0, 1000), "value map: slot 0: is not the number of a source");
  expect_rejection(with_number(csr, "slots", 0, -1), "value map: slot 0: is not the number of a source");
  expect_rejection(with_number(csr, "runs", 1, 0), "value map: target 0: has no slot");
  expect_rejection(with_number(csr, "runs", 1, 1000), "value map: target 0: runs does not ascend");
  expect_rejection(with_number(csr, "order of rows", 3, 9), "order of rows: place 3 holds 9");
  expect_rejection(with_number(csr, "orders", 0, std::int64_t(7)), "the section \"orders\" holds a number that is out");
  expect_rejection(with_number(csr, "choice", 0, std::int64_t(0)), "the section \"choice\" chooses no format");
  expect_rejection(with_number(csr, "choice", 0, std::int64_t(1) << 20),
                   "the section \"choice\" holds a number that is out");
  expect_rejection(with_number(csr, "choice", 1, std::int64_t(1) << 60), "the section \"choice\" is shorter than its");
  expect_rejection(with_number(csr, "choice", 0, std::int64_t(2)), "expected section 6 to be \"window_offsets\"");
  const std::string staged = file_of(Format::Staged);
  expect_rejection(with_number(staged, "shape", 0, std::int64_t(96)),
                   "staged windows: window_rows of staged windows is");
  expect_rejection(with_number(staged, "shape", 2, std::int64_t(0)),
                   "staged windows: piece_chunks of staged windows is");
  expect_rejection(with_number(staged, "counts", 6, std::int64_t(16)), "staged windows: the counts are not those");
  expect_rejection(with_number(staged, "chunks", 1, 1), "staged windows: chunks does not begin at 0");
  expect_rejection(with_number(staged, "chunk_columns", 0, 100), "staged windows: window 0: chunk_columns does not");
  const std::string groups = file_of(Format::RowGroups);
  expect_rejection(with_number(groups, "stored", 0, std::int64_t(1000)), "row groups: group ");
  expect_rejection(with_number(groups, "first_rows", 1, 0),
                   "row groups: group 0: first_rows does not make groups of 1");
  expect_rejection(with_number(groups, "chunk_groups", 1, 1), "row groups: chunk 0: chunk_groups does not ascend");
  expect_rejection(with_number(groups, "group_columns", 0, 100), "row groups: group 0: group_columns holds a column");
  expect_rejection(with_number(groups, "column_offsets", 1, 1000),
                   "row groups: group 0: column_offsets does not ascend");
  const auto with_size = [&](std::size_t which, std::int64_t number) { return with_plan_number(csr, which, number); };
  expect_rejection(with_size(0, -1), "the plan has a negative number of rows");
  expect_rejection(with_size(0, 10), "CSR: row_offsets does not have rows + 1 elements");
  expect_rejection(with_size(0, std::int64_t(1) << 31), "the section \"plan\" holds a number that is out of range");
  expect_rejection(with_size(2, std::int64_t(1) << 31), "the plan has more nonzeros than its offsets can count");
  expect_rejection(with_size(3, 5), "value map: slot ");  // the caller's entries
  expect_rejection(with_size(4, 0), "there is a slot map, although the plan has released its source");
  std::string shorter = csr;
  const PlaceInFile values = find_section(csr, "values");
  shorter.erase(values.content, 8);
  --shorter[values.header + 32];
  expect_rejection(with_right_checksums(shorter), "there are ");
  std::string longer = csr;
  const PlaceInFile end = find_section(csr, "end");
  longer.insert(end.header, csr, values.header, values.bytes + 44);
  expect_rejection(with_right_checksums(longer), "expected ");
  std::string renamed = csr;
  renamed[values.header] = 'V';
  expect_rejection(with_right_checksums(renamed), "expected section 13 to be \"values\" with items of 8 bytes");
}

/// Returns the file with other bytes at some place of a section.
std::string with_bytes(std::string file, const char* section, std::size_t first, std::size_t count,
                       const std::string& bytes) {
  const PlaceInFile place = find_section(file, section);
  const std::uint64_t items = place.bytes - count + bytes.size();
  file.replace(place.content + first, count, bytes);
  std::memcpy(file.data() + place.header + 32, &items, 8);
  return with_right_checksums(std::move(file));
}

std::string bytes_of(std::uint64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

/// A list needs more memory than its bytes in the file, so nothing is allocated for lists that are too long.
TEST(PlanFileBytesTest, LongListsAreRejected) {
  const std::string file = file_of(Format::Csr);
  constexpr std::size_t candidates = 8;  // behind the format
  const std::string many = bytes_of(1001) + std::string(64 * 1001, '\0');
  EXPECT_MESSAGE(std::runtime_error, parse(with_bytes(file, "choice", candidates, 8, many)),
                 "plan: the section \"choice\" has a list of 1001 items; expected at most 1000");
  const std::string claimed = bytes_of(1000000) + std::string(8000000, '\0');
  EXPECT_MESSAGE(std::runtime_error, parse(with_bytes(file, "choice", candidates, 8, claimed)),
                 "a list of 1000000 items");
}

/// Returns the file with one text replaced by another.
std::string with_text(const std::string& file, const char* section, const std::string& before,
                      const std::string& after) {
  const PlaceInFile place = find_section(file, section);
  const std::string field = bytes_of(before.size()) + before;
  const std::size_t first = std::string_view(file).substr(place.content, place.bytes).find(field);
  if (first == std::string_view::npos) throw std::logic_error("the section has no text " + before);
  return with_bytes(file, section, first, field.size(), bytes_of(after.size()) + after);
}

/// explain() and stats() never print escape sequences for a terminal, or text that JSON cannot hold.
TEST(PlanFileBytesTest, RejectsTextsThatAreNotPrintable) {
  const std::string file = file_of(Format::Csr), reason = Impl::choice_of(parse(file)).reason;
  for (const std::string text : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(Impl::choice_of(parse(with_text(file, "choice", reason, text))).reason, text);
  }
  const auto expect_rejection = [](const std::string& other) {
    EXPECT_MESSAGE(std::runtime_error, parse(other), "plan: the plan has a text that is not printable UTF-8");
  };
  for (const std::string text :
       {"\33[31m", "two\nlines", "\t", "\x7f", "\xc2\x9b", "\x80", "\xbf\x80", "\xff", "\xc3", "\xc0\xaf",
        "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x82", "\xe2\x82x"}) {
    expect_rejection(with_text(file, "choice", reason, text));
  }
  expect_rejection(with_text(file, "choice", Impl::choice_of(parse(file)).model, "\33c"));
  expect_rejection(with_text(file, "choice", Impl::choice_of(parse(file)).device, "\33c"));
  expect_rejection(with_text(file, "plan", Space::name(), "\33c"));
}

TEST(PlanFileBytesTest, RejectsNotesThatAreNotPrintable) {
  PlanOptions options;
  options.precision = Precision::Tf32;  // which no device has for double
  options.on_unsupported = OnUnsupported::FallBack;
  const TemporaryFolder folder;
  save_plan(Space(), small_matrix().plan(options), folder / "plan");
  const std::string file = content_of(folder / "plan");
  const std::string note = "precision tf32 was asked for and is not available here: native is used";
  EXPECT_NE(parse(with_text(file, "plan", note, "another")).explain().find("note: another\n"), std::string::npos);
  EXPECT_MESSAGE(std::runtime_error, parse(with_text(file, "plan", note, "\33c")), "that is not printable UTF-8");
}

TEST(PlanFileBytesTest, APrecisionThatIsNotThere) {
  constexpr std::size_t precision = 19, on_unsupported = 21;
  const std::string file =
      with_plan_number(file_of(Format::BitTcf), precision, static_cast<std::int64_t>(Precision::Tf32));
  EXPECT_MESSAGE(std::invalid_argument, parse(file), "plan: precision tf32 is not available");
  const auto plan = parse(with_plan_number(file, on_unsupported, static_cast<std::int64_t>(OnUnsupported::FallBack)));
  EXPECT_NE(plan.explain().find("note: precision tf32 was asked for"), std::string::npos) << plan.explain();
}

/// CSR has no published kernel on any device.
TEST(PlanFileBytesTest, AKernelThatIsNotThere) {
  constexpr std::size_t kernel = 20, on_unsupported = 21;
  const auto published = static_cast<std::int64_t>(Kernel::Published);
  const std::string file = with_plan_number(file_of(Format::Csr), kernel, published);
  EXPECT_MESSAGE(std::invalid_argument, parse(file), "plan: a published kernel was asked for, and ");
  const auto plan = parse(with_plan_number(file, on_unsupported, static_cast<std::int64_t>(OnUnsupported::FallBack)));
  EXPECT_NE(plan.explain().find("note: a published kernel was asked for"), std::string::npos) << plan.explain();
  EXPECT_MESSAGE(std::runtime_error, parse(with_plan_number(file, kernel, published + 1)), "out of range");
}

/// CSR has no column order, and sorted columns have only their own.
TEST(PlanFileBytesTest, ChecksThatTheFormatCanHaveTheOrders) {
  const std::string csr = file_of(Format::Csr), sorted = file_of(Format::SortedColumns);
  const PlaceInFile rows = find_section(csr, "order of rows");
  const auto with_order = [&](std::string file, const char* section) {
    const PlaceInFile place = find_section(file, section);
    file.insert(place.content, csr, rows.content, rows.bytes);
    file.replace(place.header + 24, 16, csr, rows.header + 24, 16);  // count, and bytes
    return with_right_checksums(file);
  };
  EXPECT_MESSAGE(std::runtime_error, parse(with_order(csr, "order of columns")), "that the format cannot have");
  EXPECT_MESSAGE(std::runtime_error, parse(with_order(sorted, "order of rows")), "that the format cannot have");
}

/// The path of a file of small_plan(). It was written on Kokkos::Serial when this version of the file was introduced.
std::string stored_file(Format format) {
  return std::string(TESSERA_PLAN_FILES) + "/" + std::string(to_string(format)) + ".bin";
}

TEST(PlanFileVersionTest, StoredFilesAreLoadedOnAnyBackend) {
  if (!std::filesystem::exists(TESSERA_PLAN_FILES)) GTEST_SKIP() << "the sources are not on this machine";
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  for (const Format format : every_format) {
    SCOPED_TRACE(to_string(format));
    auto plan = load_plan<double>(Space(), stored_file(format));
    EXPECT_EQ(plan.format(), format);
    EXPECT_NE(plan.explain().find("chosen, and times predicted, on Serial"), std::string::npos);
    for (const Candidate& candidate : Impl::choice_of(plan).candidates) {
      EXPECT_GT(candidate.predicted_seconds, 0);
      EXPECT_EQ(candidate.measured_seconds, 0);
    }
    EXPECT_EQ(to_host(Impl::row_order_of(plan).order), to_host(Impl::row_order_of(small_plan(format)).order));
    const auto A = small_matrix();
    expect_product<View>(A, plan, 5, Mode::NoTranspose, 1.5, 0, "loaded");
    expect_product<View>(A, plan, 5, Mode::Transpose, 1.5, 0, "loaded");
    const UserMatrix<Space, double, int> B(A.host, 8);
    plan.update_values(Space(), B.values);
    expect_product<View>(B, plan, 5, Mode::NoTranspose, 1.5, 0, "updated");
  }
}

/// Writes the files of a new version: run with --gtest_also_run_disabled_tests, where Kokkos has only Serial.
TEST(PlanFileVersionTest, DISABLED_StoreFiles) {
  for (const Format format : every_format) save_plan(Space(), small_plan(format), stored_file(format));
}

TEST(PlanFileErrorsTest, PlacesThatCannotBeReadOrWritten) {
  using std::runtime_error;
  const TemporaryFolder folder;
  const UserMatrix<Space, double, int> A(random_pattern<int>(5, 5, 0.5, 1));
  const auto plan = A.plan({});
  const auto load = [](const std::string& path) { load_plan<double>(Space(), path); };
  EXPECT_MESSAGE(runtime_error, load(folder / "none"), (folder / "none") + ": cannot be opened: No such file");
  EXPECT_MESSAGE(runtime_error, load(folder / ""), (folder / "") + ": is a directory, expected a file");
  EXPECT_MESSAGE(runtime_error, save_plan(Space(), plan, folder / ""),
                 (folder / "") + ": cannot be written: is a directory");
  EXPECT_MESSAGE(runtime_error, save_plan(Space(), plan, folder / "no/plan"),
                 (folder / "no/plan") + ": cannot be written: No");
  EXPECT_MESSAGE(std::logic_error, save_plan(Space(), SmallPlan(), folder / "plan"), "this plan is empty");
  EXPECT_EQ(folder.files(), 0u);
  folder.add("plan", "no plan");
  EXPECT_MESSAGE(runtime_error, load(folder / "plan"), (folder / "plan") + ": expected the file of a plan");
  folder.add("plan.gz", gzip(file_of(Format::Csr)));
  EXPECT_MESSAGE(runtime_error, load(folder / "plan.gz"), (folder / "plan.gz") + ": expected the file of a plan");
}

TEST(PlanFileErrorsTest, FullDevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const UserMatrix<Space, double, int> A(random_pattern<int>(5, 5, 0.5, 1));
  EXPECT_MESSAGE(std::runtime_error, save_plan(Space(), A.plan({}), "/dev/full"),
                 "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(PlanFileErrorsTest, AFailureLeavesTheOldFileAndNoTemporary) {
  const TemporaryFolder folder;
  const std::string path = folder.add("plan", "old");
  const UserMatrix<Space, double, int> A(random_pattern<int>(50, 50, 0.5, 1));
  const auto plan = A.plan({});
  // Limits the size of files that this process writes, so writing fails midway.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string message = message_of<std::runtime_error>([&] { save_plan(Space(), plan, path); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, path + ": cannot be written: File too large");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1u);
  save_plan(Space(), plan, path);
  EXPECT_NO_THROW((load_plan<double>(Space(), path)));
}

}  // namespace Tessera::Impl::Test
