// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/common/Types.hpp>
#include <vector>

#include "NpyHeader.hpp"
#include "ZipArchive.hpp"

namespace Tessera::Impl {

/// An array of NumPy, of which only the header has been read: a member of an archive (.npz), or a file (.npy).
struct NpzArray {
  std::string where;  ///< what messages begin with
  NpyHeader header;
  const ZipMember* member = nullptr;  ///< null for a file

  std::size_t length() const { return header.shape.front(); }                             ///< of a vector
  std::size_t columns() const { return header.shape.size() == 2 ? header.shape[1] : 1; }  ///< of a dense matrix
};

/// Returns the header of an array in a file (.npy) of `file_bytes` bytes that begins with `head`. Throws like
/// npz_array().
NpzArray npy_array(std::string_view head, std::size_t file_bytes, const std::string& path);

/// Returns the header of an array in an archive. Throws std::runtime_error for a damaged one, also if its size does not
/// fit its shape.
NpzArray npz_array(const ZipArchive& archive, const ZipMember& member);

/// Returns the only array of an archive, a dense matrix or a vector. Throws std::invalid_argument if there are others.
NpzArray only_npz_array(const ZipArchive& archive);

/// Throws std::runtime_error unless an array is a matrix of numbers, or a vector, which is a matrix of one column.
void expect_dense(const NpzArray& array);

/// The arrays of a sparse matrix that scipy.sparse.save_npz has written. They fit each other; their elements are not
/// checked.
struct SparseArrays {
  /// The format of SciPy.
  enum class Format {
    Csr,  ///< compressed rows
    Csc,  ///< compressed columns
    Coo   ///< entries with row and column
  };
  Format format = Format::Csr;
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t entries = 0;  ///< elements of the arrays of entries; offsets may say that fewer of them are used
  NpzArray offsets;         ///< of Csr and Csc: "indptr"
  NpzArray row_indices;     ///< of Csc ("indices") and Coo ("row")
  NpzArray column_indices;  ///< of Csr ("indices") and Coo ("col")
  NpzArray values;          ///< "data"
};

/// Finds the arrays of a sparse matrix and checks their types and lengths.
///
/// \throws std::invalid_argument if the archive holds other arrays
/// \throws std::runtime_error for every other defect, naming the member
SparseArrays sparse_arrays(const ZipArchive& archive);

}  // namespace Tessera::Impl
