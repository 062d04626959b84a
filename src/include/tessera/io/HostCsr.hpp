// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Types.hpp>
#include <vector>

namespace Tessera {

/// A sparse matrix in compressed rows that owns its memory, on the host.
///
/// Row i holds the entries row_offsets[i] <= k < row_offsets[i + 1]. Entry k lies in column column_indices[k], counted
/// from 0, and has the value values[k]. All readers and generators return the canonical form: row_offsets[0] = 0, the
/// offsets do not decrease, and the columns of each row ascend strictly. Explicit zeros are entries.
///
/// \tparam Scalar float, double, `std::complex<float>` or `std::complex<double>`
template <class Scalar>
struct HostCsr {
  Impl::Ordinal rows = 0;                     ///< rows of the matrix
  Impl::Ordinal columns = 0;                  ///< columns of the matrix
  std::vector<std::size_t> row_offsets{0};    ///< rows + 1 offsets
  std::vector<Impl::Ordinal> column_indices;  ///< row_offsets[rows] columns
  std::vector<Scalar> values;                 ///< row_offsets[rows] values

  /// Whether extents and all arrays are equal.
  friend bool operator==(const HostCsr&, const HostCsr&) = default;
};

/// A dense matrix, column-major: entry (i, j) is values[i + j * rows].
template <class Scalar>
struct HostDense {
  std::size_t rows = 0;        ///< rows of the matrix
  std::size_t columns = 0;     ///< columns of the matrix
  std::vector<Scalar> values;  ///< rows * columns values

  /// Whether extents and all values are equal.
  friend bool operator==(const HostDense&, const HostDense&) = default;
};

/// Returns whether the matrix is valid and the columns of each row ascend strictly.
template <class Scalar>
bool is_canonical(const HostCsr<Scalar>& matrix);

/// Sorts each row by column and sums duplicates in their order. Explicit zeros are kept. A matrix that is already
/// canonical is not written to. The result does not depend on the number of threads (0 means all available).
///
/// \throws std::invalid_argument if the matrix is not valid
template <class Scalar>
void make_canonical(HostCsr<Scalar>& matrix, int threads = 0);

namespace Impl {

/// Returns whether the array lengths fit the extents, the offsets do not decrease and the columns are in range.
template <class Scalar>
bool is_valid(const HostCsr<Scalar>& matrix);

}  // namespace Impl

}  // namespace Tessera
