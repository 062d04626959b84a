// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Peers.hpp"

#include <memory>
#include <stdexcept>

#ifdef TESSERA_HAVE_CUSPARSE
#include <harness/CuSparse.hpp>
#endif

namespace Tessera::Impl::Driver {

namespace {

constexpr char kokkos_kernels[] = "kokkoskernels";

#ifdef TESSERA_HAVE_CUSPARSE

std::string missing_cusparse() { return ""; }

std::string row_name(const CuSparseAlgorithm& algorithm) {
  return "cusparse " + std::string(algorithm.is_vector ? "spmv " : "") + algorithm.name;
}

std::vector<std::string> cusparse_names(std::size_t columns) {
  std::vector<std::string> names;
  for (const CuSparseAlgorithm& algorithm : cusparse_algorithms())
    if (algorithm.is_vector == (columns == 1)) names.push_back(row_name(algorithm));
  return names;
}

template <class Dense>
auto view_of(const Dense& x) {
  return Multivector<typename Dense::value_type>{x.data(), x.extent_int(0), x.extent_int(1),
                                                 static_cast<std::ptrdiff_t>(x.stride(0)),
                                                 static_cast<std::ptrdiff_t>(x.stride(1))};
}

template <class Value, class Dense>
std::function<void()> cusparse_product(const std::string& name, const DefaultSpace& exec,
                                       const DeviceCsr<Value, int, DefaultSpace>& a, Mode mode, Value alpha,
                                       const Dense& x, Value beta, const Dense& y) {
  if (a.values.extent(0) == 0 || x.extent(1) == 0)
    throw std::invalid_argument("the matrix has no entries, or X no columns");
  for (const CuSparseAlgorithm& algorithm : cusparse_algorithms()) {
    if (row_name(algorithm) != name) continue;
    // Rejected here, because cuSPARSE also prints a message on standard error.
    if ((algorithm.name == "alg3" || algorithm.is_op) && mode != Mode::NoTranspose)
      throw std::invalid_argument("it multiplies by A as it is, not by its transpose");
    const CsrPattern<int> pattern{a.rows, a.columns, a.row_offsets.data(), a.column_indices.data()};
    const auto product =
        std::make_shared<CuSparseProduct<Value>>(algorithm, true, pattern, a.values.extent(0), a.values.data(), mode);
    const Multivector<Value> x_view = view_of(x), y_view = view_of(y);
    const Multivector<const Value> x_read{x_view.data, x_view.rows, x_view.columns, x_view.row_stride,
                                          x_view.column_stride};
    product->prepare(exec.cuda_stream(), alpha, x_read, beta, y_view);
    return [=] { product->run(exec.cuda_stream(), alpha, x_read, beta, y_view); };
  }
  throw std::invalid_argument("there is no algorithm " + name);
}

#else

std::string missing_cusparse() {
#ifdef KOKKOS_ENABLE_CUDA
  return "this program was built without cuSPARSE, which was not found beside CUDA";
#else
  return "this program was built without cuSPARSE, since its Kokkos has no CUDA";
#endif
}

std::vector<std::string> cusparse_names(std::size_t) { return {}; }

template <class... Arguments>
std::function<void()> cusparse_product(const Arguments&...) {
  throw std::invalid_argument(missing_cusparse());
}

#endif

}  // namespace

std::string missing_peer(const std::string& library) {
  if (library != kokkos_kernels) return missing_cusparse();
  return kokkos_kernels_build().version.empty() ? "this program was built without Kokkos Kernels" : "";
}

std::string peer_build(const std::string& library) {
  if (!missing_peer(library).empty()) return "none";
#ifdef TESSERA_HAVE_CUSPARSE
  if (library != kokkos_kernels) return cusparse_version();
#endif
  const KokkosKernelsBuild build = kokkos_kernels_build();
  return "Kokkos Kernels " + build.version + ", compiled with " + build.compiler + " " + build.flags;
}

std::vector<std::string> peer_names(const std::string& library, std::size_t columns) {
  if (library.empty()) return {};
  return library == kokkos_kernels ? std::vector<std::string>{library} : cusparse_names(columns);
}

template <class Value, class KokkosLayout>
std::function<void()> peer_product(const std::string& name, const DefaultSpace& exec,
                                   const DeviceCsr<Value, int, DefaultSpace>& a, Mode mode, Value alpha,
                                   const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                   const DeviceDense<Value, KokkosLayout, DefaultSpace>& y) {
  if (name != kokkos_kernels) return cusparse_product(name, exec, a, mode, alpha, x, beta, y);
  return [=, product = kokkos_kernels_product<Value, KokkosLayout>(a)] { product(exec, mode, alpha, x, beta, y); };
}

#define TESSERA_INSTANTIATE(Value, KokkosLayout)                                                            \
  template std::function<void()> peer_product(const std::string&, const DefaultSpace&,                      \
                                              const DeviceCsr<Value, int, DefaultSpace>&, Mode, Value,      \
                                              const DeviceDense<Value, KokkosLayout, DefaultSpace>&, Value, \
                                              const DeviceDense<Value, KokkosLayout, DefaultSpace>&);
TESSERA_INSTANTIATE(float, Kokkos::LayoutLeft)
TESSERA_INSTANTIATE(float, Kokkos::LayoutRight)
TESSERA_INSTANTIATE(double, Kokkos::LayoutLeft)
TESSERA_INSTANTIATE(double, Kokkos::LayoutRight)

}  // namespace Tessera::Impl::Driver
