// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Kokkos Kernels 4.7.00 with cuSPARSE uses std::cerr without this include. The error appears with
// KOKKOSKERNELS_ETI_ONLY, which leaves out the headers that include it.
// clang-format off
#include <iostream>
// clang-format on

#include <KokkosSparse_spmv.hpp>
#include <stdexcept>
#include <string>
#include <tessera/kokkos_kernels/impl/SpmvHandleImpl.hpp>
#include <type_traits>

namespace Tessera {

/// A handle for KokkosSparse::spmv that makes it compute with Tessera. The only line that changes is its declaration:
///
/// ```
///   KokkosSparse::SPMVHandle<Device, Matrix, X, Y> handle;   // before
///   Tessera::SpmvHandle<Device, Matrix, X, Y> handle;        // after
///   KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);
/// ```
///
/// It supports all modes ("N", "T", "C", "H"), rank 1 and 2, and every layout of Kokkos Kernels. A is a
/// KokkosSparse::CrsMatrix or BsrMatrix of float, double or Kokkos::complex of these, with int ordinals. The promises
/// of spmm() hold: beta = 0 overwrites whatever Y holds, and transposed products use no atomics.
///
/// **Values are never stale.** The first product, or prepare(), makes a plan in a few passes over A. Each product then
/// multiplies with the values that A has when it runs, like Kokkos Kernels' own handle; Plan::follow_values() says how,
/// and at what cost. A program that knows when its values change may call values_changed() instead. From its first call
/// on, the handle relies on these calls, and products no longer read the values of A.
///
/// As with Kokkos Kernels, a handle serves one matrix: call reset() before you use another one. The handle detects
/// other extents and arrays at another address, but an address may be reused.
///
/// The handle also has these members:
/// - values_changed() says that the values of A changed, and promises a call for each later change;
/// - reset() forgets the matrix and frees the plan;
/// - plan() returns the plan, after the first product or prepare();
/// - explain() returns the choice in words.
///
/// A debug build throws std::logic_error if a call of values_changed() after the first is missing; see checks_values().
///
/// Only one product may run at a time. Products may run on any execution space instance. If a product runs on another
/// instance than the previous product, it first fences that instance, because the two share scratch memory.
///
/// The options of Kokkos Kernels' own kernels (team_size, force_static_schedule, bsr_tc_precision, ...) do not exist
/// here. Products with Kokkos Kernels' own handle, in this file or another, compute as before.
///
/// \tparam DeviceType a Kokkos::Device or execution space, where products run
/// \tparam AMatrix, XVector, YVector as for KokkosSparse::SPMVHandle
template <class DeviceType, class AMatrix, class XVector, class YVector>
class SpmvHandle : public Impl::spmv_handle_impl_t<DeviceType, AMatrix> {
  using Base = Impl::spmv_handle_impl_t<DeviceType, AMatrix>;

  static_assert(KokkosSparse::is_crs_matrix_v<AMatrix> || KokkosSparse::Experimental::is_bsr_matrix_v<AMatrix>,
                "Tessera::SpmvHandle: AMatrix is a KokkosSparse::CrsMatrix or BsrMatrix");
  static_assert(Kokkos::is_view_v<XVector> && Kokkos::is_view_v<YVector>,
                "Tessera::SpmvHandle: XVector and YVector are Kokkos::Views");
  static_assert(XVector::rank() == YVector::rank() && (XVector::rank() == 1 || XVector::rank() == 2),
                "Tessera::SpmvHandle: XVector and YVector both have rank 1, or both rank 2");

 public:
  using AMatrixType = AMatrix;                                      ///< the type of A
  using XVectorType = XVector;                                      ///< the type of X
  using YVectorType = YVector;                                      ///< the type of Y
  using ExecutionSpaceType = typename DeviceType::execution_space;  ///< where products run

  /// Makes a handle whose plan is made for the number of columns of the first product or prepare().
  SpmvHandle() = default;

  /// Makes a handle whose plan is made with these options.
  explicit SpmvHandle(const PlanOptions& options) : Base(options) {}

  /// Makes a handle for code that passes an algorithm. SPMV_DEFAULT, SPMV_FAST_SETUP and SPMV_MERGE_PATH are the same.
  ///
  /// \throws std::invalid_argument for an algorithm that selects an implementation of Kokkos Kernels
  explicit SpmvHandle(KokkosSparse::SPMVAlgorithm algorithm) {
    if (KokkosSparse::is_spmv_algorithm_native(algorithm)) {
      throw std::invalid_argument(
          std::string("Tessera::SpmvHandle: ") + KokkosSparse::get_spmv_algorithm_name(algorithm) +
          " is an implementation of Kokkos Kernels; expected SPMV_DEFAULT, or KokkosSparse::SPMVHandle");
    }
  }

  /// Makes the plan, unless there is one, and allocates the memory that products in this mode with up to `columns`
  /// columns need, as the first product would. Such products then allocate nothing.
  ///
  /// \param mode [in] "N", "T", "C" or "H"; the first "T" or "H" also builds the transpose, which takes about the time
  ///                  and the memory of the plan
  /// \throws std::invalid_argument like make_plan() and Plan::prepare(), and if A is not the matrix of the plan
  void prepare(const ExecutionSpaceType& exec, const AMatrix& A, int columns, const char mode[] = "N") {
    constexpr bool is_left = XVector::rank() == 2 && std::is_same_v<typename XVector::array_layout, Kokkos::LayoutLeft>;
    this->prepare_for(exec, A, Impl::mode_of(mode), columns, is_left);
  }
};

}  // namespace Tessera
