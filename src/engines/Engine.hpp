// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/common/CompiledTypes.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <type_traits>
#include <variant>

#include "KernelPolicy.hpp"
#include "bcsr/Bcsr.hpp"

namespace Tessera::Impl {

template <class ExecutionSpace>
class PlanWriter;

/// A product of a matrix of Scalar with vectors of any permitted type.
template <class Scalar>
struct AnyProductOf {
  using type = std::variant<Product<Scalar, Scalar>>;
};
template <>
struct AnyProductOf<float> {
  using type = std::conditional_t<
      is_compiled_v<double>,
      std::variant<Product<float, float>, Product<float, Half>, Product<float, BFloat16>, Product<float, double>>,
      std::variant<Product<float, float>, Product<float, Half>, Product<float, BFloat16>>>;
};
template <class Scalar>
using AnyProduct = typename AnyProductOf<Scalar>::type;

/// A format that stores the pattern of a matrix, and the kernel that multiplies it. The caller owns the values.
/// List.hpp lists all kinds of engines.
template <class Scalar, class ExecutionSpace>
class Engine {
 public:
  using Memory = typename ExecutionSpace::memory_space;

  virtual ~Engine() = default;

  virtual Format format() const = 0;
  virtual Ordinal rows() const = 0;
  virtual Ordinal columns() const = 0;
  virtual std::size_t nonzeros() const = 0;
  /// Returns the size of an array of values: the nonzeros, plus the zeros that the format stores.
  virtual std::size_t places() const = 0;
  /// Returns the bytes of the pattern.
  virtual std::size_t bytes() const = 0;
  virtual TileMetrics tile_metrics(const ExecutionSpace& exec) const = 0;
  /// Returns height and width of the blocks of BCSR; 0 for other formats.
  virtual BlockShape block() const = 0;
  /// Returns the canonical rows. Their map has the place of each value in the format.
  virtual BuiltCsr<Memory> to_csr(const ExecutionSpace& exec) const = 0;
  /// Whether places are the entries of the canonical rows in their order, so that values can be read in place.
  virtual bool keeps_rows() const = 0;
  /// Returns the pattern if it is CSR, so that rows can be read in place; null otherwise.
  virtual const Csr<Memory>* csr() const = 0;
  /// Returns the first broken invariant of the format, and its position; empty if all hold.
  virtual std::string validate(const ExecutionSpace& exec) const = 0;
  virtual void save(PlanWriter<ExecutionSpace>& file) = 0;

  /// Builds the device's kernel, if there is one for this format and these options. The kernel gets its values from
  /// refill(). Optional data, such as copies of the values, is stored only if there is memory for it.
  ///
  /// \param policy [in] replaces numbers that the kernel would choose, for benchmarks
  /// \return the precision in which the kernel multiplies; nothing if there is no kernel
  /// \throws FormatTooLarge if there is no memory for required data
  /// \throws PolicyError for a policy that the kernel cannot run with
  virtual std::optional<Precision> build_kernel(const ExecutionSpace& exec, const PlanOptions& options,
                                                const KernelPolicy& policy = {}) = 0;
  /// Whether the kernel of the format's paper was requested and built.
  virtual bool is_published() const = 0;
  /// Returns the kernel's name for Plan::explain(); empty if there is only one.
  virtual std::string describe() const = 0;
  /// Returns the bytes that the kernel stores in addition to the format.
  virtual std::size_t kernel_bytes() const = 0;
  virtual std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const = 0;
  /// Whether the kernel multiplies 16-bit vectors.
  virtual bool multiplies_halves() const = 0;
  /// Gives the kernel new values, in the order of the format.
  ///
  /// \param wanted [in] null, or device memory: if it holds 0 when the kernel runs, nothing is done
  virtual void refill(const ExecutionSpace& exec, const Scalar* values, const std::uint32_t* wanted) const = 0;
  /// Computes a product with the device's kernel or, if the kernel does not support it, in portable code.
  ///
  /// \return false for 16-bit vectors that neither supports
  virtual bool multiply(const ExecutionSpace& exec, const AnyProduct<Scalar>& product,
                        const Scratch& scratch) const = 0;
};

}  // namespace Tessera::Impl
