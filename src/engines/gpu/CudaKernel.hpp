// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <type_traits>

#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "KernelPolicy.hpp"

namespace Tessera::Impl {

/// The common parts of kernel classes: products in panels of columns, and no copy of the values. Derived has
///
///   label                             name of a product for Kokkos Tools
///   x_access<VectorScalar>()          how the kernel reads X, hence which X it reads in place
///   workspace_bytes(x)                scratch memory of a product with x
///   launch(stream, product, scratch)  starts the kernels of a product
///
/// and build(), bytes() and describe(), which engines also call.
template <class Derived, class Scalar>
class CudaKernel {
 public:
  /// The precision in which tensor cores multiply.
  Precision precision() const { return precision_; }

  /// Returns why the kernel of the format's paper does not support these options; empty if it does.
  static std::string why_not_published(const PlanOptions&) { return {}; }

  /// Updates the kernel's copy of the values, if any, from values in the order of the format.
  void refill(const Kokkos::Cuda&, const Scalar*, const std::uint32_t*) const {}

  /// Returns an upper bound on the bytes for vectors of any type that the kernel multiplies.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    const auto bytes_for = [&]<class VectorScalar>() {
      return panel_scratch_bytes<VectorScalar>(
          derived().template x_access<VectorScalar>(), x_rows, columns,
          [&](const auto& x) { return derived().workspace_bytes(x); }, derived().panel_widths());
    };
    std::size_t bytes = bytes_for.template operator()<typename Derived::WidestVector>();
    if constexpr (Derived::has_half_kernels) {
      if (half_vectors_ && derived().multiplies_halves())
        bytes = std::max({bytes, bytes_for.template operator()<Half>(), bytes_for.template operator()<BFloat16>()});
    }
    return bytes;
  }

  /// The panels of columns into which an X that is copied is cut.
  PanelWidths panel_widths() const { return {}; }

  /// Whether this class has kernels for 16-bit vectors, and whether this object uses one.
  static constexpr bool has_half_kernels = false;
  static bool multiplies_halves() { return false; }

  /// \return whether the kernel supports vectors of this type
  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    constexpr bool are_alike = std::is_same_v<Scalar, VectorScalar>;
    if constexpr (are_alike) launch_panels(exec, product, scratch);
    return are_alike;
  }

 protected:
  using WidestVector = Scalar;
  using Memory = Kokkos::Cuda::memory_space;

  template <class VectorScalar>
  void launch_panels(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product,
                     const Scratch& scratch) const {
    const CudaLaunches launches(Derived::label, exec);
    for_each_panel(
        product, scratch, derived().template x_access<VectorScalar>(),
        [&](const auto& panel, const Scratch& aligned) { derived().launch(launches.stream(), panel, aligned); },
        derived().panel_widths());
  }

  Precision precision_ = Precision::Native;
  bool half_vectors_ = false;  // whether products may have 16-bit vectors

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

}  // namespace Tessera::Impl
