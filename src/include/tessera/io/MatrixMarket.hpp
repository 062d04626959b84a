// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// Reads a Matrix Market file, plain or gzip, into canonical CSR. The content decides whether it is gzip, not the name.
///
/// Accepts coordinate and array files; the fields real, double, integer, unsigned-integer, complex and pattern;
/// general, symmetric, skew-symmetric and hermitian matrices; a banner in any letter case, with one % or two, after
/// optional blanks, blank lines and UTF-8's byte-order mark; comments and blank lines anywhere after it, CRLF, blanks
/// around an entry, a '+' before a number, Fortran's exponents (1.5D+3, 1.5-270), and a last line without a newline.
/// Each line holds one entry; entries may be in any order. Duplicates are summed in the order of the file. Explicit
/// zeros are kept, also those of an array file. Entries of a pattern are 1, even if a number follows the indices. A
/// number too small for Scalar becomes zero; one too large is an error.
///
/// Symmetric files should store the lower triangle, but some files have entries above the diagonal. An off-diagonal
/// entry is therefore read from either triangle and set in both (negated for skew-symmetric, conjugated for hermitian).
/// A file with both (i, j) and (j, i) sets each of the two elements twice, and duplicates are summed. An entry on the
/// diagonal is set once; in a skew-symmetric file it must be zero.
///
/// \throws std::invalid_argument if the file is complex and Scalar is real
/// \throws std::runtime_error for every other defect of the file, with the name, the line and what was expected there
///         ("name:line: ..."); for a file that cannot be read; and for one that needs more memory than there is, before
///         it is allocated
///
/// Cost: the text is read whole, then parsed by options.threads threads. Peak memory is the text and twice the entries.
template <class Scalar>
HostCsr<Scalar> read_matrix_market(const std::string& path, const ReadOptions& options = {});

/// Reads a dense matrix from an array file, or from a coordinate file whose missing entries are zero. Accepts and
/// throws the same as read_matrix_market().
template <class Scalar>
HostDense<Scalar> read_dense_matrix_market(const std::string& path, const ReadOptions& options = {});

/// Writes a general coordinate file row by row. The file is real if Scalar is real, and complex if it is complex.
///
/// Numbers are the shortest decimals that read back to the same bits; for a NaN, only the sign is kept. The file is
/// written next to the target under another name, and renamed when it is complete or removed if writing fails. A target
/// that exists and is not a regular file, such as /dev/stdout, is written to directly.
///
/// \throws std::invalid_argument if the matrix is not valid
/// \throws std::runtime_error if the file cannot be written
template <class Scalar>
void write_matrix_market(const std::string& path, const HostCsr<Scalar>& matrix);

/// Writes a dense matrix as a general array file, like write_matrix_market().
template <class Scalar>
void write_dense_matrix_market(const std::string& path, const HostDense<Scalar>& matrix);

namespace Impl {

/// The banner and the size line of a Matrix Market file.
struct MatrixMarketHeader {
  /// The way that entries are listed.
  enum class Layout {
    Coordinate,  ///< a line for each entry, with its row and column
    Array        ///< all elements, column by column
  };
  /// The type of values.
  enum class Field {
    Real,     ///< "real" or "double"
    Integer,  ///< integers
    Complex,  ///< real and imaginary part
    Pattern   ///< no values
  };
  /// Which entries are stored.
  enum class Symmetry {
    General,        ///< all entries
    Symmetric,      ///< one triangle; the other is equal
    SkewSymmetric,  ///< one triangle; the other is its negative
    Hermitian       ///< one triangle; the other is its conjugate
  };

  Layout layout = Layout::Coordinate;     ///< the layout that the banner names
  Field field = Field::Real;              ///< the type of values that the banner names
  Symmetry symmetry = Symmetry::General;  ///< the symmetry that the banner names
  Ordinal rows = 0;                       ///< rows of the matrix
  Ordinal columns = 0;                    ///< columns of the matrix
  std::size_t stored_entries = 0;         ///< lines of entries in the file, before the symmetry is expanded
};

/// Reads the banner, the comments and the size line, not the entries. Throws like read_matrix_market().
MatrixMarketHeader read_matrix_market_header(const std::string& path);

/// Reads the header from the text of a file; error messages call it `name`.
MatrixMarketHeader parse_matrix_market_header(std::string_view text, const std::string& name);

/// Reads a sparse matrix from the text of a file; error messages call it `name`.
template <class Scalar>
HostCsr<Scalar> parse_matrix_market(std::string_view text, const std::string& name, const ReadOptions& options = {});

/// Reads a dense matrix from the text of a file; error messages call it `name`.
template <class Scalar>
HostDense<Scalar> parse_dense_matrix_market(std::string_view text, const std::string& name,
                                            const ReadOptions& options = {});

}  // namespace Impl

}  // namespace Tessera
