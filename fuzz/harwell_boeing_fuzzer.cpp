// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <cstdint>
#include <string_view>
#include <tessera/io/HarwellBoeing.hpp>

#include "FuzzCheck.hpp"

namespace {

template <class Scalar>
void check_sparse(std::string_view text) {
  const auto matrix = Tessera::Impl::parse_harwell_boeing<Scalar>(text, "input", one_chunk(text.size()));
  require(is_canonical(matrix), "the result is canonical");
  require(same(Tessera::Impl::parse_harwell_boeing<Scalar>(text, "input", small_chunks(text.size())), matrix),
          "chunks do not matter");
}

template <class Scalar>
void check_vectors(std::string_view text, Tessera::HarwellBoeingVectors vectors) {
  const auto matrix =
      Tessera::Impl::parse_harwell_boeing_vectors<Scalar>(text, "input", vectors, one_chunk(text.size()));
  require(matrix.values.size() == matrix.rows * matrix.columns, "a dense result is full");
  require(same(Tessera::Impl::parse_harwell_boeing_vectors<Scalar>(text, "input", vectors, small_chunks(text.size())),
               matrix),
          "chunks do not matter");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Tessera::HarwellBoeingVectors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  allow_rejection([&] { Tessera::Impl::parse_harwell_boeing_header(text, "input"); });
  allow_rejection([&] { check_sparse<std::complex<double>>(text); });
  allow_rejection([&] { check_sparse<float>(text); });
  allow_rejection([&] { check_vectors<std::complex<double>>(text, HarwellBoeingVectors::RightHandSides); });
  allow_rejection([&] { check_vectors<double>(text, HarwellBoeingVectors::Guesses); });
  allow_rejection([&] { check_vectors<double>(text, HarwellBoeingVectors::Solutions); });
  return 0;
}
