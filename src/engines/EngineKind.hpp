// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Complex.hpp>

namespace Tessera::Impl {

/// The matrices that a kind's kernel multiplies.
enum class CudaFor { RealMatrices, AllMatrices };
/// Whether only Kernel::Published uses an engine. Other engines with kernels of papers also serve Kernel::Auto.
enum class TakenBy { AnyPlan, PublishedAlone };

/// Defines a kind of engines, in plain C++. Unless only Kernel::Published uses it, a kind also has the members of
/// DefaultCost and may override them.
///
/// \tparam format_ the name of its format
/// \tparam Stored_ its format, for a memory space
/// \tparam Cuda_   the class that calls its kernel for NVIDIA GPUs, for a type of matrix
template <Format format_, template <class> class Stored_, template <class> class Cuda_,
          CudaFor cuda_for = CudaFor::RealMatrices, TakenBy taken_by = TakenBy::AnyPlan>
struct EngineKind {
  static constexpr Format format = format_;
  static constexpr bool is_paper_alone = taken_by == TakenBy::PublishedAlone;
  /// Whether its format orders the entries itself, hence no order of rows changes a product. Kinds may differ.
  static constexpr bool orders_itself = false;
  /// Whether its tiles hold adjacent columns, hence an order of columns changes them. Kinds may differ.
  static constexpr bool has_adjacent_columns = false;
  template <class Memory>
  using Stored = Stored_<Memory>;
  template <class Scalar>
  using Cuda = Cuda_<Scalar>;
  template <class Scalar>
  static constexpr bool has_cuda = cuda_for == CudaFor::AllMatrices || !is_complex_v<Scalar>;
};

}  // namespace Tessera::Impl
