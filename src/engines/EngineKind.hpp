// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Complex.hpp>

namespace Tessera::Impl {

/// The matrices that a kind's kernel multiplies.
enum class CudaFor { RealMatrices, AllMatrices };
/// Who uses an engine: any plan, or only plans with Kernel::Published. Kernel::Auto may also use published kernels.
enum class TakenBy { AnyPlan, PublishedAlone };

/// Defines a kind of engine, in plain C++. A kind also has the members of DefaultCost and may override them, unless
/// only Kernel::Published uses it.
///
/// \tparam format_ the name of its format
/// \tparam Stored_ its format, for a memory space
/// \tparam Cuda_   the class that calls its kernel for NVIDIA GPUs, for a type of matrix
template <Format format_, template <class> class Stored_, template <class> class Cuda_,
          CudaFor cuda_for = CudaFor::RealMatrices, TakenBy taken_by = TakenBy::AnyPlan>
struct EngineKind {
  static constexpr Format format = format_;
  static constexpr bool is_paper_alone = taken_by == TakenBy::PublishedAlone;
  /// Whether the format orders the entries itself, so no order of rows changes a product. A kind may override this.
  static constexpr bool orders_itself = false;
  /// Whether tiles hold adjacent columns, so an order of columns changes the tiles. A kind may override this.
  static constexpr bool has_adjacent_columns = false;
  /// Whether places are the entries of the canonical rows in their order. A kind may override this.
  static constexpr bool keeps_rows = false;
  template <class Memory>
  using Stored = Stored_<Memory>;
  template <class Scalar>
  using Cuda = Cuda_<Scalar>;
  template <class Scalar>
  static constexpr bool has_cuda = cuda_for == CudaFor::AllMatrices || !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
