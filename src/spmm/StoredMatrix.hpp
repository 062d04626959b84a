// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tessera/PlanOptions.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/portable/Spmm.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <tessera/spmm/impl/ValueWatch.hpp>
#include <utility>

#include "Engines.hpp"
#include "FollowOnDevice.hpp"
#include "Reorder.hpp"
#include "WidenedProduct.hpp"

namespace Tessera::Impl {

/// Returns the options for storing the transpose of a plan's matrix.
///
/// \param format [in] the format of the plan's matrix
inline PlanOptions options_of_transpose(PlanOptions options, Format format) {
  options.format = format;
  options.shares_values = false;
  // The transpose of a block of h x w elements has w x h elements.
  std::swap(options.parameters.bcsr_block_rows, options.parameters.bcsr_block_columns);
  return options;
}

/// A, or its transpose, as a plan stores it: format, orders of rows and columns, values, and kernels.
template <class Scalar, class ExecutionSpace>
struct StoredMatrix {
  using Memory = typename ExecutionSpace::memory_space;

  std::unique_ptr<Engine<Scalar, ExecutionSpace>> engine;  // null if the plan has no transpose
  Orders<Memory> orders;                                   // rows and columns of the format in terms of A
  ValueMap<Memory> map;                                    // place in the format -> canonical entry of A
  Array<Scalar*, Memory> values;                           // one for each place; empty while they are the caller's
  Choice choice;
  TileMetrics tiles;

  std::size_t places() const { return engine ? engine->places() : 0; }
  std::size_t pattern_bytes() const { return engine ? engine->bytes() : 0; }
  std::size_t kernel_bytes() const { return engine ? engine->kernel_bytes() : 0; }
  std::size_t format_bytes() const { return pattern_bytes() + places() * sizeof(Scalar) + orders.bytes(); }
  /// Returns the part of format_bytes() that is not the caller's.
  std::size_t held_bytes() const { return pattern_bytes() + values.extent(0) * sizeof(Scalar) + orders.bytes(); }
  std::size_t bytes() const { return held_bytes() + map.bytes() + kernel_bytes() + watch.bytes(); }

  /// Returns the bytes of scratch memory for products with X and Y of any type that is allowed.
  ///
  /// \param half_vectors [in] whether X and Y may have 16 bits
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns, bool half_vectors) const {
    const std::size_t bytes = engine->scratch_bytes(x_rows, columns);
    const bool widens = half_vectors && !engine->multiplies_halves();
    return bytes + (widens ? WidenedPanels(x_rows, engine->rows(), columns).bytes() : 0);
  }

  /// Returns the values for the next product, in the order of the format.
  const Scalar* current_values() const { return followed != nullptr ? followed : values.data(); }

  /// Replaces the values of A.
  ///
  /// \param source       [in] canonical entry of A -> index in given_values
  /// \param given_values [in] the caller's array
  void fill(const ExecutionSpace& exec, const ValueMap<Memory>& source, const Scalar* given_values) {
    followed = nullptr;
    watch.forget(exec);
    copy(exec, source, given_values, nullptr);
  }

  /// Takes the first values. If there is no room for them, products read them in the caller's array.
  /// \param source, given_values [in] as for fill()
  void begin(const ExecutionSpace& exec, const ValueMap<Memory>& source, const Scalar* given_values) {
    if (lacks_room())
      followed = given_values;
    else
      fill(exec, source, given_values);
  }

  /// Whether fill() needs make_room() before.
  bool lacks_room() const { return values.extent(0) < places(); }
  /// Allocates the values.
  void make_room(const ExecutionSpace& exec) { values = allocate<decltype(values)>(exec, "Tessera::values", places()); }

  /// Whether products read the caller's array.
  bool reads_in_place() const { return followed != nullptr; }

  /// Whether products can read followed values in the caller's array.
  bool reads_given(const ValueMap<Memory>& source) const {
    return engine->keeps_rows() && source.is_identity() && map.is_identity();
  }

  /// Whether follow() would allocate memory. It does so only when it first watches values.
  bool begins_to_watch(const ValueMap<Memory>& source) const { return !watch.is_ready() && !reads_given(source); }
  /// Gives follow() a watch that has its memory.
  void watch_with(ValueWatch<ExecutionSpace> ready) { watch = std::move(ready); }

  /// Makes products use the values that the caller's array holds when they run. If compressed or compact rows are in
  /// the caller's order, products read the array in place. Otherwise values are copied again if they have changed.
  /// \param source, given_values [in] as for fill()
  /// \param count                [in] number of the caller's values, at least 1
  void follow(const ExecutionSpace& exec, const ValueMap<Memory>& source, const Scalar* given_values,
              std::size_t count) {
    if (reads_given(source)) {
      followed = given_values;
      return;
    }
    watch.look(exec, given_values, count * sizeof(Scalar));
    copy(exec, source, given_values, watch.changed());
  }

  /// Allocates what follow() needs if another matrix follows the caller's values. Cost: as ValueWatch::make_ready().
  void follow_like(const ExecutionSpace& exec, const StoredMatrix& other) {
    if (!reads_in_place() && (other.reads_in_place() || other.watch.is_ready())) watch.make_ready(exec);
  }

  /// Computes a product, whose values and orders are set here. alpha and the matrix must not be zero.
  template <class VectorScalar>
  void multiply(const ExecutionSpace& exec, Product<Scalar, VectorScalar> product, const Scratch& scratch) const {
    complete(product);
    if (engine->multiply(exec, product, scratch)) return;
    if constexpr (is_half_v<VectorScalar>) {
      multiply_widened(exec, product, scratch,
                       [&](const Product<Scalar, float>& panel, const Scratch& rest) { multiply(exec, panel, rest); });
    }
  }

  /// Returns whether multiply_rows() can compute a few rows of Y at a time, with the same bits as multiply(). That
  /// needs a host, compressed rows that are not reordered, and row-major X and Y.
  template <class VectorScalar>
  bool makes_rows(const Multivector<const VectorScalar>& X, const Multivector<VectorScalar>& Y) const {
    return is_host_space<ExecutionSpace> && engine->csr() != nullptr && orders.rows.is_identity() &&
           (X.columns == 1 || (X.column_stride == 1 && Y.column_stride == 1));
  }

  /// Computes rows [first, last) of a product on the calling thread. Needs makes_rows().
  template <class VectorScalar>
  void multiply_rows(Product<Scalar, VectorScalar> product, Ordinal first, Ordinal last) const {
    complete(product);
    multiply_rows_on_host(engine->csr()->view(), product, first, last);
  }

  /// Returns the bytes of the rows before `row`. Needs makes_rows().
  std::int64_t bytes_before(Ordinal row) const {
    const std::int64_t entries = entries_before(engine->csr()->view(), row);
    return entries * std::int64_t(sizeof(Scalar) + sizeof(Ordinal)) + row * std::int64_t(sizeof(Offset));
  }

  /// Frees the arrays that only updates of values need.
  void release_source() {
    map = {};
    watch = {};
  }

  /// If products read values in the caller's array, copies these values. Waits for `exec`.
  void keep_values(const ExecutionSpace& exec, const ValueMap<Memory>& source) {
    if (followed == nullptr) return;
    if (lacks_room()) make_room(exec);
    fill(exec, source, std::exchange(followed, nullptr));
    exec.fence("Tessera::keep_values");
  }

 private:
  /// Sets the members of a product that describe this matrix.
  template <class VectorScalar>
  void complete(Product<Scalar, VectorScalar>& product) const {
    product.values = current_values();
    product.y_rows = orders.rows.is_identity() ? nullptr : orders.rows.order.data();
    product.x_rows = orders.columns.is_identity() ? nullptr : orders.columns.order.data();
  }

  void copy(const ExecutionSpace& exec, const ValueMap<Memory>& source, const Scalar* given_values,
            const std::uint32_t* wanted) {
    const std::size_t size = values.extent(0);
    if (wanted == nullptr ||
        !gather_on_device(exec, gather_value(source, map, given_values, values.data()), size, wanted))
      gather_values(exec, source, map, given_values, values.data(), size, wanted);
    engine->refill(exec, values.data(), wanted);
  }

  const Scalar* followed = nullptr;  // the caller's array if products read it in place; else null
  ValueWatch<ExecutionSpace> watch;  // detects changes of the caller's array
};

}  // namespace Tessera::Impl
