// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/system/impl/OutputFile.hpp>

#include "ScalarTraits.hpp"

namespace Tessera {
namespace Impl {
namespace {

/// A line of text. Numbers have the shortest form that reads back to the same bits.
class Line {
 public:
  template <class Number>
  void add(Number number) {
    end_ = std::to_chars(end_, text_ + sizeof text_, number).ptr;
    *end_++ = ' ';
  }
  template <class Part>
  void add(const std::complex<Part>& number) {
    add(number.real());
    add(number.imag());
  }
  /// Ends the line, writes it, and begins the next line.
  void write_to(OutputFile& file) {
    end_[-1] = '\n';
    file.write({text_, end_});
    end_ = text_;
  }

 private:
  char text_[128];  // two indices and two numbers have at most 2 * 21 + 2 * 25 characters
  char* end_ = text_;
};

template <class Scalar>
std::string banner(const std::string& layout) {
  return "%%MatrixMarket matrix " + layout + (is_complex<Scalar> ? " complex" : " real") + " general\n";
}

}  // namespace
}  // namespace Impl

template <class Scalar>
void write_matrix_market(const std::string& path, const HostCsr<Scalar>& matrix) {
  if (!Impl::is_valid(matrix)) throw std::invalid_argument(path + ": cannot be written: the matrix is not valid CSR");
  Impl::OutputFile file(path);
  file.write(Impl::banner<Scalar>("coordinate"));
  Impl::Line line;
  line.add(matrix.rows);
  line.add(matrix.columns);
  line.add(matrix.values.size());
  line.write_to(file);
  for (Impl::Ordinal row = 0; row < matrix.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    for (std::size_t k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      line.add(row + 1LL);
      line.add(matrix.column_indices[k] + 1LL);
      line.add(matrix.values[k]);
      line.write_to(file);
    }
  }
  file.commit();
}

template <class Scalar>
void write_dense_matrix_market(const std::string& path, const HostDense<Scalar>& matrix) {
  // Divides, because the product might overflow.
  const bool fits = matrix.columns == 0 || matrix.rows == 0 ? matrix.values.empty()
                                                            : matrix.values.size() % matrix.columns == 0 &&
                                                                  matrix.values.size() / matrix.columns == matrix.rows;
  if (!fits) throw std::invalid_argument(path + ": cannot be written: expected rows * columns values");
  Impl::OutputFile file(path);
  file.write(Impl::banner<Scalar>("array"));
  Impl::Line line;
  line.add(matrix.rows);
  line.add(matrix.columns);
  line.write_to(file);
  for (const Scalar& value : matrix.values) {
    line.add(value);
    line.write_to(file);
  }
  file.commit();
}

#define TESSERA_INSTANTIATE(Scalar)                                              \
  template void write_matrix_market(const std::string&, const HostCsr<Scalar>&); \
  template void write_dense_matrix_market(const std::string&, const HostDense<Scalar>&);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
