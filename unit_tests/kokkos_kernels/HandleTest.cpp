// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that SpmvHandle keeps between products, and the calls that it rejects.
#include <sys/mman.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "GrowingPlans.hpp"
#include "HandleCheck.hpp"
#include "ValueChecks.hpp"

namespace Tessera::Impl::Test {

namespace {

using Case = CrsCase<double>;
using Handle = HandleFor<Case, Vectors<double>>;

Case small(std::uint64_t seed = 1) { return Case(random_pattern<int>(31, 22, 0.2, 1), seed); }

/// Checks a product of A's matrix against `elements`.
template <class HandleType, class Matrix, class Elements>
void expect_product_of(const Elements& elements, HandleType& handle, const Matrix& A, int columns = 3,
                       Mode mode = Mode::NoTranspose, double beta = 0) {
  expect_spmv_with<Vectors<double>>(handle, elements, A, mode, columns, 2, beta);
}

/// Checks products in every mode.
template <class HandleType, class Matrix, class Elements>
void expect_products_of(const Elements& elements, HandleType& handle, const Matrix& A, int columns = 3,
                        double beta = 0) {
  for (const Mode mode : every_mode) expect_product_of(elements, handle, A, columns, mode, beta);
}

/// Returns the exception's message; fails unless its type is exactly Error.
template <class Error, class Call>
std::string exact_message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return typeid(error) == typeid(Error) ? error.what() : std::string("an error of another type: ") + error.what();
  }
  return "no error";
}

#define EXPECT_EXACT_MESSAGE(Error, call, text)                                                            \
  do {                                                                                                     \
    const std::string said = exact_message_of<Error>([&] { call; });                                       \
    EXPECT_NE(said.find(text), std::string::npos) << "expected \"" << text << "\", got \"" << said << '"'; \
  } while (false)

/// Multiplies A by vectors without checking the result.
void multiply(Handle& handle, const Case& A, const char mode[] = "N") {
  const Vectors<double> x("x", A.elements.host.columns, 3), y("y", A.elements.host.rows, 3);
  KokkosSparse::spmv(Exec(), &handle, mode, 1.0, A.matrix, x, 0.0, y);
}

}  // namespace

static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);

/// The next product sees values that changed in place, in every mode, even if the transpose was made before.
TEST(HandleTest, ValuesChangedInPlace) {
  const Case A = small(), before = small(), after = small(2);
  Handle handle;
  expect_products_of(before.elements, handle, A.matrix);
  Kokkos::deep_copy(A.matrix.values, after.matrix.values);
  expect_products_of(after.elements, handle, A.matrix);
  Kokkos::deep_copy(A.matrix.values, before.matrix.values);
  expect_products_of(before.elements, handle, A.matrix);
}

/// The plan of a handle replaces its rows when that has paid, and then still takes new values.
TEST(HandleTest, PlansGrow) {
  const FastTiles tiles;
  const Case A(dense_blocks(40), 1), after(dense_blocks(40), 2);
  Handle handle;
  handle.values_changed();  // a handle that follows values would have to look for changes
  expect_products_of(A.elements, handle, A.matrix);
  EXPECT_EQ(handle.plan().format(), Format::Csr);
  for (int product = 0; product < 1000 && handle.plan().format() == Format::Csr; ++product) multiply(handle, A);
  EXPECT_NE(handle.plan().format(), Format::Csr) << handle.plan().explain();
  expect_products_of(A.elements, handle, A.matrix);
  Kokkos::deep_copy(A.matrix.values, after.matrix.values);
  handle.values_changed();
  expect_products_of(after.elements, handle, A.matrix);
}

/// After the first values_changed(), a handle sees changes only with further calls.
TEST(HandleTest, ValuesThatTheHandleIsToldOf) {
  const ValueChecks none(false);
  const Case A = small(), before = small(), after = small(2);
  Handle handle;
  handle.values_changed();
  expect_products_of(before.elements, handle, A.matrix);
  Kokkos::deep_copy(A.matrix.values, after.matrix.values);
  expect_products_of(before.elements, handle, A.matrix);
  handle.values_changed();
  expect_products_of(after.elements, handle, A.matrix);
}

/// Debug builds detect any changed value, and values that swapped places.
TEST(HandleTest, ForgottenChangesAreFound) {
  const ValueChecks checks(true);
  const Case A = small(), same = small();
  Handle handle;
  handle.values_changed();
  using Elements = decltype(A.elements);
  const auto expect_found = [&](const Elements& changed) {
    Kokkos::deep_copy(A.matrix.values, changed.values);
    for (const Mode mode : every_mode) {
      const Vectors<double> x("x", x_rows(A.elements, mode), 3), y("y", y_rows(A.elements, mode), 3);
      EXPECT_EXACT_MESSAGE(std::logic_error,
                           KokkosSparse::spmv(Exec(), &handle, letter(mode), 1.0, A.matrix, x, 1.0, y),
                           "expected a call of values_changed()");
    }
    handle.values_changed();
    expect_products_of(changed, handle, A.matrix);
  };
  expect_products_of(same.elements, handle, A.matrix);
  std::vector<double> values = same.elements.host_values;
  std::swap(values.front(), values.back());
  expect_found(Elements(same.elements.host, values));
  values[values.size() / 2] += 1e-12;
  expect_found(Elements(same.elements.host, values));
}

/// Without the check, products do not read the matrix' values.
TEST(HandleTest, ValuesAreNotCheckedByDefault) {
  const Case A = small();
  for (const bool is_wanted : {false, true}) {
    const ValueChecks checks(is_wanted);
    Handle handle;
    handle.values_changed();
    multiply(handle, A);
    const ToolEvents events;
    multiply(handle, A);
    EXPECT_EQ(events.fences("Tessera::checksum"), is_wanted ? 1u : 0u) << events.text();
  }
}

/// New values cost one pass in the next product, and no analysis.
TEST(HandleTest, ValuesAreTakenOnce) {
  const Case A = small();
  Handle handle;
  handle.values_changed();
  multiply(handle, A);
  const auto updates = [&] {
    const ToolEvents events;
    multiply(handle, A);
    EXPECT_EQ(events.analyses(), 0u) << events.text();
    return events.updates();
  };
  EXPECT_EQ(updates(), 0u);
  handle.values_changed();
  EXPECT_EQ(updates(), 1u);
  EXPECT_EQ(updates(), 0u);
}

TEST(HandleTest, ValuesAtAnotherAddress) {
  const Case A = small(), B = small(2);
  const Case::Matrix same_graph("B", A.matrix.numCols(), B.matrix.values, A.matrix.graph);
  Handle handle;
  expect_product_of(A.elements, handle, A.matrix);
  const ToolEvents events;
  expect_product_of(B.elements, handle, same_graph);
  expect_product_of(A.elements, handle, A.matrix);
  EXPECT_EQ(events.analyses(), 0u) << events.text();
}

/// The first transposed product makes the transpose from the values at their new address.
TEST(HandleTest, ValuesMoveBeforeTheFirstTransposedProduct) {
  if (!std::is_same_v<Exec::memory_space, Kokkos::HostSpace>) GTEST_SKIP() << "pages of the host";
  const Case A = small(), B = small(2);
  const std::size_t bytes = A.matrix.values.extent(0) * sizeof(double);
  void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const Case::Matrix::values_type::non_const_type there(static_cast<double*>(page), A.matrix.values.extent(0));
  Kokkos::deep_copy(there, A.matrix.values);
  Handle handle;
  expect_product_of(A.elements, handle, Case::Matrix("A", A.matrix.numCols(), there, A.matrix.graph));
  munmap(page, bytes);  // any later access ends the program
  const Case::Matrix same_graph("B", A.matrix.numCols(), B.matrix.values, A.matrix.graph);
  expect_product_of(B.elements, handle, same_graph, 3, Mode::Transpose);
}

TEST(HandleTest, ValuesChangedBeforeTheFirstProduct) {
  const Case A = small();
  Handle handle;
  handle.values_changed();
  expect_product_of(A.elements, handle, A.matrix);
}

TEST(HandleTest, AnotherMatrixIsRejected) {
  const Case A = small();
  const Case other(random_pattern<int>(10, 12, 0.4, 3)), twin = small();
  Handle handle;
  multiply(handle, A);
  const auto shape = [](const Case& B) {
    return std::to_string(B.elements.host.rows) + " x " + std::to_string(B.elements.host.columns) + " with " +
           std::to_string(B.elements.host.nonzeros()) + " entries";
  };
  EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, other), "A is another matrix (" + shape(other) + ")");
  EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, other), "first used with (" + shape(A) + ")");
  EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, other), "reset()");
  EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, twin), "or its graph has moved");
  EXPECT_EXACT_MESSAGE(std::invalid_argument, handle.prepare(Exec(), other.matrix, 3), "A is another matrix");
  expect_product_of(A.elements, handle, A.matrix);
}

/// The same arrays with more columns are another matrix.
TEST(HandleTest, AnotherShapeIsRejected) {
  const Case A = small();
  const Case::Matrix wider("A", 40, A.matrix.values, A.matrix.graph);
  Handle handle;
  multiply(handle, A);
  EXPECT_EXACT_MESSAGE(std::invalid_argument, handle.prepare(Exec(), wider, 3), "31 x 40");
}

TEST(HandleTest, Reset) {
  const Case A = small();
  const Case other(random_pattern<int>(40, 50, 0.1, 3));
  Handle handle;
  expect_products_of(A.elements, handle, A.matrix);
  handle.reset();
  EXPECT_THROW(handle.plan(), std::logic_error);
  expect_products_of(other.elements, handle, other.matrix);
  handle.reset();
  handle.reset();
  expect_product_of(A.elements, handle, A.matrix);
}

/// A prepared handle holds a reference to the graph, so no other graph gets its address. reset() releases it.
TEST(HandleTest, ResetLetsTheGraphGo) {
  const Case A = small();
  const auto& entries = A.matrix.graph.entries;
  const int before = entries.use_count();
  Handle handle;
  handle.prepare(Exec(), A.matrix, 3);
  EXPECT_GT(entries.use_count(), before);
  handle.reset();
  EXPECT_EQ(entries.use_count(), before);
}

/// A matrix that make_plan rejects leaves the handle unchanged.
TEST(HandleTest, BadMatrix) {
  HostPattern<int> bad;
  bad.columns = 22;
  bad.column_indices = {3, 22};
  while (bad.rows < 31) bad.end_row();
  const Case A = small(), broken(bad);
  Handle handle;
  EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, broken), "column 22; expected columns from 0 to 21");
  EXPECT_THROW(handle.plan(), std::logic_error);
  expect_product_of(A.elements, handle, A.matrix);
}

/// After prepare(), products in its mode with at most its number of columns allocate nothing, not even the first.
TEST(HandleTest, PreparedProductsAllocateNothing) {
  const Case A = small();
  for (const Mode mode : every_mode) {
    Handle handle;
    const auto allocations_of_a_product = [&](Mode op, int columns) {
      std::size_t allocations = 0;
      expect_spmv_with<Vectors<double>>(handle, A.elements, A.matrix, op, columns, 2, 0, [&](const ToolEvents& events) {
        EXPECT_EQ(events.analyses(), 0u) << events.text();
        EXPECT_EQ(events.executions(), 1u) << events.text();
        allocations = events.allocations();
      });
      return allocations;
    };
    handle.prepare(Exec(), A.matrix, 8, letter(mode));
    for (const int columns : {8, 5, 1}) EXPECT_EQ(allocations_of_a_product(mode, columns), 0u) << letter(mode);
    // The transpose is not prepared, so its product must allocate.
    if (!is_transposed(mode)) {
      EXPECT_GT(allocations_of_a_product(Mode::Transpose, 8), 0u);
    }
  }
}

TEST(HandleTest, PrepareTwice) {
  const Case A = small();
  Handle handle;
  handle.prepare(Exec(), A.matrix, 8);
  const ToolEvents events;
  handle.prepare(Exec(), A.matrix, 8);
  handle.prepare(Exec(), A.matrix, 2);
  EXPECT_EQ(events.allocations(), 0u) << events.text();
  EXPECT_EQ(events.analyses(), 0u) << events.text();
  EXPECT_EQ(events.executions(), 0u) << events.text();
  EXPECT_EXACT_MESSAGE(std::invalid_argument, handle.prepare(Exec(), A.matrix, -1), "num_vectors is -1");
}

TEST(HandleTest, PrepareOfEmptyMatrices) {
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 6}, {6, 0}, {9, 9}}) {
    HostPattern<int> empty;
    empty.columns = columns;
    while (empty.rows < rows) empty.end_row();
    const Case A(empty);
    for (const Mode mode : every_mode) {
      Handle handle;
      handle.prepare(Exec(), A.matrix, 3, letter(mode));
      EXPECT_EQ(handle.plan().rows(), rows);
      EXPECT_EQ(handle.plan().nonzeros(), 0u);
      expect_product_of(A.elements, handle, A.matrix, 3, mode);
      expect_product_of(A.elements, handle, A.matrix, 3, mode, 1.5);
    }
  }
  Handle handle;
  handle.prepare(Exec(), Case::Matrix(), 3);
  EXPECT_EQ(handle.plan().rows(), 0);
}

TEST(HandleTest, NoPlanBeforeTheFirstProduct) {
  const Case A = small();
  Handle handle;
  EXPECT_EXACT_MESSAGE(std::logic_error, handle.plan(), "no plan before the first product or prepare()");
  EXPECT_EXACT_MESSAGE(std::logic_error, handle.explain(), "no plan before the first product or prepare()");
  multiply(handle, A);
  EXPECT_EQ(handle.plan().rows(), 31);
  EXPECT_EQ(handle.plan().columns(), 22);
  EXPECT_EQ(handle.plan().nonzeros(), A.elements.host.nonzeros());
  EXPECT_EQ(handle.explain(), handle.plan().explain());
}

TEST(HandleTest, BadModes) {
  const Case square(random_pattern<int>(20, 20, 0.2, 1));
  Handle handle;
  for (const char* mode : {"X", "n", "", "1N"}) {
    const std::string named = std::string("the mode is \"") + mode + '"';
    EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, square, mode), named);
    EXPECT_EXACT_MESSAGE(std::invalid_argument, handle.prepare(Exec(), square.matrix, 3, mode), named);
  }
  EXPECT_THROW(handle.plan(), std::logic_error);
  multiply(handle, square, "NoTranspose");  // Kokkos Kernels reads only the first letter
}

TEST(HandleTest, Algorithms) {
  using namespace KokkosSparse;
  for (const SPMVAlgorithm native : {SPMV_NATIVE, SPMV_NATIVE_MERGE_PATH, SPMV_BSR_V41, SPMV_BSR_V42, SPMV_BSR_TC}) {
    EXPECT_EXACT_MESSAGE(std::invalid_argument, Handle handle(native), get_spmv_algorithm_name(native));
  }
  const Case A = small();
  for (const SPMVAlgorithm algorithm : {SPMV_DEFAULT, SPMV_FAST_SETUP, SPMV_MERGE_PATH}) {
    Handle handle(algorithm);
    const ToolEvents events;
    expect_product_of(A.elements, handle, A.matrix);
    EXPECT_EQ(events.executions(), 1u) << events.text();
  }
}

TEST(HandleTest, OptionsOfThePlan) {
  const Case A = small();
  for (const Format format : every_format) {
    Handle handle(with_format(format));
    expect_products_of(A.elements, handle, A.matrix);
    EXPECT_EQ(handle.plan().format(), format);
    handle.reset();
    multiply(handle, A);
    EXPECT_EQ(handle.plan().format(), format);
  }
  PlanOptions options;
  options.precision = Precision::Tf32;
  Handle handle(options);
  EXPECT_EXACT_MESSAGE(std::invalid_argument, multiply(handle, A), "precision tf32 is not available");
}

/// The plan is tuned for the options' number of columns or, without options, that of the first product or prepare().
TEST(HandleTest, ColumnsThatThePlanIsTunedFor) {
  const Case A = small();
  Handle first_product, prepared, told(PlanOptions{});
  multiply(first_product, A);
  EXPECT_NE(first_product.explain().find(" 3 columns of X"), std::string::npos) << first_product.explain();
  prepared.prepare(Exec(), A.matrix, 7);
  multiply(prepared, A);
  EXPECT_NE(prepared.explain().find(" 7 columns of X"), std::string::npos) << prepared.explain();
  multiply(told, A);
  EXPECT_NE(told.explain().find(" 32 columns of X"), std::string::npos) << told.explain();
}

TEST(HandleTest, MoreColumnsThanBefore) {
  const Case A = small();
  Handle handle;
  for (const int columns : {2, 9, 1, 40, 3}) expect_products_of(A.elements, handle, A.matrix, columns, -0.5);
}

TEST(HandleTest, NoColumns) {
  const Case A = small();
  Handle handle;
  expect_product_of(A.elements, handle, A.matrix, 0);
  expect_product_of(A.elements, handle, A.matrix, 4);
}

/// A product on another instance fences the previous instance, because the two share scratch memory.
TEST(HandleTest, Instances) {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const Case A = small();
  Handle handle;
  const Vectors<double> x("x", 22, 3), y("y", 31, 3);
  const auto fences_of_a_product_on = [&](const Exec& exec) {
    std::size_t fences = 0;
    expect_right(A.elements, Mode::NoTranspose, 2, -0.5, x, y, [&](double a, double b) {
      Kokkos::fence();
      const ToolEvents events;
      KokkosSparse::spmv(exec, &handle, "N", a, A.matrix, x, b, y);
      fences = events.fences("Tessera::SpmvHandle: another instance");
    });
    return fences;
  };
  const std::size_t apart = instances[0] == instances[1] ? 0 : 1;
  EXPECT_EQ(fences_of_a_product_on(instances[0]), 0u);
  EXPECT_EQ(fences_of_a_product_on(instances[0]), 0u);
  EXPECT_EQ(fences_of_a_product_on(instances[1]), apart);
  EXPECT_EQ(fences_of_a_product_on(instances[1]), 0u);
  EXPECT_EQ(fences_of_a_product_on(instances[0]), apart);
}

/// Infinities in X reach the rows of Y with an entry in that column, and no others.
TEST(HandleTest, InfiniteX) {
  HostPattern<int> pattern = random_pattern<int>(64, 40, 0.2, 7);
  for (int& column : pattern.column_indices) column += column == 13 ? 1 : 0;  // may create a duplicate
  const Case A(pattern);
  for (const Format format : every_format) {
    for (const int columns : {1, 8, 11}) {
      Handle handle(with_format(format));
      const Vectors<double> x("x", 40, columns), y("y", 64, columns);
      auto x_host = randomize(x, 5);
      for (const int untouched : {1, 0}) {
        for (int j = 0; j < columns; ++j) x_host(untouched ? 13 : 20, j) = std::numeric_limits<double>::infinity();
        assign(x, x_host);
        const auto y_before = fill_with_nan(y);
        KokkosSparse::spmv(Exec(), &handle, "N", 1.0, A.matrix, x, 0.0, y);
        expect_entries(A.elements, Mode::NoTranspose, 1.0, x_host, 0.0, y_before, y);
        auto result = to_dense(y);
        int infinite = 0;
        for (int i = 0; i < 64; ++i) infinite += std::isinf(result(i, columns - 1));
        EXPECT_EQ(infinite > 0, !untouched);
      }
    }
  }
}

TEST(HandleTest, UnsortedRowsAndDuplicates) {
  const Case A(unsorted_pattern<int>(50, 20, 15, 8)), after(unsorted_pattern<int>(50, 20, 15, 8), 2);
  for (const Format format : every_format) {
    Handle handle(with_format(format));
    expect_products_of(A.elements, handle, A.matrix, 5, 1);
    EXPECT_LT(handle.plan().nonzeros(), A.elements.host.nonzeros());
    const Case::Matrix same_graph("B", 20, after.matrix.values, A.matrix.graph);
    expect_products_of(after.elements, handle, same_graph, 5, 1);
  }
}

/// Kokkos Kernels checks extents before it calls the handle.
TEST(HandleTest, WrongExtents) {
  const Case A = small();
  Handle handle;
  const Vectors<double> x("x", 22, 3), y("y", 31, 3), fewer("y", 31, 2);
  const char* theirs = "KokkosSparse::spmv: Dimensions do not match";
  EXPECT_EXACT_MESSAGE(std::runtime_error, KokkosSparse::spmv(Exec(), &handle, "N", 1.0, A.matrix, y, 0.0, x), theirs);
  EXPECT_EXACT_MESSAGE(std::runtime_error, KokkosSparse::spmv(Exec(), &handle, "T", 1.0, A.matrix, x, 0.0, y), theirs);
  EXPECT_EXACT_MESSAGE(std::runtime_error, KokkosSparse::spmv(Exec(), &handle, "N", 1.0, A.matrix, x, 0.0, fewer),
                       theirs);
  EXPECT_THROW(handle.plan(), std::logic_error);
}

TEST(HandleTest, SameXAndY) {
  const Case A(random_pattern<int>(20, 20, 0.2, 1));
  Handle handle;
  const Vectors<double> x("x", 20, 3);
  EXPECT_EXACT_MESSAGE(std::invalid_argument, KokkosSparse::spmv(Exec(), &handle, "N", 1.0, A.matrix, x, 0.0, x),
                       "are the same memory");
}

TEST(HandleTest, DeviceAsAParameter) {
  const Case A = small();
  SpmvHandle<Device, Case::Matrix, Vectors<double>, Vectors<double>> handle;
  expect_product_of(A.elements, handle, A.matrix);
}

#ifndef TESSERA_WITHOUT_FLOAT
/// A float matrix multiplies a double X in double: X is not rounded to float.
TEST(HandleTest, FloatMatrixDoubleVectors) {
  const CrsCase<float> A(random_pattern<int>(31, 22, 0.2, 1));
  HandleFor<CrsCase<float>, Vectors<double>> handle;
  HandleFor<CrsCase<float>, Vector<double>> alone;
  for (const Mode mode : every_mode) {
    for (const int columns : {1, 6}) expect_product_of(A.elements, handle, A.matrix, columns, mode, 0.5);
    expect_spmv_with<Vector<double>>(alone, A.elements, A.matrix, mode, 1, 2, 0.5);
  }
}
#endif

}  // namespace Tessera::Impl::Test
