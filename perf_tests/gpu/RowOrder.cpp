// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowOrder.hpp"

#include <Kokkos_Core.hpp>
#include <charconv>
#include <filesystem>
#include <harness/Files.hpp>
#include <harness/Matrices.hpp>
#include <numeric>
#include <stdexcept>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/reorder/DegreeSort.hpp>
#include <tessera/reorder/LocalClusters.hpp>
#include <tessera/reorder/WindowGrowing.hpp>

namespace Tessera::Impl::Bench {

using namespace Harness;

namespace {

constexpr int window_rows = 64;

/// Returns an order that the library finds.
std::vector<int> library_order(const HostMatrix& A, const std::string& name) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto row_offsets = Impl::device_copy(exec, "row_offsets", A.row_offsets);
  const auto column_indices = Impl::device_copy(exec, "column_indices", A.column_indices);
  const CsrPattern<int> pattern{A.rows, A.columns, row_offsets.data(), column_indices.data()};
  const auto order = name == "degree"  ? degree_sort(exec, pattern)
                     : name == "local" ? local_clusters(exec, pattern)
                                       : grow_windows(exec, pattern, window_rows);
  Kokkos::fence();
  if (!order.is_identity()) return Impl::host_copy(exec, order.order);
  std::vector<int> natural(A.rows);
  std::iota(natural.begin(), natural.end(), 0);
  return natural;
}

/// Returns the numbers in a text file, plain or compressed.
std::vector<int> read_numbers(const std::string& path) {
  if (!std::filesystem::exists(path)) throw std::invalid_argument("row order: " + path + " cannot be read");
  std::vector<int> numbers;
  for (const std::string& line : lines_of(path)) {
    int number = -1;
    const char* end = line.data() + line.size();
    const auto read = std::from_chars(line.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) {
      throw std::invalid_argument("row order: " + path + ", line " + std::to_string(numbers.size() + 1) +
                                  ": expected a row's number alone");
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<int> read_order(const std::string& path, int rows) {
  const std::vector<int> order = read_numbers(path);
  std::vector<char> is_there(rows);
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (order[place] < 0 || order[place] >= rows || is_there[order[place]]++) {
      throw std::invalid_argument("row order: " + path + ", line " + std::to_string(place + 1) + ": row " +
                                  std::to_string(order[place]) + " is there twice, or not among " +
                                  std::to_string(rows));
    }
  }
  if (order.size() != is_there.size()) {
    throw std::invalid_argument("row order: " + path + " has " + std::to_string(order.size()) + " of " +
                                std::to_string(rows) + " rows");
  }
  return order;
}

}  // namespace

HostMatrix with_row_order(const NamedMatrix& named, const std::string& order) {
  const HostMatrix& A = named.matrix;
  if (order == "natural") return A;
  if (order == "degree" || order == "windows" || order == "local") return in_order(A, library_order(A, order));
  if (!std::filesystem::is_directory(order)) {
    throw std::invalid_argument("row order '" + order + "' is none of natural, degree, windows, local, and no folder");
  }
  return in_order(A, read_order(order + "/" + named.name + ".order.gz", A.rows));
}

}  // namespace Tessera::Impl::Bench
