// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <tessera/io/BinaryCsr.hpp>

#include "FuzzCheck.hpp"

namespace {

template <class Scalar>
void check(std::string_view bytes, Tessera::BinaryCsrFormat format) {
  const auto matrix = Tessera::Impl::parse_binary_csr<Scalar>(bytes, "input", one_chunk(bytes.size()));
  require(is_canonical(matrix), "the result is canonical");
  const std::string path = scratch_file();
  write_binary_csr(path, matrix, format);
  const auto back = Tessera::read_binary_csr<Scalar>(path, one_chunk(bytes.size()));
  std::remove(path.c_str());
  require(same(back, matrix), "what was written reads back the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  allow_rejection([&] { check<std::complex<double>>(bytes, Tessera::BinaryCsrFormat::Offsets64); });
  allow_rejection([&] { check<double>(bytes, Tessera::BinaryCsrFormat::Offsets64); });
  allow_rejection([&] { check<float>(bytes, Tessera::BinaryCsrFormat::Offsets32); });
  return 0;
}
