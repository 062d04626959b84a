// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What readers take is what ReadOptions::memory_limit allows. This program counts what it gets by operator new.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tuple>
#include <vector>

#include "TestFiles.hpp"

namespace {

std::atomic<std::size_t> bytes_now{0}, bytes_peak{0};

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = bytes_now += malloc_usable_size(memory);
  for (std::size_t peak = bytes_peak; peak < now && !bytes_peak.compare_exchange_weak(peak, now);) continue;
  return memory;
}

void deallocate(void* memory) {
  bytes_now -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// Those of arrays call these.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }

namespace {

/// Small, so that what a thread may have beside the limit is little: the entries of a chunk.
Tessera::ReadOptions with_limit(std::size_t limit) {
  Tessera::ReadOptions options;
  options.threads = 2;
  options.chunk_bytes = std::size_t{1} << 16;
  options.memory_limit = limit;
  return options;
}

/// Two threads' chunks of the shortest lines, each stored twice, in vectors that grow; and 512 offsets for each chunk.
constexpr std::size_t beside_limit = std::size_t{5} << 20;

/// The most bytes that an action had at once, with those of `text`; errors end it.
template <class Action>
std::size_t peak_of(const std::string& text, const Action& action) {
  const std::size_t before = bytes_now;
  bytes_peak = before;
  static_cast<void>(thrown_by(action));
  return bytes_peak - before + text.size();
}

/// Reads a text with ascending limits, until one is enough.
template <class Parse>
void expect_limits_kept(const std::string& text, const Parse& parse) {
  for (std::size_t limit = std::size_t{1} << 20;; limit += limit / 4) {
    bool is_read = false;
    const std::size_t peak = peak_of(text, [&] {
      static_cast<void>(parse(text, "t", with_limit(limit)));
      is_read = true;
    });
    EXPECT_LE(peak, std::max(limit, text.size()) + beside_limit) << "of " << limit << (is_read ? "" : ", not read");
    if (is_read) {
      EXPECT_GE(peak, limit / 2) << "a limit is enough when it is that of the matrix, not much later";
      EXPECT_GT(peak, 2 * beside_limit) << "too small a matrix to see anything";
      return;
    }
    ASSERT_LT(limit, std::size_t{1} << 32);
  }
}

const auto sparse = [](auto&&... arguments) { return Tessera::parse_matrix_market<double>(arguments...); };
const auto dense = [](auto&&... arguments) { return Tessera::parse_dense_matrix_market<double>(arguments...); };
const auto binary = [](auto&&... arguments) { return Tessera::parse_binary_csr<double>(arguments...); };

std::string matrix_market(const std::string& kind, const std::string& size, std::size_t lines, const char* line) {
  std::string text = "%%MatrixMarket matrix " + kind + "\n" + size + "\n";
  for (std::size_t k = 0; k < lines; ++k) text += line;
  return text;
}

/// In rows that are short, because one is sorted beside the limit.
TEST(MemoryLimit, OfEntries) {
  std::string general = matrix_market("coordinate real general", "999 9 999000", 0, "");
  std::string symmetric = matrix_market("coordinate pattern symmetric", "999 999 999000", 0, "");
  for (int k = 0; k < 999000; ++k) {
    general += std::to_string(k % 999 + 1) + " 2 3\n";
    symmetric += std::to_string(k % 999 + 1) + ' ' + std::to_string(k % 997 % (k % 999 + 1) + 1) + '\n';
  }
  expect_limits_kept(general, sparse);
  expect_limits_kept(symmetric, sparse);
}

TEST(MemoryLimit, OfRows) {
  expect_limits_kept(matrix_market("coordinate real general", "4000000 9 1", 1, "1 2 3\n"), sparse);
  expect_limits_kept(matrix_market("coordinate real general", "4000000 1 1", 1, "1 1 3\n"), dense);
}

TEST(MemoryLimit, OfArrays) {
  expect_limits_kept(matrix_market("array real general", "1000 1000", 1000000, "3\n"), sparse);
  expect_limits_kept(matrix_market("array real general", "1000 1000", 1000000, "3\n"), dense);
  expect_limits_kept(matrix_market("array real symmetric", "1000 1000", 500500, "3\n"), sparse);
  expect_limits_kept(matrix_market("array real symmetric", "1000 1000", 500500, "3\n"), dense);
  expect_limits_kept(matrix_market("array real general", "4000000 0", 0, ""), sparse);
}

TEST(MemoryLimit, OfBinaryFiles) {
  const TemporaryFolder folder;
  Tessera::HostCsr<double> matrix{2000000, 9, std::vector<std::size_t>(2000001, 0), {}, {}};
  Tessera::write_binary_csr(folder / "rows.csr", matrix);
  expect_limits_kept(content_of(folder / "rows.csr"), binary);
}

/// Lines beyond those that the size line announces are not kept: nothing was counted for them.
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
