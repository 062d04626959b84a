// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// What the head of a Harwell-Boeing or Rutherford-Boeing file says.
struct HarwellBoeingHeader {
  std::string title;                           ///< the first 72 columns, without blanks at their end
  std::string key;                             ///< the next 8
  MatrixMarketHeader::Field field = {};        ///< the first letter of the type: R, I, C or P
  MatrixMarketHeader::Symmetry symmetry = {};  ///< the second letter: U and R are general; S, Z, H
  Ordinal rows = 0;                            ///< rows of the matrix
  Ordinal columns = 0;                         ///< columns of the matrix
  std::size_t stored_entries = 0;              ///< entries in the file, before a symmetry is expanded
  std::size_t right_hand_sides = 0;            ///< how many; 0 if there are none
  bool has_sparse_right_hand_sides = false;    ///< they are not full; these are not read
  bool has_guesses = false;                    ///< as many first guesses follow
  bool has_solutions = false;                  ///< as many solutions follow
};

/// The dense matrices that a Harwell-Boeing file may hold beside the sparse one.
enum class HarwellBoeingVectors {
  RightHandSides,  ///< right-hand sides
  Guesses,         ///< first guesses of a solution
  Solutions        ///< solutions
};

/// Reads the head, not the numbers. Throws as read_harwell_boeing() does.
HarwellBoeingHeader read_harwell_boeing_header(const std::string& path);

/// Reads a matrix from a Harwell-Boeing or Rutherford-Boeing file (.rua, .rsa, .rb, ...), plain or gzip, into canonical
/// CSR. The content decides whether it is gzip, not the name.
///
/// Accepted are assembled matrices: real, integer, complex and pattern; general, rectangular, symmetric,
/// skew-symmetric and Hermitian; in formats of Fortran with I, F, E, D, G, EN or ES, repeats, groups, P, X, / and
/// tabs to the right. Numbers stand in the columns that the format says and may touch each other; exponents have an
/// E, D, Q or no letter; blanks lie around a number, its sign and its exponent. A number without a point has as
/// many decimals as the format says. Where the columns cut numbers, or hold none or two, the words of a line are
/// taken if they are as many. Accepted are CRLF, lines whose blanks at the end are missing, blank lines between the
/// parts, and numbers of cards in columns 73 to 80. The numbers of lines in the second line are not looked at.
///
/// Rows of a column come in any order. Duplicates are summed in the order of the file. Explicit zeros stay. Entries of
/// a pattern are 1, those that a skew-symmetric pattern implies -1. As in read_matrix_market(), a symmetry sets each
/// entry off the diagonal in both triangles, whichever holds it, so that a file with both has them twice, and sums
/// them; real Hermitian matrices are symmetric; the diagonal of a skew-symmetric matrix must be zero. A number too
/// small for Scalar becomes zero; one too large is an error.
///
/// \throws std::invalid_argument if the file is complex and Scalar is real
/// \throws std::runtime_error for a matrix that is not assembled (elemental), for every other defect of the file, with
///         the name, the line and what was expected there ("name:line: ..."), for a file that cannot be read, and for
///         one that needs more memory than there is, before it is allocated
///
/// Cost: the text is read whole, then parsed by options.threads threads. The peak of memory is the text and twice the
/// entries.
template <class Scalar>
HostCsr<Scalar> read_harwell_boeing(const std::string& path, const ReadOptions& options = {});

/// Reads the full right-hand sides, guesses or solutions of a Harwell-Boeing file: header.rows x
/// header.right_hand_sides. Accepts and throws the same as read_harwell_boeing(); std::runtime_error as well if the
/// file has none, or sparse ones.
template <class Scalar>
HostDense<Scalar> read_harwell_boeing_vectors(const std::string& path,
                                              HarwellBoeingVectors vectors = HarwellBoeingVectors::RightHandSides,
                                              const ReadOptions& options = {});

/// Reads the header from the text of a file; error messages call it `name`.
HarwellBoeingHeader parse_harwell_boeing_header(std::string_view text, const std::string& name);
/// Reads a sparse matrix from the text of a file; error messages call it `name`.
template <class Scalar>
HostCsr<Scalar> parse_harwell_boeing(std::string_view text, const std::string& name, const ReadOptions& options = {});
/// Reads dense vectors from the text of a file; error messages call it `name`.
template <class Scalar>
HostDense<Scalar> parse_harwell_boeing_vectors(std::string_view text, const std::string& name,
                                               HarwellBoeingVectors vectors = HarwellBoeingVectors::RightHandSides,
                                               const ReadOptions& options = {});

}  // namespace Tessera
