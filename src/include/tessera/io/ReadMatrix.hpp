// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// Reads a sparse matrix from a Matrix Market, Harwell-Boeing, Rutherford-Boeing or binary CSR file, plain or gzip, or
/// from SciPy's .npz. The content decides which kind it is, not the name. The path "-" is standard input, which one
/// thread at a time may read. Throws like read_matrix_market(), read_harwell_boeing(), read_binary_csr() and
/// read_numpy().
///
/// \throws std::invalid_argument for a file of another kind, naming the formats
/// \throws std::runtime_error for a file that another program has packed (xz, bzip2, zip, ...), or in UTF-16,
///         naming a program that unpacks or converts it
template <class Scalar>
HostCsr<Scalar> read_matrix(const std::string& path, const ReadOptions& options = {});

/// The shape and type of the matrix in a file, from the beginning of the file.
struct MatrixHeader {
  std::size_t rows = 0;     ///< rows of the matrix
  std::size_t columns = 0;  ///< columns of the matrix
  bool is_complex = false;  ///< whether a real Scalar cannot hold it
};

/// Returns the header of the matrix that read_matrix() would read. Reads only the beginning of the file, and of
/// SciPy's .npz the directory and small arrays. Standard input ("-") can be read again afterwards.
MatrixHeader read_matrix_header(const std::string& path);

/// Reads a dense matrix from a Matrix Market file, from an array of NumPy (.npy, .npz), or the right-hand sides of a
/// Harwell-Boeing file. Accepts paths and throws like read_matrix(), read_dense_matrix_market(), read_dense_numpy() and
/// read_harwell_boeing_vectors().
template <class Scalar>
HostDense<Scalar> read_dense_matrix(const std::string& path, const ReadOptions& options = {});

namespace Impl {

/// Returns whether the matrix in a file is complex, according to read_matrix_header().
bool matrix_is_complex(const std::string& path);

/// Returns the header of the matrix that read_dense_matrix() would read, with 0 columns for a Harwell-Boeing file
/// without right-hand sides. Reads like read_matrix_header().
MatrixHeader read_dense_header(const std::string& path);

}  // namespace Impl

}  // namespace Tessera
