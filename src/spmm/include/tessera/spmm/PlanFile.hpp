// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tessera/spmm/Plan.hpp>

namespace Tessera {

/// Writes a plan to a file, from which load_plan() makes it again without analysis: for a matrix whose reordering takes
/// longer than reading a file.
///
/// The file holds the format with its values, the orders of rows and columns, the choice, the options, and whatever of
/// the transpose and of the slot maps the plan has: call prepare() for a transposed mode before, and the transpose is
/// there; call release_source() before, and the file is smaller, but the plan loaded takes no new values. Bytes:
/// Plan::bytes() less Plan::kernel_bytes(), and a kilobyte or two. Every part has a checksum.
///
/// Complete or not at all: a file that was there stays until the new one is whole. Waits for everything that runs on
/// the device.
///
/// \throws std::runtime_error, naming the file, if it cannot be written; std::logic_error if the plan is empty
template <class Scalar, class Ordinal_, class Offset, class Device>
void save_plan(const Plan<Scalar, Ordinal_, Offset, Device>& plan, const std::string& path) {
  plan.state().save(path);
}

/// Makes the plan that save_plan() wrote: the same format, choice and order of rows, and on the same backend and
/// instruction set, or kind of GPU, products with the same bits. It takes new values, in the order of the entries that
/// make_plan() was given, if the one that was saved did. Plan::explain() says that it was loaded.
///
/// A plan may be loaded on another backend than that which it was made on: formats are the same everywhere. It keeps
/// the format and the order that were chosen there. Kernels for one device are not saved, but chosen anew for that of
/// `exec`, also by the memory that is free.
///
/// The types must be those of the plan that was saved; Kokkos::complex and std::complex are one, and so are types of
/// offsets with as many bytes. Files are for machines with the same byte order, and for the version of Tessera's
/// files that this is. Whatever the file holds, a plan that was loaded never reads or writes beyond its arrays; that
/// the numbers are those that were saved is what the checksums are for.
///
/// \tparam Device of plans that make_plan() makes: ExecutionSpace::device_type
/// \param exec [in] the instance that the arrays are copied on; it is waited for
/// \param path [in] plain, or compressed with gzip
/// \throws std::runtime_error, naming the file and what was expected, if it cannot be read or needs more memory than
///         there is, if it is none of a plan or one of another version, or if it is truncated, damaged or inconsistent
/// \throws std::invalid_argument if the plan has other types, or a precision that `exec` does not have and
///         PlanOptions::on_unsupported of the plan does not let it fall back from
///
/// The limit of memory that the plan was made with holds for copies that kernels keep, and for a transpose that
/// prepare() builds; loading itself is not within it.
///
/// Cost: reads the file, and a few passes over it to check it; memory for it twice.
template <class Scalar, class Ordinal_, class Offset, class Device>
Plan<Scalar, Ordinal_, Offset, Device> load_plan(const typename Device::execution_space& exec,
                                                 const std::string& path) {
  using PlanType = Plan<Scalar, Ordinal_, Offset, Device>;
  return PlanType(PlanType::state_type::load(exec, path));
}

/// The same for the bytes of a file; messages call it `name`.
template <class Scalar, class Ordinal_, class Offset, class Device>
Plan<Scalar, Ordinal_, Offset, Device> parse_plan(const typename Device::execution_space& exec, std::string_view bytes,
                                                  const std::string& name) {
  using PlanType = Plan<Scalar, Ordinal_, Offset, Device>;
  return PlanType(std::make_shared<typename PlanType::state_type>(exec, bytes, name));
}

}  // namespace Tessera
