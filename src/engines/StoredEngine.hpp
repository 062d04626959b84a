// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <string>
#include <tessera/Kernel.hpp>
#include <tessera/metrics/FormatTiles.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "Device.hpp"
#include "Engines.hpp"
#include "PlanArchive.hpp"

namespace Tessera::Impl {

/// Stands for the kernel of devices without one: it stores nothing and multiplies nothing.
template <class Scalar>
struct NoKernel {
  template <class ExecutionSpace, class Stored>
  bool build(const ExecutionSpace&, const Stored&, const PlanOptions&, const KernelPolicy&) {
    return false;
  }
  static std::string why_not_published(const PlanOptions&) { return {}; }
  Precision precision() const { return Precision::Native; }
  std::string describe() const { return {}; }
  std::size_t bytes() const { return 0; }
  std::size_t scratch_bytes(Ordinal, Ordinal) const { return 0; }
  bool multiplies_halves() const { return false; }
  template <class ExecutionSpace>
  void refill(const ExecutionSpace&, const Scalar*, const std::uint32_t*) const {}
  template <class ExecutionSpace, class VectorScalar>
  bool multiply(const ExecutionSpace&, const Product<Scalar, VectorScalar>&, const Scratch&) const {
    return false;
  }
};

/// The kernel of a kind of engine on the device of an execution space.
template <class Kind, class Scalar, class ExecutionSpace>
struct KernelOf {
  using type = NoKernel<Scalar>;
};
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
template <class Kind, class Scalar>
requires(Kind::template has_cuda<Scalar>) struct KernelOf<Kind, Scalar, Kokkos::Cuda> {
  using type = typename Kind::template Cuda<Scalar>;
};
#endif

template <class Scalar, class ExecutionSpace>
class DeviceRowsKernel;  // csr/DeviceRowsKernel.hpp, which engines of compressed rows include

/// What devices without a kernel keep for portable products of a pattern in compressed rows.
template <class Pattern, class Scalar, class ExecutionSpace>
struct RowsKernelOf {
  using type = NoKernel<Scalar>;
};
template <class Pattern, class Scalar, class ExecutionSpace>
requires(has_row_entries<Pattern> &&
         !is_host_space<ExecutionSpace>) struct RowsKernelOf<Pattern, Scalar, ExecutionSpace> {
  using type = DeviceRowsKernel<Scalar, ExecutionSpace>;
};

/// The matrix of an engine in its format.
template <class Stored, class Scalar, class ExecutionSpace>
class StoredMatrixEngine : public Engine<Scalar, ExecutionSpace> {
 public:
  using typename Engine<Scalar, ExecutionSpace>::Memory;
  static constexpr bool is_csr = std::is_same_v<Stored, Csr<Memory>>;

  explicit StoredMatrixEngine(Stored stored) : stored_(std::move(stored)) {}

  Stored& stored() { return stored_; }
  Ordinal rows() const override { return stored_.rows; }
  Ordinal columns() const override { return stored_.columns; }
  std::size_t nonzeros() const override { return stored_.nonzeros; }
  std::size_t places() const override { return stored_.places(); }
  std::size_t bytes() const override { return stored_.bytes(); }
  TileMetrics tile_metrics(const ExecutionSpace& exec) const override {
    if constexpr (is_csr) {
      return {};
    } else {
      return Tessera::Impl::tile_metrics(exec, stored_);
    }
  }
  BlockShape block() const override {
    if constexpr (requires { stored_.block; }) {
      return stored_.block;
    } else {
      return {0, 0};
    }
  }
  BuiltCsr<Memory> to_csr(const ExecutionSpace& exec) const override {
    if constexpr (is_csr) {
      return {stored_, {}};
    } else {
      using Tessera::Impl::to_csr;  // argument-dependent lookup finds the format's overload
      return to_csr<ExecutionSpace>(exec, stored_);
    }
  }
  const Csr<Memory>* csr() const override {
    if constexpr (is_csr) {
      return &stored_;
    } else {
      return nullptr;
    }
  }
  std::string validate(const ExecutionSpace& exec) const override {
    using Tessera::Impl::validate;
    return validate<ExecutionSpace>(exec, stored_);
  }
  void save(PlanWriter<ExecutionSpace>& file) override { stored_.transfer(file); }

 protected:
  Stored stored_;
};

/// An engine of a kind: its matrix, and its kernel if the device has one that was built.
template <class Kind, class Scalar, class ExecutionSpace>
class KernelEngine final
    : public StoredMatrixEngine<typename Kind::template Stored<typename ExecutionSpace::memory_space>, Scalar,
                                ExecutionSpace> {
  using Stored = typename Kind::template Stored<typename ExecutionSpace::memory_space>;
  using Base = StoredMatrixEngine<Stored, Scalar, ExecutionSpace>;
  using Base::stored_;
  using KernelType = typename KernelOf<Kind, Scalar, ExecutionSpace>::type;
  using Pattern = decltype(std::declval<const Stored&>().view());
  using RowsKernel = typename RowsKernelOf<Pattern, Scalar, ExecutionSpace>::type;
  static constexpr bool has_rows_kernel = !std::is_same_v<RowsKernel, NoKernel<Scalar>>;
  using ThisDevice = Device<Scalar, ExecutionSpace>;

 public:
  using Base::Base;

  Format format() const override { return Kind::format; }
  bool keeps_rows() const override { return Kind::keeps_rows; }

  std::optional<Precision> build_kernel(const ExecutionSpace& exec, const PlanOptions& options,
                                        const KernelPolicy& policy) override {
    asked_ = options.precision;
    same_bits_alone_ = options.same_bits_alone;
    paper_ = {};
    kernel_.reset();
    rows_kernel_.reset();
    KernelType kernel;
    if (!ThisDevice::runs_kernels(exec) || !kernel.build(exec, stored_, options, policy)) {
      if constexpr (has_rows_kernel) {
        RowsKernel rows;
        rows.build(exec, stored_, options);
        rows_kernel_ = std::move(rows);
      }
      return {};
    }
    kernel_ = std::move(kernel);
    if (options.kernel == Kernel::Published) paper_ = paper_of(Kind::format);
    return kernel_->precision();
  }
  bool is_published() const override { return !paper_.empty(); }
  std::string describe() const override {
    if (!kernel_) return ThisDevice::describe_portable(asked_);
    const char* const vectors = std::is_same_v<Scalar, float> ? ", vectors of double for any device" : "";
    const std::string paper = is_published() ? "as published (" + std::string(paper_) + ")" + vectors + ": " : "";
    return paper + kernel_->describe() + describe_precision(asked_, kernel_->precision());
  }
  std::size_t kernel_bytes() const override {
    if (rows_kernel_) return rows_kernel_->bytes();
    return kernel_ ? kernel_->bytes() : 0;
  }
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const override {
    if (kernel_) return kernel_->scratch_bytes(x_rows, columns);
    if (rows_kernel_) return rows_kernel_->scratch_bytes(x_rows, columns);
    if (Kind::format == Format::SortedColumns) return 0;  // reads X in place
    return spmm_scratch_bytes<ExecutionSpace, widest_vector_t<Scalar>>(x_rows, columns);
  }
  bool multiplies_halves() const override { return kernel_ && kernel_->multiplies_halves(); }
  void refill(const ExecutionSpace& exec, const Scalar* values, const std::uint32_t* wanted) const override {
    if (kernel_) kernel_->refill(exec, values, wanted);
  }
  bool multiply(const ExecutionSpace& exec, const AnyProduct<Scalar>& product, const Scratch& scratch) const override {
    return std::visit([&](const auto& any) { return multiply_any(exec, any, scratch); }, product);
  }

 private:
  template <class VectorScalar>
  bool multiply_any(const ExecutionSpace& exec, const Product<Scalar, VectorScalar>& product,
                    const Scratch& scratch) const {
    if (kernel_ && kernel_->multiply(exec, product, scratch)) return true;
    if constexpr (is_half_v<VectorScalar>) {
      return false;
    } else {
      Product<Scalar, VectorScalar> portable = product;
      portable.same_bits_alone = product.same_bits_alone || same_bits_alone_;
      if constexpr (has_rows_kernel) {
        if (rows_kernel_) {
          rows_kernel_->multiply(exec, stored_.view(), stored_.nonzeros, portable, scratch);
          return true;
        }
      }
      portable_spmm(exec, stored_.view(), stored_.nonzeros, portable, scratch);
      return true;
    }
  }

  std::optional<KernelType> kernel_;
  std::optional<RowsKernel> rows_kernel_;  // if there is no kernel
  Precision asked_ = Precision::Native;
  bool same_bits_alone_ = false;
  std::string_view paper_;  // the paper of the kernel; empty unless the options requested its kernel
};

template <class Kind, class Scalar, class ExecutionSpace>
BuiltEngine<Scalar, ExecutionSpace> EngineFactory<Kind, Scalar, ExecutionSpace>::build(
    const ExecutionSpace& exec, const Rows& rows, const FormatParameters& parameters) {
  auto built = Stored::build(exec, rows, parameters, sizeof(Scalar));
  return {std::make_unique<KernelEngine<Kind, Scalar, ExecutionSpace>>(std::move(built.pattern)),
          std::move(built.values)};
}

template <class Kind, class Scalar, class ExecutionSpace>
std::unique_ptr<Engine<Scalar, ExecutionSpace>> EngineFactory<Kind, Scalar, ExecutionSpace>::load(
    PlanReader<ExecutionSpace>& file, Ordinal rows, Ordinal columns, std::size_t nonzeros) {
  Stored stored;
  stored.rows = rows;
  stored.columns = columns;
  stored.nonzeros = nonzeros;
  if constexpr (requires { stored.value_size; }) stored.value_size = sizeof(Scalar);
  stored.transfer(file);
  return std::make_unique<KernelEngine<Kind, Scalar, ExecutionSpace>>(std::move(stored));
}

template <class Kind, class Scalar, class ExecutionSpace>
std::unique_ptr<Engine<Scalar, ExecutionSpace>> EngineFactory<Kind, Scalar, ExecutionSpace>::take(
    Engine<Scalar, ExecutionSpace>& other) {
  auto& same = static_cast<StoredMatrixEngine<Stored, Scalar, ExecutionSpace>&>(other);
  return std::make_unique<KernelEngine<Kind, Scalar, ExecutionSpace>>(std::move(same.stored()));
}

template <class Kind, class Scalar, class ExecutionSpace>
std::string EngineFactory<Kind, Scalar, ExecutionSpace>::why_not_published(const ExecutionSpace& exec,
                                                                           const PlanOptions& options) {
  const std::string fault = Device<Scalar, ExecutionSpace>::why_not_published(exec, Kind::format);
  return fault.empty() ? KernelOf<Kind, Scalar, ExecutionSpace>::type::why_not_published(options) : fault;
}

}  // namespace Tessera::Impl
