// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing a text in memory allocates at most ReadOptions::memory_limit. This program counts allocations by operator
// new.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/Numpy.hpp>
#include <tuple>
#include <vector>

#include "HarwellBoeingFiles.hpp"
#include "NumpyFiles.hpp"
#include "TestFiles.hpp"

namespace {

std::atomic<std::size_t> bytes_now{0}, bytes_peak{0};

/// Allocates memory. Returns null on failure.
void* find_memory(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) return nullptr;
  const std::size_t now = bytes_now += malloc_usable_size(memory);
  for (std::size_t peak = bytes_peak; peak < now && !bytes_peak.compare_exchange_weak(peak, now);) continue;
  return memory;
}

void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  void* memory = find_memory(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void deallocate(void* memory) {
  bytes_now -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// All forms of operator new and delete are defined, because sanitizers would replace missing forms by their own.
using Align = std::align_val_t;
using NoThrow = std::nothrow_t;
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, Align alignment) { return allocate(size, std::size_t(alignment)); }
void* operator new[](std::size_t size, Align alignment) { return allocate(size, std::size_t(alignment)); }
void* operator new(std::size_t size, const NoThrow&) noexcept { return find_memory(size); }
void* operator new[](std::size_t size, const NoThrow&) noexcept { return find_memory(size); }
void* operator new(std::size_t size, Align a, const NoThrow&) noexcept { return find_memory(size, std::size_t(a)); }
void* operator new[](std::size_t size, Align a, const NoThrow&) noexcept { return find_memory(size, std::size_t(a)); }
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete[](void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, Align) noexcept { deallocate(memory); }
void operator delete[](void* memory, Align) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, Align) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t, Align) noexcept { deallocate(memory); }
void operator delete(void* memory, const NoThrow&) noexcept { deallocate(memory); }
void operator delete[](void* memory, const NoThrow&) noexcept { deallocate(memory); }
void operator delete(void* memory, Align, const NoThrow&) noexcept { deallocate(memory); }
void operator delete[](void* memory, Align, const NoThrow&) noexcept { deallocate(memory); }

namespace {

/// Returns options with small chunks. Threads may exceed the limit by the entries of a chunk.
Tessera::ReadOptions with_limit(std::size_t limit, std::size_t chunk_bytes = std::size_t{1} << 16) {
  Tessera::ReadOptions options;
  options.threads = 2;
  options.chunk_bytes = chunk_bytes;
  options.memory_limit = limit;
  return options;
}

/// Each of two threads may hold 16384 lines of four bytes. A line makes two entries of 16 bytes: 512 KiB, in a vector
/// that is copied when it grows. This bound leaves space for sorted rows and texts of messages.
constexpr std::size_t beside_limit = std::size_t{2} << 20;

/// Returns the peak bytes of an action, including `text`. Errors end the action.
template <class Action>
std::size_t peak_of(const std::string& text, const Action& action) {
  const std::size_t before = bytes_now;
  bytes_peak = before;
  static_cast<void>(thrown_by(action));
  return bytes_peak - before + text.size();
}

/// Parses a text with increasing limits until one suffices.
template <class Parse>
void expect_limits_kept(const std::string& text, const Parse& parse, std::size_t chunk_bytes = std::size_t{1} << 16) {
  for (std::size_t limit = std::size_t{1} << 20;; limit += limit / 4) {
    bool is_read = false;
    const std::size_t peak = peak_of(text, [&] {
      static_cast<void>(parse(text, "t", with_limit(limit, chunk_bytes)));
      is_read = true;
    });
    EXPECT_LE(peak, std::max(limit, text.size()) + beside_limit) << "of " << limit << (is_read ? "" : ", not read");
    if (is_read) {
      EXPECT_GE(peak, limit / 4 * 3) << "a limit is enough when it is that of the matrix, not much later";
      EXPECT_GT(peak, 2 * beside_limit) << "too small a matrix to see anything";
      return;
    }
    ASSERT_LT(limit, std::size_t{1} << 32);
  }
}

const auto sparse = [](auto&&... arguments) { return Tessera::Impl::parse_matrix_market<double>(arguments...); };
const auto dense = [](auto&&... arguments) { return Tessera::Impl::parse_dense_matrix_market<double>(arguments...); };
const auto harwell = [](auto&&... arguments) { return Tessera::Impl::parse_harwell_boeing<double>(arguments...); };
const auto vectors = [](const std::string& text, const std::string& name, const Tessera::ReadOptions& options) {
  return Tessera::Impl::parse_harwell_boeing_vectors<double>(text, name, {}, options);
};
const auto binary = [](auto&&... arguments) { return Tessera::Impl::parse_binary_csr<double>(arguments...); };
const auto numpy = [](auto&&... arguments) { return Tessera::Impl::parse_numpy<double>(arguments...); };
const auto dense_numpy = [](auto&&... arguments) { return Tessera::Impl::parse_dense_numpy<double>(arguments...); };

std::string matrix_market(const std::string& kind, const std::string& size, std::size_t lines, const char* line) {
  std::string text = "%%MatrixMarket matrix " + kind + "\n" + size + "\n";
  for (std::size_t k = 0; k < lines; ++k) text += line;
  return text;
}

/// Rows are short, because sorting a row may exceed the limit by the size of the row.
TEST(MemoryLimit, OfEntries) {
  std::string general = matrix_market("coordinate real general", "999 9 999000", 0, "");
  std::string symmetric = matrix_market("coordinate pattern symmetric", "999 999 999000", 0, "");
  for (int k = 0; k < 999000; ++k) {
    general += std::to_string(k % 999 + 1) + " 2 3\n";
    symmetric += std::to_string(k % 999 + 1) + ' ' + std::to_string(k % 997 % (k % 999 + 1) + 1) + '\n';
  }
  expect_limits_kept(general, sparse);
  expect_limits_kept(symmetric, sparse);
  expect_limits_kept(general, sparse, 256);  // each chunk allocates its own memory
}

TEST(MemoryLimit, OfRows) {
  expect_limits_kept(matrix_market("coordinate real general", "4000000 9 1", 1, "1 2 3\n"), sparse);
  expect_limits_kept(matrix_market("coordinate real general", "4000000 1 1", 1, "1 1 3\n"), dense);
  // Chunks without entries need almost no memory.
  const std::string empty_lines(4 << 20, '\n');
  expect_limits_kept(matrix_market("coordinate real general", "4000000 9 1", 1, "1 2 3\n") + empty_lines, sparse, 64);
}

TEST(MemoryLimit, OfArrays) {
  expect_limits_kept(matrix_market("array real general", "1000 1000", 1000000, "3\n"), sparse);
  expect_limits_kept(matrix_market("array real general", "1000 1000", 1000000, "3\n"), dense);
  expect_limits_kept(matrix_market("array real symmetric", "1000 1000", 500500, "3\n"), sparse);
  expect_limits_kept(matrix_market("array real symmetric", "1000 1000", 500500, "3\n"), dense);
  expect_limits_kept(matrix_market("array real general", "4000000 0", 0, ""), sparse);
  expect_limits_kept(matrix_market("array real general", "1000 1000", 1000000, "3\n"), dense, 16);  // many pieces
}

TEST(MemoryLimit, OfBinaryFiles) {
  const TemporaryFolder folder;
  Tessera::HostCsr<double> matrix{2000000, 9, std::vector<std::size_t>(2000001, 0), {2, 1}, {1.0, 1.0}};
  matrix.row_offsets.back() = 2;  // entries of the last row, unsorted
  Tessera::write_binary_csr(folder / "rows.csr", matrix);
  expect_limits_kept(content_of(folder / "rows.csr"), binary);
}

/// A file of SciPy with these extents, and entries spread over all rows and columns.
std::string scipy_file(const std::string& format, std::int32_t rows, std::int32_t columns, std::size_t entries) {
  std::vector<std::int32_t> row(entries), column(entries), offsets;
  for (std::size_t k = 0; k < entries; ++k) {
    row[k] = static_cast<std::int32_t>(k % static_cast<std::size_t>(rows));
    column[k] = static_cast<std::int32_t>(k % 997 % static_cast<std::size_t>(columns));
  }
  const std::int32_t major = format == "csc" ? columns : rows;
  for (std::int32_t k = 0; k <= major; ++k) {
    offsets.push_back(
        static_cast<std::int32_t>(entries * static_cast<std::size_t>(k) / static_cast<std::size_t>(major)));
  }
  std::vector<Member> members = {{"format.npy", npy("|S3", "()", format)},
                                 {"shape.npy", npy_vector<std::int32_t>("<i4", {rows, columns})},
                                 {"data.npy", npy_vector("<f8", std::vector<double>(entries, 1.0))}};
  if (format == "coo") {
    members.push_back({"row.npy", npy_vector("<i4", row)});
    members.push_back({"col.npy", npy_vector("<i4", column)});
  } else {
    members.push_back({"indices.npy", npy_vector("<i4", format == "csc" ? row : column)});
    members.push_back({"indptr.npy", npy_vector("<i4", offsets)});
  }
  return zip(members);
}

TEST(MemoryLimit, OfNumpy) {
  for (const char* format : {"csr", "csc", "coo"}) {
    expect_limits_kept(scipy_file(format, 99999, 999, 999000), numpy);
    expect_limits_kept(scipy_file(format, 999, 99999, 999000), numpy);
  }
  expect_limits_kept(scipy_file("csr", 4000000, 9, 9), numpy);
  expect_limits_kept(scipy_file("csc", 4000000, 9, 9), numpy);
  expect_limits_kept(scipy_file("csc", 9, 4000000, 9), numpy);
  expect_limits_kept(scipy_file("coo", 4000000, 9, 9), numpy);
  expect_limits_kept(npy("<f8", "(1000000,)", std::string(8000000, '\0')), dense_numpy);
}

/// Lines of ten numbers, each 8 columns wide.
std::string lines_of_ten(std::size_t count, const std::function<std::size_t(std::size_t)>& number) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string word = std::to_string(number(k));
    text += (k % 10 == 0 && k > 0 ? "\n" : "") + std::string(8 - word.size(), ' ') + word;
  }
  return text + '\n';
}

/// A file whose columns have equal lengths and whose values are all 3.
std::string harwell_boeing(const std::string& type, int rows, std::size_t columns, std::size_t entries) {
  const bool is_lower = type[1] == 'S';
  const std::size_t length = std::max<std::size_t>(entries / columns, 1);
  const auto extent = static_cast<std::size_t>(rows);
  std::string text =
      harwell_boeing_head(type, rows, static_cast<int>(columns), entries, "(10I8)          (10I8)          (10F8.0)");
  text += lines_of_ten(columns + 1, [&](std::size_t column) {
    return column < columns ? std::min(column * length, entries) + 1 : entries + 1;
  });
  text += lines_of_ten(entries, [&](std::size_t k) {
    const std::size_t below = std::min(k / length, extent - 1) + 1;  // rows below the diagonal
    return 1 + (is_lower && below < extent ? below + k % 997 % (extent - below) : k % 997 % extent);
  });
  return type[0] == 'P' ? text : text + lines_of_ten(entries, [](std::size_t) { return 3; });
}

TEST(MemoryLimit, OfHarwellBoeing) {
  expect_limits_kept(harwell_boeing("RUA", 999, 999, 999000), harwell);
  expect_limits_kept(harwell_boeing("RSA", 999, 999, 999000), harwell);
  expect_limits_kept(harwell_boeing("PSA", 999, 999, 999000), harwell);
  expect_limits_kept(harwell_boeing("RUA", 999, 999, 199800), harwell, 256);  // each piece allocates its own memory
  expect_limits_kept(harwell_boeing("RRA", 4000000, 9, 9), harwell);
  expect_limits_kept(harwell_boeing("RRA", 9, 4000000, 9), harwell);
  expect_limits_kept(harwell_boeing_head("PRA", 2000000, 1, 0, "(2I8) (2I8)     (10F8.0)", "F               1") +
                         "       1       1\n" + lines_of_ten(2000000, [](std::size_t) { return 3; }),
                     vectors);
}

/// The words of a line as long as the file are not stored: reading stops at the number of fields.
TEST(MemoryLimit, OfALongLineOfHarwellBoeing) {
  std::string text = harwell_boeing_head("PUA", 2, 2, 2, "(26I3)          (26I3)");
  for (int k = 0; k < 2000000; ++k) text += "1 ";
  text += "\n  1  2\n";
  std::string error;
  const std::size_t peak =
      peak_of(text, [&] { error = thrown_by([&] { harwell(text, "t", with_limit(2 * text.size())); }); });
  EXPECT_EQ(error, "runtime_error: t:5: expected a column pointer, found \"1 1\"");
  EXPECT_LE(peak, text.size() + beside_limit);
}

/// Lines beyond the announced number are not stored, because no memory was counted for them.
TEST(MemoryLimit, OfMoreLinesThanAnnounced) {
  for (const auto& [kind, size, line] : {std::tuple{"coordinate pattern general", "9 9 1", "1 1\n"},
                                         {"coordinate pattern symmetric", "9 9 1", "2 1\n"},
                                         {"array real general", "1 1", "3\n"},
                                         {"array real general", "9 0", "3\n"}}) {
    const std::string text = matrix_market(kind, size, 2000000, line);
    std::string error;
    const std::size_t peak =
        peak_of(text, [&] { error = thrown_by([&] { sparse(text, "t", with_limit(2 * text.size())); }); });
    EXPECT_NE(error.find("expected the end of the file after the "), std::string::npos) << error;
    EXPECT_LE(peak, text.size() + beside_limit) << kind;
  }
}

}  // namespace
