// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "sorted_columns/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr std::size_t slab_bytes = std::size_t(2) << 30;

// The columns of a slab, and its scratch memory.
struct SlabLayout : ScratchLayout {
  Ordinal columns;
};

template <class Scalar>
SlabLayout workspace_layout(const SortedColumnsSchedule& schedule, const Multivector<const Scalar>& x) {
  const Ordinal columns = sorted_columns_slab<Scalar>(schedule, x.columns);
  const std::size_t row = std::size_t(sorted_columns_padded<Scalar>(columns)) * sizeof(Scalar);
  const std::size_t packed = is_read_in_place(x, sorted_columns_x_access) ? 0 : std::size_t(x.rows) * row;
  return {{std::size_t(schedule.slot_count) * row, packed}, columns};
}

template <class Scalar>
void check_arguments(const SortedColumnsPattern& A, Precision precision, const SortedColumnsSchedule& schedule,
                     const Product<Scalar, Scalar>& product) {
  if (precision != Precision::Native) {
    throw std::invalid_argument("sorted_columns_spmm: no " + std::string(to_string(precision)) +
                                " products of these types");
  }
  if (product.y_rows != nullptr || product.x_rows != nullptr) {
    throw std::invalid_argument("sorted_columns_spmm: rows of X and Y have the order of A; " +
                                std::string(product.y_rows != nullptr ? "y_rows" : "x_rows") + " must be null");
  }
  expect_extents("sorted_columns_spmm", A.rows, A.columns, product);
  const std::size_t elements = std::size_t(std::max(schedule.group_steps, 0)) * std::size_t(A.width);
  if (schedule.group_steps <= 0 || (A.blocks > 0 && elements > std::size_t(sorted_columns_most_elements)) ||
      (schedule.places == nullptr && A.regular > 0 && schedule.group_steps != A.steps_of_set)) {
    throw std::invalid_argument("sorted_columns_spmm: a schedule of groups of " + std::to_string(schedule.group_steps) +
                                " steps of " + std::to_string(A.width) + " columns" +
                                (schedule.places == nullptr ? ", without places" : ""));
  }
}

}  // namespace

template <class Scalar>
Ordinal sorted_columns_slab(const SortedColumnsSchedule& schedule, Ordinal N) {
  const std::size_t column_bytes = std::max<std::size_t>(std::size_t(schedule.slot_count), 1) * sizeof(Scalar);
  const std::size_t most = slab_bytes / column_bytes;
  if (most >= std::size_t(N)) return std::max(N, 1);
  const auto columns = static_cast<Ordinal>(most);
  if (columns >= narrow_columns) {
    const Ordinal slabs = window_count(N, columns / narrow_columns * narrow_columns);
    return window_count(window_count(N, slabs), narrow_columns) * narrow_columns;
  }
  Ordinal slab = narrow_columns;
  while (slab > columns && slab > sorted_columns_vector<Scalar>) slab /= 2;
  return slab;
}

template <class Scalar>
std::size_t sorted_columns_workspace_bytes(const SortedColumnsPattern&, const SortedColumnsSchedule& schedule,
                                           const Multivector<const Scalar>& x) {
  return workspace_layout(schedule, x).bytes;
}

template <class Scalar>
void sorted_columns_spmm(Stream stream, const SortedColumnsPattern& A, Precision precision,
                         const SortedColumnsSchedule& schedule, const Product<Scalar, Scalar>& product,
                         const Scratch& workspace) {
  check_arguments(A, precision, schedule, product);
  const SlabLayout layout = workspace_layout(schedule, product.x);
  expect_scratch("sorted_columns_spmm", layout, workspace);
  SortedColumnsArguments<Scalar> arguments = {.A = A, .schedule = schedule, .product = product};
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  Scalar* const packed = reinterpret_cast<Scalar*>(workspace.data + layout.packed);
  for_width(policy_columns(schedule, layout.columns), [&]<bool wide>() {
    launch_sorted_columns<TunedSortedColumnsPolicy<Scalar, wide>>(stream, arguments, layout.columns, packed);
  });
}

#define TESSERA_SORTED_COLUMNS_SPMM(Scalar)                                                                       \
  template Ordinal sorted_columns_slab<Scalar>(const SortedColumnsSchedule&, Ordinal);                            \
  template std::size_t sorted_columns_workspace_bytes(const SortedColumnsPattern&, const SortedColumnsSchedule&,  \
                                                      const Multivector<const Scalar>&);                          \
  template void sorted_columns_spmm(Stream, const SortedColumnsPattern&, Precision, const SortedColumnsSchedule&, \
                                    const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_SORTED_COLUMNS_SPMM(float)
TESSERA_SORTED_COLUMNS_SPMM(double)

}  // namespace Tessera::Impl::Cuda
