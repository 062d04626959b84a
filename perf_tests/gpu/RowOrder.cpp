// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowOrder.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <harness/Files.hpp>
#include <harness/Matrices.hpp>
#include <numeric>
#include <queue>
#include <stdexcept>

namespace Tessera::Bench {

using namespace Harness;

namespace {

constexpr int window_rows = 64;
constexpr int most_owners = 256;  // rows of a column that are looked at: hubs say nothing about neighbours

std::vector<int> natural_order(const HostMatrix& A) {
  std::vector<int> order(A.rows);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> degree_order(const HostMatrix& A) {
  std::vector<int> order = natural_order(A);
  const auto length = [&](int i) { return A.row_offsets[i + 1] - A.row_offsets[i]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length(a) > length(b); });
  return order;
}

/// The rows of each column, ascending, at most `most_owners` of them.
struct Owners {
  std::vector<int> offsets, rows;

  explicit Owners(const HostMatrix& A) : offsets(A.columns + 1) {
    for (const int j : A.column_indices) offsets[j + 1] += offsets[j + 1] < most_owners;
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    rows.resize(offsets.back());
    std::vector<int> next(offsets.begin(), offsets.end() - 1);
    for (int i = 0; i < A.rows; ++i) {
      for (int k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
        int& place = next[A.column_indices[k]];
        if (place < offsets[A.column_indices[k] + 1]) rows[place++] = i;
      }
    }
  }
};

/// Grows windows; see the header.
class WindowGrower {
 public:
  explicit WindowGrower(const HostMatrix& A)
      : A_(A), owners_(A), placed_(A.rows), shared_(A.rows), meeting_(A.rows), window_of_(A.columns, -1) {}

  std::vector<int> grow() {
    for (int first = 0, window = 0; first < A_.rows; ++first) {
      if (!placed_[first]) grow_window(first, window++);
    }
    return std::move(order_);
  }

 private:
  struct Offer {
    float share;
    int met;  // place among the rows that the window has met: the earlier, the nearer to its first row
    int row;
    bool operator<(const Offer& other) const { return share != other.share ? share < other.share : met > other.met; }
  };

  float share_of(int row) const {
    return static_cast<float>(shared_[row]) / static_cast<float>(A_.row_offsets[row + 1] - A_.row_offsets[row]);
  }

  void grow_window(int first, int window) {
    std::priority_queue<Offer> offers;
    take(first, window, offers);
    for (int count = 1; count < window_rows;) {
      // A row is offered anew as its share grows: offers of placed rows and of old shares are stale.
      while (!offers.empty() && (placed_[offers.top().row] || offers.top().share != share_of(offers.top().row))) {
        offers.pop();
      }
      if (offers.empty()) break;
      const int row = offers.top().row;
      offers.pop();
      take(row, window, offers);
      ++count;
    }
    for (const int row : met_) shared_[row] = 0;
    met_.clear();
  }

  void take(int row, int window, std::priority_queue<Offer>& offers) {
    placed_[row] = true;
    order_.push_back(row);
    std::vector<int> grown;
    for (int k = A_.row_offsets[row]; k < A_.row_offsets[row + 1]; ++k) {
      const int j = A_.column_indices[k];
      if (window_of_[j] == window) continue;
      window_of_[j] = window;
      for (int o = owners_.offsets[j]; o < owners_.offsets[j + 1]; ++o) {
        const int owner = owners_.rows[o];
        if (placed_[owner]) continue;
        if (shared_[owner]++ == 0) {
          meeting_[owner] = static_cast<int>(met_.size());
          met_.push_back(owner);
        }
        grown.push_back(owner);
      }
    }
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    for (const int owner : grown) offers.push({share_of(owner), meeting_[owner], owner});
  }

  const HostMatrix& A_;
  Owners owners_;
  std::vector<char> placed_;
  std::vector<int> shared_;   // columns that a row has in the window
  std::vector<int> met_;      // rows with shared_ > 0
  std::vector<int> meeting_;  // their places in met_
  std::vector<int> window_of_, order_;
};

/// The numbers in a text file, plain or compressed.
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
  if (order == "degree") return in_order(A, degree_order(A));
  if (order == "windows") return in_order(A, WindowGrower(A).grow());
  if (!std::filesystem::is_directory(order)) {
    throw std::invalid_argument("row order '" + order + "' is none of natural, degree, windows, and no folder");
  }
  return in_order(A, read_order(order + "/" + named.name + ".order.gz", A.rows));
}

}  // namespace Tessera::Bench
