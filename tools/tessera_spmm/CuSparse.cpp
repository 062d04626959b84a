// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that includes cuSPARSE.
#include "CuSparse.hpp"

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#ifdef TESSERA_HAVE_CUSPARSE
#include <cusparse.h>
#endif

namespace Tessera::Driver {

#ifdef TESSERA_HAVE_CUSPARSE

namespace {

constexpr std::pair<const char*, cusparseSpMMAlg_t> matrix_algorithms[] = {
    {"cusparse default", CUSPARSE_SPMM_ALG_DEFAULT},
    {"cusparse alg1", CUSPARSE_SPMM_CSR_ALG1},
    {"cusparse alg2", CUSPARSE_SPMM_CSR_ALG2},
    {"cusparse alg3", CUSPARSE_SPMM_CSR_ALG3}};
constexpr std::pair<const char*, cusparseSpMVAlg_t> vector_algorithms[] = {
    {"cusparse spmv alg1", CUSPARSE_SPMV_CSR_ALG1}, {"cusparse spmv alg2", CUSPARSE_SPMV_CSR_ALG2}};
constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
template <class Value>
constexpr cudaDataType type = std::is_same_v<Value, double> ? CUDA_R_64F : CUDA_R_32F;

void check(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorName(status));
}

template <class Algorithms>
auto named(const Algorithms& algorithms, const std::string& name) {
  for (const auto& [known, id] : algorithms)
    if (name == known) return id;
  throw std::invalid_argument("--compare cusparse: there is no algorithm " + name);
}

/// What cuSPARSE makes, destroyed with the last copy.
template <class Object>
using Shared = std::shared_ptr<std::remove_pointer_t<Object>>;

/// Calls make(&object, arguments...).
template <class Object, class Destroy, class Make, class... Arguments>
Shared<Object> made(const char* what, Destroy destroy, Make make, Arguments... arguments) {
  Object object = nullptr;
  check(make(&object, arguments...), what);
  return Shared<Object>(object, destroy);
}

using Bytes = Kokkos::View<std::byte*, DefaultSpace>;
Bytes buffer_of(std::size_t bytes) {
  return Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "buffer of cuSPARSE"), bytes);
}

/// What products of multivectors and of vectors have in common. Nothing is copied.
template <class Value>
struct Operands {
  Operands(const DefaultSpace& space, const DeviceCsr<Value, int, DefaultSpace>& A, Mode mode, Value alpha_,
           Value beta_)
      : exec(space), a(A), alpha(alpha_), beta(beta_) {
    if (is_transposed(mode)) operation = CUSPARSE_OPERATION_TRANSPOSE;
    handle = made<cusparseHandle_t>("cusparseCreate", cusparseDestroy, cusparseCreate);
    check(cusparseSetStream(handle.get(), exec.cuda_stream()), "cusparseSetStream");
    matrix =
        made<cusparseSpMatDescr_t>("cusparseCreateCsr", cusparseDestroySpMat, cusparseCreateCsr, a.rows, a.columns,
                                   a.values.extent(0), a.row_offsets.data(), a.column_indices.data(), a.values.data(),
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type<Value>);
  }

  DefaultSpace exec;
  DeviceCsr<Value, int, DefaultSpace> a;
  Value alpha, beta;
  cusparseOperation_t operation = plain;
  Shared<cusparseHandle_t> handle;
  Shared<cusparseSpMatDescr_t> matrix;
};

template <class Dense>
Shared<cusparseDnMatDescr_t> described(const Dense& x) {
  constexpr bool by_columns = std::is_same_v<typename Dense::array_layout, Kokkos::LayoutLeft>;
  return made<cusparseDnMatDescr_t>("cusparseCreateDnMat", cusparseDestroyDnMat, cusparseCreateDnMat, x.extent(0),
                                    x.extent(1), by_columns ? x.stride(1) : x.stride(0), x.data(),
                                    type<typename Dense::value_type>,
                                    by_columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
}

template <class Value, class Dense>
std::function<void()> matrix_product(const Operands<Value>& o, cusparseSpMMAlg_t algorithm, const Dense& x,
                                     const Dense& y) {
  const auto x_matrix = described(x), y_matrix = described(y);
  std::size_t bytes = 0;
  check(cusparseSpMM_bufferSize(o.handle.get(), o.operation, plain, &o.alpha, o.matrix.get(), x_matrix.get(), &o.beta,
                                y_matrix.get(), type<Value>, algorithm, &bytes),
        "cusparseSpMM_bufferSize");
  const Bytes buffer = buffer_of(bytes);
  check(cusparseSpMM_preprocess(o.handle.get(), o.operation, plain, &o.alpha, o.matrix.get(), x_matrix.get(), &o.beta,
                                y_matrix.get(), type<Value>, algorithm, buffer.data()),
        "cusparseSpMM_preprocess");
  return [=] {
    check(cusparseSpMM(o.handle.get(), o.operation, plain, &o.alpha, o.matrix.get(), x_matrix.get(), &o.beta,
                       y_matrix.get(), type<Value>, algorithm, buffer.data()),
          "cusparseSpMM");
  };
}

/// Of one column, whose elements are adjacent in either layout.
template <class Value, class Dense>
std::function<void()> vector_product(const Operands<Value>& o, cusparseSpMVAlg_t algorithm, const Dense& x,
                                     const Dense& y) {
  const auto described = [](const Dense& v) {
    return made<cusparseDnVecDescr_t>("cusparseCreateDnVec", cusparseDestroyDnVec, cusparseCreateDnVec, v.extent(0),
                                      v.data(), type<Value>);
  };
  const auto x_vector = described(x), y_vector = described(y);
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(o.handle.get(), o.operation, &o.alpha, o.matrix.get(), x_vector.get(), &o.beta,
                                y_vector.get(), type<Value>, algorithm, &bytes),
        "cusparseSpMV_bufferSize");
  const Bytes buffer = buffer_of(bytes);
  check(cusparseSpMV_preprocess(o.handle.get(), o.operation, &o.alpha, o.matrix.get(), x_vector.get(), &o.beta,
                                y_vector.get(), type<Value>, algorithm, buffer.data()),
        "cusparseSpMV_preprocess");
  return [=] {
    check(cusparseSpMV(o.handle.get(), o.operation, &o.alpha, o.matrix.get(), x_vector.get(), &o.beta, y_vector.get(),
                       type<Value>, algorithm, buffer.data()),
          "cusparseSpMV");
  };
}

}  // namespace

std::string missing_cusparse() { return ""; }

std::string cusparse_build() {
  int version = 0;
  const auto handle = made<cusparseHandle_t>("cusparseCreate", cusparseDestroy, cusparseCreate);
  check(cusparseGetVersion(handle.get(), &version), "cusparseGetVersion");
  return "cuSPARSE " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
         std::to_string(version % 100);
}

std::vector<std::string> cusparse_algorithms(std::size_t columns) {
  std::vector<std::string> names;
  if (columns == 1) {
    for (const auto& algorithm : vector_algorithms) names.emplace_back(algorithm.first);
  } else {
    for (const auto& algorithm : matrix_algorithms) names.emplace_back(algorithm.first);
  }
  return names;
}

template <class Value, class KokkosLayout>
std::function<void()> cusparse_product(const std::string& algorithm, const DefaultSpace& exec,
                                       const DeviceCsr<Value, int, DefaultSpace>& a, Mode mode, Value alpha,
                                       const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                       const DeviceDense<Value, KokkosLayout, DefaultSpace>& y) {
  if (a.values.extent(0) == 0 || x.extent(1) == 0)
    throw std::invalid_argument("the matrix has no entries, or X no columns");
  // cuSPARSE would refuse it too, and say so on standard error.
  if (algorithm == "cusparse alg3" && mode != Mode::NoTranspose)
    throw std::invalid_argument("it multiplies by A as it is, not by its transpose");
  const Operands<Value> operands(exec, a, mode, alpha, beta);
  return x.extent(1) == 1 ? vector_product(operands, named(vector_algorithms, algorithm), x, y)
                          : matrix_product(operands, named(matrix_algorithms, algorithm), x, y);
}

#else

std::string missing_cusparse() {
#ifdef KOKKOS_ENABLE_CUDA
  return "this program was built without cuSPARSE, which was not found beside CUDA";
#else
  return "this program was built without cuSPARSE, since its Kokkos has no CUDA";
#endif
}

std::string cusparse_build() { return "none"; }

std::vector<std::string> cusparse_algorithms(std::size_t) { return {}; }

template <class Value, class KokkosLayout>
std::function<void()> cusparse_product(const std::string&, const DefaultSpace&,
                                       const DeviceCsr<Value, int, DefaultSpace>&, Mode, Value,
                                       const DeviceDense<Value, KokkosLayout, DefaultSpace>&, Value,
                                       const DeviceDense<Value, KokkosLayout, DefaultSpace>&) {
  throw std::invalid_argument("--compare cusparse: " + missing_cusparse());
}

#endif

#define TESSERA_INSTANTIATE_LAYOUT(Value, KokkosLayout)                                                         \
  template std::function<void()> cusparse_product(const std::string&, const DefaultSpace&,                      \
                                                  const DeviceCsr<Value, int, DefaultSpace>&, Mode, Value,      \
                                                  const DeviceDense<Value, KokkosLayout, DefaultSpace>&, Value, \
                                                  const DeviceDense<Value, KokkosLayout, DefaultSpace>&);
#define TESSERA_INSTANTIATE(Value)                      \
  TESSERA_INSTANTIATE_LAYOUT(Value, Kokkos::LayoutLeft) \
  TESSERA_INSTANTIATE_LAYOUT(Value, Kokkos::LayoutRight)
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)

}  // namespace Tessera::Driver
