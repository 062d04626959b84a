// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <cstdint>
#include <string_view>
#include <tessera/io/Numpy.hpp>
#include <vector>

#include "FuzzCheck.hpp"
#include "NumpyFiles.hpp"

namespace {

template <class Scalar>
void check_sparse(std::string_view bytes) {
  const auto matrix = Tessera::Impl::parse_numpy<Scalar>(bytes, "input", one_chunk(bytes.size()));
  require(is_canonical(matrix), "the result is canonical");
}

template <class Scalar>
void check_dense(std::string_view bytes) {
  const auto matrix = Tessera::Impl::parse_dense_numpy<Scalar>(bytes, "input", one_chunk(bytes.size()));
  require(matrix.values.size() == matrix.rows * matrix.columns, "a dense result is full");
}

void check(std::string_view bytes) {
  allow_rejection([&] { check_sparse<std::complex<double>>(bytes); });
  allow_rejection([&] { check_sparse<float>(bytes); });
  allow_rejection([&] { check_dense<std::complex<float>>(bytes); });
  allow_rejection([&] { check_dense<double>(bytes); });
}

/// Returns an archive of the arrays that follow each other in the input. Its checksums are right, which those of a
/// random archive are not.
std::string archive_of(std::string_view arrays) {
  constexpr std::string_view magic("\x93NUMPY", 6);
  std::vector<Member> members;
  for (const char* names : {"format", "shape", "data", "indices row", "indptr col"}) {
    const std::size_t end = std::min(arrays.find(magic, 1), arrays.size());
    const std::string content(arrays.substr(0, end));
    arrays.remove_prefix(end);
    const std::string_view both = names;
    const std::size_t space = both.find(' ');
    members.push_back({std::string(both.substr(0, space)) + ".npy", content});
    if (space != std::string_view::npos) members.push_back({std::string(both.substr(space + 1)) + ".npy", content});
  }
  return zip(members);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  if (bytes.starts_with('\x93')) check(archive_of(bytes));
  return 0;
}
