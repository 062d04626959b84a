// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Mode.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/reorder/Permutation.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/Workspace.hpp>

namespace Tessera::Impl {

/// What Plan hides: compiled in the library for every kernel scalar, offset and enabled execution space, so that a
/// user's file instantiates none of it.
template <class Scalar, class Offset, class ExecutionSpace>
class PlanState {
 public:
  /// A matrix of the user's, with the sizes of its arrays for checking.
  struct Input {
    CsrPattern<Offset> pattern;  // of blocks, each with its values row-major, if block_size > 1
    Ordinal block_size = 1;
    const Scalar* values = nullptr;
    std::size_t row_offsets_size = 0;
    std::size_t column_indices_size = 0;
    std::size_t values_size = 0;
  };

  PlanState(const ExecutionSpace& exec, const Input& input, const PlanOptions& options);
  /// Of the bytes of a file that save() wrote; messages call it `name`.
  PlanState(const ExecutionSpace& exec, std::string_view bytes, const std::string& name);
  ~PlanState();
  PlanState(const PlanState&) = delete;
  PlanState& operator=(const PlanState&) = delete;

  Ordinal rows() const;
  Ordinal columns() const;
  std::size_t nonzeros() const;
  const Choice& choice() const;
  const TileMetrics& tile_metrics() const;
  const Permutation<typename ExecutionSpace::memory_space>& row_order() const;
  std::string explain() const;
  std::size_t bytes() const;
  std::size_t format_bytes() const;
  std::size_t slot_map_bytes() const;
  std::size_t kernel_bytes() const;

  Workspace<ExecutionSpace> prepare(const ExecutionSpace& exec, int columns, Mode mode);
  void update_values(const ExecutionSpace& exec, const Scalar* values, std::size_t count);
  void release_source();
  void save(const std::string& path) const;
  static std::shared_ptr<PlanState> load(const ExecutionSpace& exec, const std::string& path);

  template <class VectorScalar>
  void apply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode, VectorScalar alpha,
             const Multivector<const VectorScalar>& X, VectorScalar beta, const Multivector<VectorScalar>& Y) const;

 private:
  struct Members;
  void build_transpose(const ExecutionSpace& exec);
  void check_product(const Workspace<ExecutionSpace>& work, Mode mode, Ordinal x_rows, Ordinal x_columns,
                     Ordinal y_rows, Ordinal y_columns) const;
  std::unique_ptr<Members> members_;
};

}  // namespace Tessera::Impl
