// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tessera/Half.hpp>
#include <tessera/Mode.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/Workspace.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>
#include <tessera/spmm/impl/LiveObject.hpp>
#include <variant>
#include <vector>

namespace Tessera::Impl {

struct BlockStats;
struct Choice;
struct Explanation;
template <class MemorySpace>
struct Permutation;
struct RowProducer;
struct TileMetrics;
template <class ExecutionSpace>
class WorkspacePool;

/// The pattern of the user's matrix, with the sizes of its arrays for checks. If block_size > 1, rows, columns and
/// entries count dense blocks.
struct UserRows {
  Ordinal rows = 0;
  Ordinal columns = 0;
  Ordinal block_size = 1;
  std::variant<const int*, const std::size_t*> row_offsets;
  const Ordinal* column_indices = nullptr;
  std::size_t row_offsets_size = 0;
  std::size_t column_indices_size = 0;
  std::shared_ptr<const void> owner;                 // keeps both arrays alive if plans may share them; else null
  std::size_t most_entries = most_entries_of_block;  // upper bound on a block's elements; smaller in tests
  std::size_t most_places = most_entries_of_block;   // upper bound on the places of its format; smaller in tests
};

/// The compiled part of a plan. The library instantiates it for every scalar type of kernels and every enabled
/// execution space, hence users' files do not.
///
/// All stored offsets are ints. A matrix with more entries or places than an int can count is stored as several blocks
/// of rows.
template <class Scalar, class ExecutionSpace>
class PlanState final : private LiveObject {
 public:
  /// The user's matrix. The values of a dense block are row-major.
  struct Input : UserRows {
    const Scalar* values = nullptr;
    std::size_t values_size = 0;
  };

  PlanState(const ExecutionSpace& exec, const Input& input, const PlanOptions& options);
  /// Loads the plan from the bytes of a file that save() wrote. Messages call the file `name`.
  PlanState(const ExecutionSpace& exec, std::string_view bytes, const std::string& name);
  ~PlanState() override;
  PlanState(const PlanState&) = delete;
  PlanState& operator=(const PlanState&) = delete;

  /// False after Kokkos::finalize(): no other function may be called then.
  bool is_alive() const { return members_ != nullptr; }

  Ordinal rows() const;
  Ordinal columns() const;
  std::size_t nonzeros() const;
  Format format() const;
  const Choice& choice() const;
  const TileMetrics& tile_metrics() const;
  Permutation<typename ExecutionSpace::memory_space> row_order() const;
  std::string explain() const;
  std::string stats() const;
  std::size_t bytes() const;
  std::size_t format_bytes() const;
  std::size_t slot_map_bytes() const;
  std::size_t kernel_bytes() const;

  Workspace<ExecutionSpace> prepare(const ExecutionSpace& exec, int num_vectors, Mode mode) const;
  /// Returns one of the workspaces that the plan keeps, for a product without a workspace. Several threads may call
  /// this. The first call for a transposed mode builds the transpose.
  Workspace<ExecutionSpace> borrow(const ExecutionSpace& exec, Mode mode, int num_vectors) const;
  void give_back(Workspace<ExecutionSpace> work) const noexcept;
  void update_values(const ExecutionSpace& exec, const Scalar* values, std::size_t count);
  void follow_values(const ExecutionSpace& exec, Mode mode, const Scalar* values, std::size_t count);
  void release_source(const ExecutionSpace& exec);
  /// Takes all steps of growth now (Growth.hpp).
  void settle(const ExecutionSpace& exec) const;
  void save(const ExecutionSpace& exec, const std::string& path) const;
  static std::shared_ptr<PlanState> load(const ExecutionSpace& exec, const std::string& path);

  template <class VectorScalar>
  void apply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode, sum_of_t<VectorScalar> alpha,
             const Multivector<const VectorScalar>& X, sum_of_t<VectorScalar> beta,
             const Multivector<VectorScalar>& Y) const;
  /// See spmm_with_inner_products(). Result matrices without data are not computed.
  template <class VectorScalar>
  void apply_with_inner_products(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode,
                                 VectorScalar alpha, const Multivector<const VectorScalar>& X, VectorScalar beta,
                                 const Multivector<VectorScalar>& Y, const SmallMatrix<VectorScalar>& XtY,
                                 const SmallMatrix<VectorScalar>& YtY) const;
  /// See residual().
  template <class VectorScalar>
  void residual(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode,
                const Multivector<const VectorScalar>& X, const Multivector<const VectorScalar>& B,
                const Multivector<VectorScalar>& R, VectorScalar* squared_norms) const;

 private:
  struct Members;
  Explanation explanation() const;
  std::vector<BlockStats> block_stats() const;
  using Reading = std::shared_lock<std::shared_mutex>;
  Reading begin_product(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode,
                        Ordinal columns) const;
  void grow(const ExecutionSpace& exec, std::uint64_t product) const;
  void make_room(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode) const;
  template <class VectorScalar>
  void multiply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode,
                sum_of_t<VectorScalar> alpha, const Multivector<const VectorScalar>& X, sum_of_t<VectorScalar> beta,
                const Multivector<VectorScalar>& Y) const;
  void keep_values(const ExecutionSpace& exec) const;
  void check_new_values(const char* who, const Scalar* values, std::size_t count) const;
  std::size_t held_bytes() const override;
  void release() noexcept override;
  template <class VectorScalar>
  RowProducer producer(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode, VectorScalar alpha,
                       const Multivector<const VectorScalar>& X, VectorScalar beta,
                       const Multivector<VectorScalar>& Y) const;
  std::unique_ptr<Members> members_;
  // Not a member of `members_`, because Kokkos::finalize() frees each workspace separately.
  std::unique_ptr<WorkspacePool<ExecutionSpace>> workspaces_;
};

}  // namespace Tessera::Impl
