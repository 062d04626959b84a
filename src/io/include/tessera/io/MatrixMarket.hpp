// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// What the banner and the size line of a Matrix Market file say.
struct MatrixMarketHeader {
  enum class Layout { Coordinate, Array };
  enum class Field { Real, Integer, Complex, Pattern };  ///< "double" is read as Real
  enum class Symmetry { General, Symmetric, SkewSymmetric, Hermitian };

  Layout layout = Layout::Coordinate;
  Field field = Field::Real;
  Symmetry symmetry = Symmetry::General;
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t stored_entries = 0;  ///< entry lines in the file, before a symmetry is expanded
};

/// Reads the banner, the comments and the size line, not the entries. Errors as read_matrix_market.
MatrixMarketHeader read_matrix_market_header(const std::string& path);

/// Reads a Matrix Market file, plain or gzip (told apart by content, not by name), into canonical CSR.
///
/// Accepted: coordinate and array; real, double, integer, complex and pattern; general, symmetric, skew-symmetric and
/// hermitian; a banner in any case, comments and blank lines anywhere, CRLF, blanks around the entry, a '+' before a
/// number, Fortran's exponents (1.5D+3), a last line without a newline. Entries come one a line, in any order;
/// duplicates are summed in file order; explicit zeros stay, so that all entries of an array file do. Entries of a
/// pattern are 1, even where a number follows the indices. A number too small for Scalar becomes zero; one too large is
/// an error.
///
/// Symmetry: the standard stores the lower triangle. Files with entries above the diagonal exist; as an entry and its
/// mirror image are one element of the matrix, each entry off the diagonal is taken from whichever triangle it is in
/// and set in both (negated for skew-symmetric, conjugated for hermitian). A file that gives both (i, j) and (j, i)
/// gives that element twice, and duplicates are summed. An entry on the diagonal is set once, as it stands; in a
/// skew-symmetric file it must be zero.
///
/// Throws std::invalid_argument if the file is complex and Scalar is real; std::runtime_error for every other defect of
/// the file, with the name, the line and what was expected there ("name:line: ..."), for a file that cannot be read
/// and for one that needs more memory than there is, which is found out before it is allocated.
///
/// Cost: the text is read whole, then parsed by options.threads threads; the peak is the text plus twice the entries.
template <class Scalar>
HostCsr<Scalar> read_matrix_market(const std::string& path, const ReadOptions& options = {});

/// The same for a dense matrix: an array file, or a coordinate file whose missing entries are zero.
template <class Scalar>
HostDense<Scalar> read_dense_matrix_market(const std::string& path, const ReadOptions& options = {});

/// The same for the text of a file; messages call it `name`.
MatrixMarketHeader parse_matrix_market_header(std::string_view text, const std::string& name);
template <class Scalar>
HostCsr<Scalar> parse_matrix_market(std::string_view text, const std::string& name, const ReadOptions& options = {});
template <class Scalar>
HostDense<Scalar> parse_dense_matrix_market(std::string_view text, const std::string& name,
                                            const ReadOptions& options = {});

/// Writes a general coordinate file, real or complex as Scalar is, row by row.
///
/// Numbers are the shortest decimals that read back to the same bits (of NaNs, the sign alone). A file appears under
/// its name only when it is complete: it is written beside the target and renamed, and removed on failure. A target
/// that exists and is no regular file, such as /dev/stdout, is written to directly.
/// Throws std::invalid_argument if the matrix is not valid, std::runtime_error if the file cannot be written.
template <class Scalar>
void write_matrix_market(const std::string& path, const HostCsr<Scalar>& matrix);

/// Writes a general array file, in the same way.
template <class Scalar>
void write_dense_matrix_market(const std::string& path, const HostDense<Scalar>& matrix);

}  // namespace Tessera
