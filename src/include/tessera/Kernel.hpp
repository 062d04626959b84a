// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/Format.hpp>

namespace Tessera {

/// The choice of a kernel for a format.
enum class Kernel {
  Auto,      ///< the fastest kernel that Tessera has for the format
  Published  ///< the kernel of the paper that describes the format; exists only on Kokkos::Cuda
};

/// The names of the kernels, as programs read and print them.
template <>
inline constexpr std::array<std::string_view, 2> Impl::enum_names<Kernel> = {"auto", "published"};

namespace Impl {

/// Returns the name of the system whose paper describes a format and its kernel; empty for a format without a paper.
constexpr std::string_view paper_of(Format format) {
  switch (format) {
    case Format::BitTcf:
      return "Acc-SpMM";
    case Format::Bmat:
      return "Voltrix-SpMM";
    case Format::Brp:
      return "BRP-SpMM";
    case Format::Bcsr:
      return "SMaT";
    case Format::SortedColumns:
      return "Swift";
    default:
      return "";
  }
}

}  // namespace Impl

}  // namespace Tessera
