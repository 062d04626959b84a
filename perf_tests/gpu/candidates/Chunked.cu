// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressed rows against chunks of X in shared memory: whether chunks have blocks of their own, and parts of the rows.
#include <algorithm>
#include <cuda/chunked/Launch.cuh>
#include <numeric>
#include <optional>

#include "Candidate.hpp"
#include "Device.hpp"
#include "Pieces.hpp"

namespace Tessera::Bench {
namespace {

// How blocks share the work. The library chooses what is not given.
struct ChunkedOptions {
  std::optional<bool> are_split;
  int waves = 0;  // of blocks
};

std::string to_string(const ChunkedOptions& options) {
  if (!options.are_split) return "chunked_auto";
  return joined("chunked<", *options.are_split ? "a chunk" : "all chunks", " a block, ", options.waves, " waves>");
}

template <class Scalar>
class Chunked : public Candidate<Scalar> {
 public:
  explicit Chunked(const ChunkedOptions& options) : Candidate<Scalar>(to_string(options)), options_(options) {}

  // The scratch memory of a product that is shared otherwise has no copy of X.
  bool takes(Layout layout) const override { return !options_.are_split || layout == Layout::Right; }

  bool prepare(const HostMatrix& A, int columns, Layout) override {
    const ChunkedMachine machine = {Cuda::multiprocessors(), static_cast<std::size_t>(Cuda::most_shared_bytes())};
    schedule_ = Cuda::chunked_schedule(A.pattern(), A.column_indices.size(), machine);
    const bool is_packed = columns * sizeof(Scalar) % 16 != 0, is_one_chunk = schedule_.chunks.count == 1;
    if (schedule_.chunks.rows == 0 || (options_.are_split && (is_packed || (*options_.are_split && is_one_chunk))))
      return false;
    row_offsets_ = DeviceArray<int>(A.row_offsets);
    column_indices_ = DeviceArray<int>(A.column_indices);
    values_ = DeviceArray<Scalar>(std::vector<Scalar>(A.values.begin(), A.values.end()));
    pattern_ = {A.rows, A.columns, row_offsets_.data(), column_indices_.data()};
    fill_items(A);
    const Multivector<const Scalar> x{nullptr, A.columns, columns, 1, A.columns};  // for X in any layout
    const std::size_t sums = schedule_.item_count() * static_cast<std::size_t>(columns) * sizeof(Scalar);
    workspace_ = DeviceArray<std::byte>(std::max(Cuda::chunked_workspace_bytes(schedule_, x), sums));
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    product.values = values_.data();
    const Scratch scratch{workspace_.data(), workspace_.bytes()};
    auto arguments = Cuda::chunked_arguments(stream, pattern_, schedule_, product, scratch);
    if (options_.are_split) {
      auto& blocks = arguments.blocks;
      blocks.are_split = *options_.are_split;
      const int blocks_of_part = blocks.slabs * (blocks.are_split ? schedule_.chunks.count : 1);
      blocks.parts = std::max(1, options_.waves * schedule_.multiprocessors / blocks_of_part);
    }
    Cuda::launch_chunked(stream, arguments);
  }

  std::size_t bytes() const override {
    return row_offsets_.bytes() + column_indices_.bytes() + values_.bytes() + items_.bytes();
  }

 private:
  void fill_items(const HostMatrix& A) {
    std::vector<int> rows(static_cast<std::size_t>(A.rows));
    std::iota(rows.begin(), rows.end(), 0);
    const auto length = [&](int row) { return A.row_offsets[row + 1] - A.row_offsets[row]; };
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) { return length(a) > length(b); });
    const DeviceArray<int> order(rows);
    items_ = DeviceArray<Cuda::ChunkedItem>(schedule_.item_count());
    Cuda::fill_chunked_items(nullptr, pattern_, schedule_, order.data(), items_.data());
    Cuda::check(cudaDeviceSynchronize(), "filling items");
    schedule_.items = items_.data();
  }

  ChunkedOptions options_;
  DeviceArray<int> row_offsets_, column_indices_;
  DeviceArray<Scalar> values_;
  DeviceArray<Cuda::ChunkedItem> items_;
  DeviceArray<std::byte> workspace_;
  Cuda::ChunkedSchedule schedule_;
  CsrPattern<int> pattern_;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_chunked_candidates() {
  Candidates<Scalar> candidates;
  candidates.push_back(std::make_unique<Chunked<Scalar>>(ChunkedOptions{}));
  for (const bool are_split : {false, true}) {
    for (const int waves : {1, 2, 3})
      candidates.push_back(std::make_unique<Chunked<Scalar>>(ChunkedOptions{are_split, waves}));
  }
  return candidates;
}

template Candidates<float> make_chunked_candidates();
template Candidates<double> make_chunked_candidates();

}  // namespace Tessera::Bench
