// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/Kernel.hpp>
#include <tessera/format/ValueMap.hpp>
#include <tessera/select/Choose.hpp>

#include "Engine.hpp"
#include "List.hpp"

/// Access to a format's engine for callers that do not know its type.
namespace Tessera::Impl {

template <class ExecutionSpace>
class PlanReader;

/// An engine without its kernel, and the map that says where its values come from.
template <class Scalar, class ExecutionSpace>
struct BuiltEngine {
  std::unique_ptr<Engine<Scalar, ExecutionSpace>> engine;
  ValueMap<typename ExecutionSpace::memory_space> values;
};

/// Builds engines of a kind, and answers questions before an engine exists. Each kind's own source file defines the
/// members (StoredEngine.hpp).
template <class Kind, class Scalar, class ExecutionSpace>
struct EngineFactory {
  using Memory = typename ExecutionSpace::memory_space;
  using Rows = Csr<Memory>;
  using Stored = typename Kind::template Stored<Memory>;

  static BuiltEngine<Scalar, ExecutionSpace> build(const ExecutionSpace& exec, const Rows& rows,
                                                   const FormatParameters& parameters);
  static std::unique_ptr<Engine<Scalar, ExecutionSpace>> load(PlanReader<ExecutionSpace>& file, Ordinal rows,
                                                              Ordinal columns, std::size_t nonzeros);
  /// Returns an engine of this kind that moves the matrix out of `other`, an engine with the same format.
  static std::unique_ptr<Engine<Scalar, ExecutionSpace>> take(Engine<Scalar, ExecutionSpace>& other);
  /// Returns why plans with these options cannot use the kernel of the format's paper; empty if they can.
  static std::string why_not_published(const ExecutionSpace& exec, const PlanOptions& options);
};

/// Whether an execution space has published kernels. Their engines then exist next to the automatic ones.
template <class ExecutionSpace>
inline constexpr bool has_published_engines = false;
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr bool has_published_engines<Kokkos::Cuda> = true;
#endif

/// Calls visit(factory) with the EngineFactory for a format and a kernel.
///
/// \throws std::invalid_argument for Format::Auto
template <class Scalar, class ExecutionSpace, class Visit, class Kind, class... Rest>
auto with_engine_of(Format format, Kernel kernel, const Visit& visit, EngineList<Kind, Rest...>) {
  constexpr bool is_there = !Kind::is_paper_alone || has_published_engines<ExecutionSpace>;
  if constexpr (is_there) {
    const bool is_asked = !Kind::is_paper_alone || kernel == Kernel::Published;
    if (Kind::format == format && is_asked) return visit(EngineFactory<Kind, Scalar, ExecutionSpace>());
  }
  if constexpr (sizeof...(Rest) > 0) {
    return with_engine_of<Scalar, ExecutionSpace>(format, kernel, visit, EngineList<Rest...>());
  } else {
    throw std::invalid_argument("Tessera: expected the name of a format");
  }
}
template <class Scalar, class ExecutionSpace, class Visit>
auto with_engine_of(Format format, Kernel kernel, const Visit& visit) {
  return with_engine_of<Scalar, ExecutionSpace>(format, kernel, visit, Engines());
}

}  // namespace Tessera::Impl
