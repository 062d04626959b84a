// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <tessera/dense/impl/SumsOfRows.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>

#include "HostSumsOfRows.hpp"
#include "Workspace.hpp"

namespace Tessera::Impl {

namespace {

template <class Scalar>
bool is_tall(const Multivector<const Scalar>& v) {
  return (v.columns <= 1 || v.column_stride == 1) && (v.rows <= 1 || v.row_stride >= v.columns);
}

template <class Scalar>
std::size_t elements_of(const Multivector<const Scalar>& v) {
  return std::size_t(v.rows) * std::size_t(v.columns);
}

/// Returns a multivector as a block: itself, or a copy at `place`, which is then moved to the end of the copy.
template <class ExecutionSpace, class Scalar>
TallBlock<const Scalar> tall_block(const ExecutionSpace& exec, const Multivector<const Scalar>& v, Scalar*& place) {
  if (is_tall(v)) return {v.data, v.rows, v.columns, v.row_stride, nullptr};
  const TallBlock<Scalar> target{place, v.rows, v.columns, v.columns, nullptr};
  copy<ExecutionSpace, Scalar>(exec, v, target);
  place += elements_of(v);
  return target;
}

/// Returns whether rows are computed and summed piece by piece.
template <class ExecutionSpace, class Scalar>
bool goes_in_pieces(const RowProducer& rows, const Multivector<const Scalar>& Y) {
  return is_host_space<ExecutionSpace> && rows.make_rows != nullptr && Y.columns <= panel_columns && is_tall(Y);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void make_with_inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                              const RowProducer& rows, std::span<const Multivector<const Scalar>> blocks,
                              const Multivector<const Scalar>& Y, const SmallMatrix<Scalar>& C) {
  const bool are_tall = std::all_of(blocks.begin(), blocks.end(), is_tall<Scalar>);
  const bool in_pieces = goes_in_pieces<ExecutionSpace>(rows, Y) && are_tall && Y.rows > 0 && Y.columns > 0;
  if (!in_pieces) rows.make_all();
  std::size_t copied = is_tall(Y) ? 0 : elements_of(Y);
  for (const auto& block : blocks) copied += is_tall(block) ? 0 : elements_of(block);
  Scalar* place = copied == 0 ? nullptr : workspace.memory().template take_copies<Scalar>(exec, copied);
  const TallBlock<const Scalar> y = tall_block(exec, Y, place);
  std::array<TallBlock<const Scalar>, 2> tall;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    tall[k] = blocks[k].data == Y.data ? y : tall_block(exec, blocks[k], place);
  const std::span<const TallBlock<const Scalar>> all(tall.data(), blocks.size());
  if constexpr (is_host_space<ExecutionSpace>) {
    if (in_pieces) {
      return OnHost::make_with_inner_products<ExecutionSpace, Scalar>(
          exec, workspace, dense_kernels<Scalar>(simd_target()), rows, all, y, C);
    }
  }
  inner_products<ExecutionSpace, Scalar>(exec, workspace, all, y, C);
}

template <class ExecutionSpace, class Scalar>
void make_with_dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const RowProducer& rows, const Multivector<const Scalar>& Y, Scalar* result) {
  const bool in_pieces = goes_in_pieces<ExecutionSpace>(rows, Y) && Y.rows > 0 && Y.columns > 0;
  if (!in_pieces) rows.make_all();
  const std::size_t copied = is_tall(Y) ? 0 : elements_of(Y);
  Scalar* place = copied == 0 ? nullptr : workspace.memory().template take_copies<Scalar>(exec, copied);
  const TallBlock<const Scalar> y = tall_block(exec, Y, place);
  if constexpr (is_host_space<ExecutionSpace>) {
    if (in_pieces) {
      return OnHost::make_with_dots<ExecutionSpace, Scalar>(exec, workspace, dense_kernels<Scalar>(simd_target()), rows,
                                                            y, result);
    }
  }
  dots<ExecutionSpace, Scalar>(exec, workspace, y, y, result);
}

#define TESSERA_INSTANTIATE(Exec, S)                                                                         \
  template void make_with_inner_products(const Exec&, const DenseWorkspace<Exec>&, const RowProducer&,       \
                                         std::span<const Multivector<const S>>, const Multivector<const S>&, \
                                         const SmallMatrix<S>&);                                             \
  template void make_with_dots(const Exec&, const DenseWorkspace<Exec>&, const RowProducer&,                 \
                               const Multivector<const S>&, S*);
#define TESSERA_FOR_EACH_REAL(Exec, M) TESSERA_IF_FLOAT(M, Exec, float) TESSERA_IF_DOUBLE(M, Exec, double)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_REAL, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
