// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row groups on CUDA cores: lanes, vectors and registers; columns of a piece; rows of a group.
#include <cuda/row_groups/Launch.cuh>

#include "Pieces.hpp"
#include "Prepared.hpp"

namespace Tessera::Bench {
namespace {

// The choices that are made when a product runs.
struct RunOptions {
  int piece_columns = 0;  // 0: as the library chooses
  int group_rows = 4;     // the most
};

template <class Pattern>
double longest_group(const Pattern& A) {
  int longest = 0;
  for (int g = 0; g < A.groups; ++g) longest = std::max(longest, A.column_offsets[g + 1] - A.column_offsets[g]);
  return longest;
}

template <class Policy>
std::string row_groups_name(const RunOptions& options) {
  return joined("row_groups<", Policy::lanes, " lanes, ", Policy::vectors, " vectors, ", Policy::registers,
                " registers, ", options.group_rows, " rows>",
                options.piece_columns > 0 ? joined(" pieces of ", options.piece_columns) : "");
}

template <class Policy, class Scalar>
class RowGroups : public Candidate<Scalar> {
 public:
  explicit RowGroups(const RunOptions& options)
      : Candidate<Scalar>(row_groups_name<Policy>(options)), options_(options) {}

  bool takes(Layout) const override { return true; }

  // Left out where most lanes would have no column.
  bool prepare(const HostMatrix& A, int columns, Layout) override {
    const Ordinal row_vectors = window_count(columns, 16 / int(sizeof(Scalar)));
    if (Policy::slab_vectors >= 2 * row_vectors || (Policy::vectors > 1 && row_vectors % Policy::slab_vectors != 0))
      return false;
    FormatParameters parameters;
    parameters.group_rows = options_.group_rows;
    matrix_ = prepared<BuildRowGroups, Scalar>(A, parameters);
    const auto& host = matrix_->host;
    const int piece_columns = options_.piece_columns > 0 ? options_.piece_columns
                                                         : Cuda::row_groups_piece_columns(
                                                               host.column_offsets[host.groups], longest_group(host),
                                                               columns * double(sizeof(Scalar)));
    const auto schedule = Cuda::build_row_groups_schedule(host, piece_columns);
    items_ = DeviceArray<Cuda::RowGroupItem>(schedule.items);
    sums_ = DeviceArray<Cuda::RowGroupSum>(schedule.sums);
    schedule_ = {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), schedule.slots, items_.data(),
                 sums_.data()};
    // For X in any layout.
    const Multivector<const Scalar> x{nullptr, A.columns, columns, 1, A.columns};
    workspace_ = DeviceArray<std::byte>(Cuda::row_groups_workspace_bytes(schedule_, x));
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    product.values = matrix_->values.data();
    const Scratch scratch{workspace_.data(), workspace_.bytes()};
    Cuda::launch_row_groups<Policy>(stream,
                                    Cuda::row_groups_arguments(stream, matrix_->device, schedule_, product, scratch));
  }

  std::size_t bytes() const override { return matrix_->bytes() + items_.bytes() + sums_.bytes(); }

 private:
  RunOptions options_;
  PreparedBy<BuildRowGroups, Scalar> matrix_;
  DeviceArray<Cuda::RowGroupItem> items_;
  DeviceArray<Cuda::RowGroupSum> sums_;
  DeviceArray<std::byte> workspace_;
  Cuda::RowGroupsSchedule schedule_;
};

template <class Policy, class Scalar>
void add(Candidates<Scalar>& candidates, const RunOptions& options) {
  candidates.push_back(std::make_unique<RowGroups<Policy, Scalar>>(options));
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_row_groups_candidates() {
  using Cuda::RowGroupsPolicy;
  Candidates<Scalar> candidates;
  for (const int piece : {16, 32, 64}) {
    add<RowGroupsPolicy<8, 1, 72>>(candidates, {piece, 4});
    add<RowGroupsPolicy<32, 1, 64>>(candidates, {piece, 4});
  }
  for (const int rows : {4, 3, 2, 1}) {
    add<RowGroupsPolicy<8, 1, 72>>(candidates, {0, rows});
    add<RowGroupsPolicy<32, 1, 64>>(candidates, {0, rows});
    add<RowGroupsPolicy<32, 2, 128>>(candidates, {0, rows});
  }
  for (const int pieces : {128, 256, 512}) {
    add<RowGroupsPolicy<8, 1, 72>>(candidates, {pieces});
    add<RowGroupsPolicy<32, 1, 64>>(candidates, {pieces});
    add<RowGroupsPolicy<32, 2, 128>>(candidates, {pieces});
  }
  add<RowGroupsPolicy<8, 2, 128>>(candidates, {});
  add<RowGroupsPolicy<16, 1, 64>>(candidates, {});
  add<RowGroupsPolicy<16, 2, 128>>(candidates, {});
  return candidates;
}

template Candidates<float> make_row_groups_candidates();
template Candidates<double> make_row_groups_candidates();

}  // namespace Tessera::Bench
