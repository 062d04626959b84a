// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>

#include "BinaryHeader.hpp"
#include "InputFile.hpp"
#include "MatrixMarketText.hpp"

namespace Tessera {
namespace {

[[noreturn]] void fail_unknown(const std::string& path, bool is_empty) {
  throw std::invalid_argument(path + ": " + (is_empty ? "is empty" : "is no matrix file that Tessera reads") +
                              ", expected Matrix Market (it begins with %%MatrixMarket) or Tessera's binary CSR, plain "
                              "or gzip; Harwell-Boeing and Rutherford-Boeing (.rb, .rua, ...) are not read");
}

}  // namespace

template <class Scalar>
HostCsr<Scalar> read_matrix(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, [&](std::string_view content, const Impl::Progress& progress) {
    ReadOptions parse_options = options;
    if (options.progress) parse_options.progress = progress;
    if (Impl::has_binary_csr_magic(content)) return parse_binary_csr<Scalar>(content, path, parse_options);
    if (Impl::has_matrix_market_banner(content)) return parse_matrix_market<Scalar>(content, path, parse_options);
    fail_unknown(path, content.empty());
  });
}

bool matrix_is_complex(const std::string& path) {
  constexpr std::size_t enough = 4096;  // for the header of binary CSR, and blanks before a banner
  const Impl::ByteBuffer head = Impl::read_file_head(path, enough);
  if (Impl::has_binary_csr_magic(head.view())) return Impl::parse_binary_header(head.view(), path).is_complex();
  if (!Impl::has_matrix_market_banner(head.view())) fail_unknown(path, head.view().empty());
  return read_matrix_market_header(path).field == MatrixMarketHeader::Field::Complex;
}

template HostCsr<float> read_matrix(const std::string&, const ReadOptions&);
template HostCsr<double> read_matrix(const std::string&, const ReadOptions&);
template HostCsr<std::complex<float>> read_matrix(const std::string&, const ReadOptions&);
template HostCsr<std::complex<double>> read_matrix(const std::string&, const ReadOptions&);

}  // namespace Tessera
