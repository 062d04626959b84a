// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// The two binary file formats of a CSR matrix. Numbers are little-endian, without padding.
///
/// Offsets32: int64 magic 0x52534354, rows, columns, nonzeros; int32 row_offsets[rows + 1];
///            int32 column_indices[nonzeros]; float values[nonzeros].
/// Offsets64: int64 magic 0x3152534353534554 (the bytes "TESSCSR1"), kind, rows, columns, nonzeros;
///            int64 row_offsets[rows + 1]; int32 column_indices[nonzeros]; values[nonzeros] of the type that kind
///            names: 0 float, 1 double, 2 complex of float, 3 complex of double (real part first).
enum class BinaryCsrFormat {
  Offsets32,  ///< 32-bit offsets, float values
  Offsets64   ///< 64-bit offsets, values of any scalar type
};

/// Reads a file of either format, plain or gzip, into canonical CSR. The content decides which format it is. Values are
/// converted to Scalar: a value too small for it becomes 0, one too large is rejected.
///
/// The sizes must fit the length of the file exactly. Offsets and columns are checked before use. Unsorted rows are
/// sorted, and duplicates are summed in the order of the file.
///
/// \throws std::invalid_argument if the file is complex and Scalar is real
/// \throws std::runtime_error, with the name of the file and what was expected, for every other defect and for a file
///         that cannot be read or needs more memory than there is
template <class Scalar>
HostCsr<Scalar> read_binary_csr(const std::string& path, const ReadOptions& options = {});

/// Writes a binary file. Offsets64 keeps the type of the values; Offsets32 rounds them to float. The file is written
/// completely or not at all, like that of write_matrix_market().
///
/// \throws std::invalid_argument if the matrix is not valid or Offsets32 cannot hold it (complex values, more than
///         2^31 - 1 nonzeros, or a value beyond the range of float)
/// \throws std::runtime_error if the file cannot be written
template <class Scalar>
void write_binary_csr(const std::string& path, const HostCsr<Scalar>& matrix,
                      BinaryCsrFormat format = BinaryCsrFormat::Offsets64);

namespace Impl {

/// Reads the bytes of a file, like read_binary_csr(); error messages call it `name`.
template <class Scalar>
HostCsr<Scalar> parse_binary_csr(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace Impl

}  // namespace Tessera
