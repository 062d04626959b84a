// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <tessera/io/HostCsr.hpp>

#include "../example/ReadOrGenerate.hpp"
#include "ToDevice.hpp"

/// Matrices and vectors of Kokkos Kernels' types on the default device.
namespace Tessera::Benchmarks {

using Space = Kokkos::DefaultExecutionSpace;
/// Offsets are int: Kokkos Kernels has cuSPARSE multiply no others.
using Matrix = KokkosSparse::CrsMatrix<double, int, Space::device_type, void, int>;
template <class Layout>
using Vectors = Kokkos::View<double**, Layout, Space::device_type>;

inline Matrix to_device(const HostCsr<double>& A) {
  return Matrix("A", A.rows, A.columns, static_cast<int>(A.values.size()), to_device<double>(A.values),
                to_device<int>(A.row_offsets), to_device<int>(A.column_indices));
}

/// Matrices are made or read when the first benchmark asks for them, and kept until the end.
class Matrices {
 public:
  const Matrix& operator[](const std::string& name) {
    const auto place = made_.find(name);
    if (place != made_.end()) return place->second;
    return made_.emplace(name, to_device(Example::read_or_generate(name))).first->second;
  }

 private:
  std::map<std::string, Matrix> made_;
};

/// In [-1, 1), as if random, the same on every backend.
template <class View>
void scatter_values(const View& vectors) {
  const Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>> elements({0, 0}, {vectors.extent(0), vectors.extent(1)});
  Kokkos::parallel_for(
      "scatter_values", elements, KOKKOS_LAMBDA(int i, int j) {
        std::uint64_t bits = (std::uint64_t(i) * 1024 + std::uint64_t(j) + 1) * 0x9E3779B97F4A7C15u;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
        bits ^= bits >> 27;
        vectors(i, j) = double(bits >> 11) * 0x1p-52 - 1;
      });
}

}  // namespace Tessera::Benchmarks
