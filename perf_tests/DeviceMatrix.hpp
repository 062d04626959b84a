// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <harness/KokkosKernels.hpp>
#include <harness/Timing.hpp>
#include <string>
#include <tessera/Plan.hpp>

/// Matrices and vectors on the default backend.
namespace Tessera::Impl::Benchmarks {

using namespace Harness;

using Space = Kokkos::DefaultExecutionSpace;
template <class Layout, class Scalar = double>
using Vectors = DeviceDense<Scalar, Layout, Space>;

using DevicePlan = Plan<double, Space>;

/// A matrix with int offsets: Kokkos Kernels multiplies with cuSPARSE only if offsets are int.
struct DeviceMatrix : DeviceCsr<double, int, Space> {
  std::size_t touched_columns = 0;  ///< columns with a nonzero

  std::size_t nonzeros() const { return values.extent(0); }

  DevicePlan plan(const Space& exec, const PlanOptions& options) const;

  double csr_bytes() const { return double(bytes()); }  ///< bytes of compressed rows

  /// Lower bound on the bytes that Y = A X moves: the format, the used rows of X and Y, each once.
  double compulsory_bytes(std::size_t format_bytes, int vector_columns) const {
    return double(format_bytes) + 8.0 * vector_columns * double(touched_columns + std::size_t(rows));
  }
};

/// Returns the matrix of a file, or a generated one such as "stencil27:64". It is made at the first call, and kept as
/// long as Kokkos runs.
///
/// \throws like the readers and generators; std::invalid_argument if there are 2^31 nonzeros or more
const DeviceMatrix& matrix_of(const std::string& name);

/// Returns the matrix in float.
DeviceCsr<float, int, Space> in_floats(const DeviceMatrix& A);

/// Returns the seconds of a product with row-major X and Y of `columns` columns: the mean of ten in succession.
double seconds_a_product(const Space& exec, DevicePlan& plan, int columns);

/// Fills X with pseudo-random numbers in [-1, 1), the same on every backend.
template <class View>
void scatter_values(const View& vectors) {
  const Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>> elements({0, 0}, {vectors.extent(0), vectors.extent(1)});
  Kokkos::parallel_for(
      "scatter_values", elements, KOKKOS_LAMBDA(int i, int j) {
        std::uint64_t bits = (std::uint64_t(i) * 1024 + std::uint64_t(j) + 1) * 0x9E3779B97F4A7C15u;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
        bits ^= bits >> 27;
        vectors(i, j) = typename View::value_type(double(bits >> 11) * 0x1p-52 - 1);
      });
}

/// Returns the greatest difference of elements, relative to the greatest element of Y; about 1e300 if an element is
/// NaN. For float and double and both layouts.
template <class View>
double difference(const View& Y, const View& Z);

/// PlanHints::expected_products of plans that are built at once, because only their products are timed.
inline constexpr int countless = 1000000000;

/// Upper bound on the difference of two correct products due to rounding.
template <class Scalar>
inline constexpr double rounding = sizeof(Scalar) == sizeof(float) ? 1e-4 : 1e-11;

}  // namespace Tessera::Impl::Benchmarks
