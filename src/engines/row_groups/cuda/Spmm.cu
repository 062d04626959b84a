// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "row_groups/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

template <class InMemory>
void row_groups_spmm(Stream stream, const RowGroupsPattern& A, const RowGroupsSchedule& schedule,
                     const Product<sum_of_t<InMemory>, InMemory>& product, const Scratch& workspace) {
  const auto arguments = row_groups_arguments(stream, A, schedule, product, workspace);
  // Rows of X are whole vectors, even if they were packed.
  constexpr int size = Vector<InMemory, true>::size;
  const Ordinal vectors = window_count(product.y.columns, size);
  const Ordinal width = window_count(policy_columns(schedule, product.y.columns), size);
  for_row_groups_policy<InMemory>(width, [&]<class Policy>() {
    if (Policy::vectors > 1 && vectors % Policy::slab_vectors != 0) {
      throw std::invalid_argument("row_groups_spmm: the policy for " + std::to_string(schedule.width) +
                                  " columns multiplies multiples of " + std::to_string(Policy::slab_vectors * size) +
                                  ", not " + std::to_string(product.y.columns));
    }
    launch_row_groups<Policy>(stream, arguments);
  });
}

#define TESSERA_ROW_GROUPS_SPMM(InMemory)                                                  \
  template void row_groups_spmm(Stream, const RowGroupsPattern&, const RowGroupsSchedule&, \
                                const Product<sum_of_t<InMemory>, InMemory>&, const Scratch&);

TESSERA_ROW_GROUPS_SPMM(float)
TESSERA_ROW_GROUPS_SPMM(Half)
TESSERA_ROW_GROUPS_SPMM(BFloat16)
TESSERA_ROW_GROUPS_SPMM(double)
TESSERA_ROW_GROUPS_SPMM(Complex<float>)
TESSERA_ROW_GROUPS_SPMM(Complex<double>)

}  // namespace Tessera::Impl::Cuda
