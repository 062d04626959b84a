// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/common/Format.hpp>

namespace Tessera {

/// Which kernel of a format multiplies.
enum class Kernel {
  Automatic,  ///< the fastest that Tessera has for the format
  Published   ///< the kernel of the paper that the format is from, on Kokkos::Cuda: see PlanOptions::kernel
};

constexpr std::string_view to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::Automatic:
      return "automatic";
    case Kernel::Published:
      return "published";
  }
  return "?";
}

/// The system whose paper describes a format and its kernel; empty for formats that are from no paper.
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
