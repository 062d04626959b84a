// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of README.md about Kokkos Kernels.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

#include "Documents.hpp"

namespace Tessera::Documents {

namespace {

using Device = Space::device_type;
using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, std::size_t>;
using X = Kokkos::View<const double*, Device>;
using Y = Kokkos::View<double*, Device>;

Crs make_crs() {
  const auto A = make_matrix<double>();
  const Kokkos::View<int*, Device> entries("entries", A.graph.entries.extent(0));
  const Kokkos::View<double*, Device> values("values", A.values.extent(0));
  Kokkos::deep_copy(entries, A.graph.entries);
  Kokkos::deep_copy(values, A.values);
  return Crs("A", A.columns, values, Crs::StaticCrsGraphType(entries, A.graph.row_map));
}

TEST(KokkosKernels, HandlesMultiplyAlike) {
  const Space exec;
  const Crs A = make_crs();
  using Matrix = Crs;
  const Kokkos::View<double*, Device> ones("ones", static_cast<std::size_t>(A.numCols()));
  Kokkos::deep_copy(ones, 1.0);
  const X x = ones;
  const Y y("y", static_cast<std::size_t>(A.numRows()));
  const double alpha = 1, beta = 0;
  const auto first = [&] {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    return host(0);
  };
  {
    KokkosSparse::SPMVHandle<Device, Matrix, X, Y> handle;  // before
    KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);
    EXPECT_EQ(first(), first_sum);
  }
  Kokkos::deep_copy(y, 0.0);
  {
    Tessera::SpmvHandle<Device, Matrix, X, Y> handle;              // after, <tessera/kokkos_kernels/SpmvHandle.hpp>
    KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);  // the same
    EXPECT_EQ(first(), first_sum);
    EXPECT_NE(handle.explain(), "");
  }
}

}  // namespace

}  // namespace Tessera::Documents
