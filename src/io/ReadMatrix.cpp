// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/Numpy.hpp>
#include <tessera/io/ReadMatrix.hpp>

#include "BinaryHeader.hpp"
#include "HarwellBoeingText.hpp"
#include "InputFile.hpp"
#include "MatrixMarketText.hpp"
#include "NumpyFile.hpp"

namespace Tessera {
namespace {

enum class Kind { MatrixMarket, HarwellBoeing, BinaryCsr, Numpy };

[[noreturn]] void fail_unknown(const std::string& path, std::string_view content) {
  const std::string_view auxiliary = Impl::rutherford_boeing_auxiliary(content);
  std::string what = "is no matrix file that Tessera reads";
  if (content.empty()) what = "is empty";
  if (!auxiliary.empty()) {
    what = "is an auxiliary file of Rutherford-Boeing (" + std::string(auxiliary) + "), which holds no matrix";
  }
  throw std::invalid_argument(path + ": " + what +
                              ", expected Matrix Market (it begins with %%MatrixMarket), Harwell-Boeing or "
                              "Rutherford-Boeing (.rua, .rb, ...) or Tessera's binary CSR, plain or gzip, or a "
                              "file of NumPy (.npz, .npy)");
}

/// Returns the kind of a file, judged by the beginning of its content.
Kind kind_of(std::string_view content, const std::string& path) {
  if (Impl::has_binary_csr_magic(content)) return Kind::BinaryCsr;
  if (Impl::has_numpy_magic(content)) return Kind::Numpy;
  // Checked before Matrix Market, because the title of a Harwell-Boeing file may be that banner.
  if (Impl::has_harwell_boeing_header(content)) return Kind::HarwellBoeing;
  if (Impl::has_matrix_market_banner(content)) return Kind::MatrixMarket;
  fail_unknown(path, content);
}

/// Enough bytes for the header of binary CSR, for three lines of Harwell-Boeing, and for blanks before a banner.
constexpr std::size_t bytes_of_head = Impl::bytes_of_checked_head;

Kind kind_of_file(const std::string& path) { return kind_of(Impl::read_file_head(path, bytes_of_head).view(), path); }

/// Returns a function that throws if a file begins like no known kind.
auto kind_check(const std::string& path) {
  return [&path](std::string_view head) { static_cast<void>(kind_of(head, path)); };
}

ReadOptions with_progress(const ReadOptions& options, const Impl::Progress& progress) {
  ReadOptions result = options;
  if (options.progress) result.progress = progress;
  return result;
}

template <class Header>
MatrixHeader short_header(const Header& header) {
  return {static_cast<std::size_t>(header.rows), static_cast<std::size_t>(header.columns),
          header.field == Impl::MatrixMarketHeader::Field::Complex};
}

[[noreturn]] void fail_sparse(const std::string& path) {
  throw std::invalid_argument(path +
                              ": is binary CSR, expected a dense matrix: Matrix Market, an array of NumPy, or the "
                              "right-hand sides of Harwell-Boeing");
}

}  // namespace

template <class Scalar>
HostCsr<Scalar> read_matrix(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, kind_check(path),
                              [&](std::string_view content, const Impl::Progress& progress) {
                                const ReadOptions parse_options = with_progress(options, progress);
                                switch (kind_of(content, path)) {
                                  case Kind::BinaryCsr:
                                    return Impl::parse_binary_csr<Scalar>(content, path, parse_options);
                                  case Kind::HarwellBoeing:
                                    return Impl::parse_harwell_boeing<Scalar>(content, path, parse_options);
                                  case Kind::Numpy:
                                    return Impl::parse_numpy<Scalar>(content, path, parse_options);
                                  default:
                                    return Impl::parse_matrix_market<Scalar>(content, path, parse_options);
                                }
                              });
}

MatrixHeader read_matrix_header(const std::string& path) {
  switch (kind_of_file(path)) {
    case Kind::BinaryCsr: {
      const auto header = Impl::parse_binary_header(Impl::read_file_head(path, bytes_of_head).view(), path);
      return {static_cast<std::size_t>(header.rows), static_cast<std::size_t>(header.columns), header.is_complex()};
    }
    case Kind::HarwellBoeing:
      return short_header(Impl::read_harwell_boeing_header(path));
    case Kind::Numpy:
      return Impl::sparse_numpy_header(Impl::look_at_file(path), path);
    default:
      return short_header(Impl::read_matrix_market_header(path));
  }
}

bool Impl::matrix_is_complex(const std::string& path) { return read_matrix_header(path).is_complex; }

template <class Scalar>
HostDense<Scalar> read_dense_matrix(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, kind_check(path),
                              [&](std::string_view content, const Impl::Progress& progress) {
                                const ReadOptions parse_options = with_progress(options, progress);
                                const Kind kind = kind_of(content, path);
                                if (kind == Kind::BinaryCsr) fail_sparse(path);
                                if (kind == Kind::Numpy)
                                  return Impl::parse_dense_numpy<Scalar>(content, path, parse_options);
                                if (kind == Kind::MatrixMarket)
                                  return Impl::parse_dense_matrix_market<Scalar>(content, path, parse_options);
                                return Impl::parse_harwell_boeing_vectors<Scalar>(
                                    content, path, HarwellBoeingVectors::RightHandSides, parse_options);
                              });
}

MatrixHeader Impl::read_dense_header(const std::string& path) {
  const Kind kind = kind_of_file(path);
  if (kind == Kind::BinaryCsr) fail_sparse(path);
  if (kind == Kind::Numpy) return Impl::dense_numpy_header(Impl::look_at_file(path), path);
  if (kind == Kind::MatrixMarket) return short_header(Impl::read_matrix_market_header(path));
  const Impl::HarwellBoeingHeader header = Impl::read_harwell_boeing_header(path);
  MatrixHeader result = short_header(header);
  result.columns = header.right_hand_sides;
  return result;
}

#define TESSERA_INSTANTIATE(Scalar)                                             \
  template HostCsr<Scalar> read_matrix(const std::string&, const ReadOptions&); \
  template HostDense<Scalar> read_dense_matrix(const std::string&, const ReadOptions&);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
