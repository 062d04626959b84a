// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PeerWays.hpp"

#include <memory>

#ifdef TESSERA_HAVE_CUSPARSE
#include <harness/CuSparse.hpp>
#endif

namespace Tessera::Impl::Benchmarks {

namespace {

#ifdef TESSERA_HAVE_CUSPARSE

template <class Value, class View>
Multivector<Value> multivector_of(const View& x) {
  return {x.data(), x.extent_int(0), x.extent_int(1), static_cast<std::ptrdiff_t>(x.stride(0)),
          static_cast<std::ptrdiff_t>(x.stride(1))};
}

template <class Scalar, class Layout>
void add_cusparse(std::vector<Way>& ways, const Space& exec, const DeviceCsr<Scalar, int, Space>& A,
                  const Vectors<Layout, Scalar>& X, const Vectors<Layout, Scalar>& Y) {
  if (A.values.extent(0) == 0) return;
  const CsrPattern<int> pattern{A.rows, A.columns, A.row_offsets.data(), A.column_indices.data()};
  const auto x = multivector_of<const Scalar>(X);
  const auto y = multivector_of<Scalar>(Y);
  const auto handle = new_cusparse_handle();
  for (const CuSparseAlgorithm& algorithm : cusparse_algorithms()) {
    if (algorithm.is_vector != (X.extent(1) == 1)) continue;
    for (const bool preprocesses : {false, true}) {
      if (algorithm.is_op && preprocesses) continue;  // it does anyway
      const auto set_up = [=]() -> std::function<void()> {
        const auto product = std::make_shared<CuSparseProduct<Scalar>>(
            algorithm, preprocesses, pattern, A.values.extent(0), A.values.data(), Mode::NoTranspose, handle);
        return [=] { product->run(exec.cuda_stream(), Scalar(1), x, Scalar(0), y); };
      };
      ways.push_back({"cusparse", algorithm.name + (preprocesses ? ", preprocess" : ""), set_up});
    }
  }
}

#endif

template <class Scalar, class Layout>
void add_kokkos_kernels(std::vector<Way>& ways, const Space& exec, const DeviceCsr<Scalar, int, Space>& A,
                        const Vectors<Layout, Scalar>& X, const Vectors<Layout, Scalar>& Y) {
  if (kokkos_kernels_build().version.empty()) return;
  ways.push_back({"kokkos_kernels", "", [=]() -> std::function<void()> {
                    const auto product = kokkos_kernels_product<Scalar, Layout>(A);
                    return [=] { product(exec, Mode::NoTranspose, Scalar(1), X, Scalar(0), Y); };
                  }});
}

}  // namespace

template <class Scalar, class Layout>
std::vector<Way> peer_ways(const Space& exec, const DeviceCsr<Scalar, int, Space>& A, const Vectors<Layout, Scalar>& X,
                           const Vectors<Layout, Scalar>& Y) {
  std::vector<Way> ways;
#ifdef TESSERA_HAVE_CUSPARSE
  add_cusparse<Scalar, Layout>(ways, exec, A, X, Y);
#endif
  add_kokkos_kernels<Scalar, Layout>(ways, exec, A, X, Y);
  return ways;
}

std::string cusparse_build() {
#ifdef TESSERA_HAVE_CUSPARSE
  return cusparse_version();
#else
  return "none";
#endif
}

#define TESSERA_INSTANTIATE(Scalar, Layout)                                               \
  template std::vector<Way> peer_ways(const Space&, const DeviceCsr<Scalar, int, Space>&, \
                                      const Vectors<Layout, Scalar>&, const Vectors<Layout, Scalar>&);
TESSERA_INSTANTIATE(float, Kokkos::LayoutLeft)
TESSERA_INSTANTIATE(float, Kokkos::LayoutRight)
TESSERA_INSTANTIATE(double, Kokkos::LayoutLeft)
TESSERA_INSTANTIATE(double, Kokkos::LayoutRight)

}  // namespace Tessera::Impl::Benchmarks
