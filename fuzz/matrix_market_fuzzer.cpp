// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <tessera/io/MatrixMarket.hpp>

#include "FuzzCheck.hpp"

namespace {

template <class Scalar>
void check_sparse(std::string_view text) {
  const auto matrix = Tessera::Impl::parse_matrix_market<Scalar>(text, "input", one_chunk(text.size()));
  require(is_canonical(matrix), "the result is canonical");
  require(same(Tessera::Impl::parse_matrix_market<Scalar>(text, "input", small_chunks(text.size())), matrix),
          "chunks do not matter");
  const std::string path = scratch_file();
  write_matrix_market(path, matrix);
  const auto back = Tessera::read_matrix_market<Scalar>(path, one_chunk(text.size()));
  std::remove(path.c_str());
  require(same(back, matrix), "what was written reads back the same");
}

template <class Scalar>
void check_dense(std::string_view text) {
  const auto matrix = Tessera::Impl::parse_dense_matrix_market<Scalar>(text, "input", one_chunk(text.size()));
  require(matrix.values.size() == matrix.rows * matrix.columns, "a dense result is full");
  require(same(Tessera::Impl::parse_dense_matrix_market<Scalar>(text, "input", small_chunks(text.size())), matrix),
          "chunks do not matter");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  allow_rejection([&] { Tessera::Impl::parse_matrix_market_header(text, "input"); });
  allow_rejection([&] { check_sparse<std::complex<double>>(text); });
  allow_rejection([&] { check_sparse<float>(text); });
  allow_rejection([&] { check_dense<double>(text); });
  return 0;
}
