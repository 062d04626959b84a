// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tessera/Plan.hpp>

namespace Tessera {

/// Writes a plan to a file, from which load_plan() restores it without analysis. This pays off if reordering the matrix
/// takes longer than reading the file.
///
/// The file holds the format with its values, the orders of rows and columns, the choice and the options. It holds the
/// transpose if Plan::prepare() has built it, and the slot maps unless Plan::release_source() has freed them. A file
/// without slot maps is smaller, and the values of the loaded plan cannot be updated. The size is Plan::bytes() -
/// Plan::kernel_bytes(), and one or two kilobytes more. Every part has a checksum.
///
/// The file is written completely or not at all: an existing file is replaced only when the new one is complete.
///
/// \param exec [in] the instance that made the plan or updated its values; settles (Plan::settle) and copies, and waits
/// \throws std::runtime_error, naming the file, if it cannot be written
/// \throws FormatTooLarge if PlanOptions::memory_limit leaves no room for values that were shared
/// \throws std::logic_error if the plan is empty, or if the rows of a trusted pattern (PlanOptions::trusts_pattern) are
///         wrong, unsorted, or have duplicates
template <Impl::KokkosExecutionSpace Exec, class Scalar, class PlanExec>
void save_plan(const Exec& exec, const Plan<Scalar, PlanExec>& plan, const std::string& path) {
  static_assert(std::is_same_v<Exec, PlanExec>, "Tessera::save_plan: the execution space must be that of the plan");
  Impl::Access::state(plan).save(exec, path);
}

/// Restores a plan that save_plan() wrote, with the same format, choice and order of rows. Products have the same bits
/// on the same backend and instruction set, or kind of GPU. Values can be updated if those of the saved plan could, in
/// the order of the entries that make_plan() was given. Plan::explain() says that the plan was loaded.
///
/// A plan may be loaded on another backend, because formats are the same everywhere. It keeps its format and order.
/// Kernels for a device are not saved: they are chosen again, for the device of `exec` and the memory that is free
/// there.
///
/// The scalar type must be that of the saved plan; Kokkos::complex and std::complex count as one type. The type of
/// offsets may differ. A file can be read on machines with the same byte order, by versions of Tessera with the same
/// version of plan files. A loaded plan never reads or writes beyond its arrays, whatever the file holds. The checksums
/// ensure that its numbers are those that were saved.
///
/// The memory limit that the plan was made with applies to the copies that kernels keep, and to a transpose that
/// Plan::prepare() builds. It does not apply to loading.
///
/// \tparam Scalar the type of the values of A: load_plan<double>(exec, path)
/// \param exec [in] the instance that copies the arrays; the call waits for it
/// \param path [in] the file, not compressed
/// \throws std::runtime_error, naming the file and what was expected, if the file cannot be read, needs more memory
///         than there is, holds no plan or one of an unknown version, or is truncated, damaged or inconsistent
/// \throws std::invalid_argument if the plan has other scalars, or a precision that `exec` lacks while
///         PlanOptions::on_unsupported is Throw
///
/// Cost: reading the file, a few passes to check it, and memory for twice its size.
template <class Scalar, Impl::KokkosExecutionSpace Exec>
Plan<Scalar, Exec> load_plan(const Exec& exec, const std::string& path) {
  using Loaded = Plan<Scalar, Exec>;
  return Impl::Access::plan<Loaded>(Impl::PlanState<Impl::kernel_scalar_t<Scalar>, Exec>::load(exec, path));
}
/// Loads a plan on the default instance of the default execution space.
template <class Scalar>
Plan<Scalar> load_plan(const std::string& path) {
  return load_plan<Scalar>(Kokkos::DefaultExecutionSpace(), path);
}

namespace Impl {

/// Restores a plan from the bytes of a file, like load_plan(). Error messages call the file `name`.
template <class Scalar, KokkosExecutionSpace Exec>
Plan<Scalar, Exec> parse_plan(const Exec& exec, std::string_view bytes, const std::string& name) {
  using State = PlanState<kernel_scalar_t<Scalar>, Exec>;
  return Access::plan<Plan<Scalar, Exec>>(std::make_shared<State>(exec, bytes, name));
}

}  // namespace Impl

}  // namespace Tessera
