// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/common/Format.hpp>

namespace Tessera {

/// Which kernel multiplies a format.
enum class Kernel {
  Automatic,  ///< the fastest that Tessera has for the format
  Published   ///< the kernel of the paper that describes the format; exists on Kokkos::Cuda alone
};

/// The name of a kernel, as programs take it: "automatic" or "published".
constexpr std::string_view to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::Automatic:
      return "automatic";
    case Kernel::Published:
      return "published";
  }
  return "?";
}

/// The name of the system whose paper describes a format and its kernel; empty for a format that no paper describes.
constexpr std::string_view paper_of(Format format) {
  switch (format) {
    case Format::BitTcf:
      return "Acc-SpMM";
    case Format::Bmat:
      return "Voltrix-SpMM";
    case Format::BlockRowPartition:
      return "BRP-SpMM";
    case Format::Bcsr:
      return "SMaT";
    case Format::SortedColumns:
      return "Swift";
    default:
      return "";
  }
}

}  // namespace Tessera
