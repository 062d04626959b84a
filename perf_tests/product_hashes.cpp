// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a hash of the products of each matrix in every format, precision, mode and layout. If a change should not
// affect results, the output is the same before and after; run both on one machine, because the order of sums depends
// on the instruction set and the GPU.
//   product_hashes MATRIX...        files, or generated matrices such as stencil27:12
//
// A line has: matrix, type of A, format, kernel, precision, mode, layout, hash of Y = 1.5 op(A) X + 0.5 Y for 1, 7, 8,
// 32 and 33 columns of X. "rejected" replaces the hash if no plan allows the request.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <harness/Arguments.hpp>
#include <harness/Matrices.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <tessera/Spmm.hpp>
#include <utility>
#include <vector>

#include "DeviceMatrix.hpp"

using namespace Tessera::Impl::Benchmarks;
using namespace Tessera::Impl::Harness;

namespace {

using Tessera::Format;
using Tessera::Kernel;
using Tessera::Mode;
using Tessera::Precision;

/// FNV-1a, word by word.
class Hash {
 public:
  template <class Value>
  void add(const Value& value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) state_ = (state_ ^ byte) * 1099511628211u;
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037u;
};

/// Returns a number between -1 and 1 that depends only on its place.
template <class Scalar>
KOKKOS_FUNCTION Scalar element(std::uint64_t place) {
  std::uint64_t mixed = (place + 1) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed ^= mixed >> 31;
  return Scalar(double(mixed >> 11) / double(1ull << 52) - 1);
}

template <class Dense>
void fill(const Space& exec, const Dense& dense) {
  using Scalar = typename Dense::non_const_value_type;
  const int columns = static_cast<int>(dense.extent(1));
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Space>(exec, 0, static_cast<int>(dense.extent(0))), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < columns; ++j) dense(i, j) = element<Scalar>(std::uint64_t(i) * 1000003u + std::uint64_t(j));
      });
}

template <class Scalar, class Layout, class PlanType>
void add_product(const Space& exec, PlanType& plan, Mode mode, int columns, Hash& hash) {
  const bool is_plain = !Tessera::Impl::is_transposed(mode);
  const auto x_rows = static_cast<std::size_t>(is_plain ? plan.columns() : plan.rows());
  const auto y_rows = static_cast<std::size_t>(is_plain ? plan.rows() : plan.columns());
  using Dense = Kokkos::View<Scalar**, Layout, Space::device_type>;
  const Dense X("X", x_rows, static_cast<std::size_t>(columns)), Y("Y", y_rows, static_cast<std::size_t>(columns));
  fill(exec, X);
  fill(exec, Y);
  auto work = plan.prepare(exec, columns, mode);
  Tessera::spmm(exec, plan, work, mode, Scalar(1.5), X, Scalar(0.5), Y);
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) hash.add(host(i, j));
}

/// A request, and its text.
struct Request {
  Format format;
  Kernel kernel;
  Precision precision;
  Mode mode;
};

template <class Scalar, class Layout>
std::string hash_of(const Space& exec, const DeviceCsr<Scalar, int, Space>& A, const Request& request) {
  Tessera::PlanOptions options;
  options.hints.expected_products = countless;
  options.format = request.format;
  options.kernel = request.kernel;
  options.precision = request.precision;
  try {
    auto plan = Tessera::make_plan(exec, A.rows, A.columns, A.row_offsets, A.column_indices, A.values, options);
    Hash hash;
    for (const int columns : {1, 7, 8, 32, 33}) add_product<Scalar, Layout>(exec, plan, request.mode, columns, hash);
    return std::to_string(hash.state());
  } catch (const std::invalid_argument&) {
    return "rejected";
  }
}

template <class Scalar>
void print_hashes(const std::string& name, const char* type, const DeviceCsr<Scalar, int, Space>& A) {
  const Space exec;
  constexpr bool has_devices = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  std::vector<std::pair<Kernel, Precision>> arithmetics{{Kernel::Auto, Precision::Native}};
  if (has_devices) {
    for (const Precision precision : {Precision::Tf32x3, Precision::Tf32, Precision::Bf16, Precision::Fp16})
      arithmetics.push_back({Kernel::Auto, precision});
    for (const Precision precision : {Precision::Native, Precision::Tf32x3, Precision::Tf32, Precision::Fp16})
      arithmetics.push_back({Kernel::Published, precision});
  }
  for (const Format format : Tessera::Impl::every_format)
    for (const auto& [kernel, precision] : arithmetics)
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
        const Request request{format, kernel, precision, mode};
        for (const bool left : {false, true}) {
          const std::string hash = left ? hash_of<Scalar, Kokkos::LayoutLeft>(exec, A, request)
                                        : hash_of<Scalar, Kokkos::LayoutRight>(exec, A, request);
          std::cout << matrix_name(name) << ' ' << type << ' ' << to_string(format) << ' ' << to_string(kernel) << ' '
                    << to_string(precision) << ' ' << to_string(mode) << (left ? " left " : " right ") << hash << '\n';
        }
      }
}

void print_hashes(const std::string& name) {
  const DeviceMatrix& A = matrix_of(name);
  print_hashes<double>(name, "double", A);
  DeviceCsr<float, int, Space> rounded{A.rows, A.columns, A.row_offsets, A.column_indices, {}};
  rounded.values = DeviceArray<float, Space>("values", A.values.extent(0));
  Kokkos::deep_copy(rounded.values, A.values);
  print_hashes<float>(name, "float", rounded);
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<std::string> matrices;
  CLI::App app("Prints a hash of the bits of products in every format, precision, mode and layout.", "product_hashes");
  add_matrices(app, "matrices", matrices)->required();
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return guarded("product_hashes", [&] {
    int status = 0;
    if (!parse(app, argc, argv)) return status;
    for (const std::string& matrix : matrices) {
      const auto print = [&] {
        print_hashes(matrix);
        return 0;
      };
      status = std::max(status, guarded("product_hashes", print));
    }
    return status;
  });
}
