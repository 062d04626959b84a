// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// Reads a sparse matrix from a file (.npz) that scipy.sparse.save_npz has written, compressed or not, into canonical
/// CSR.
///
/// Accepts the formats csr, csc and coo of matrices and sparse arrays with two extents; indices of any integer type;
/// values that are integers, truth values, real or complex, of either byte order. Members of the archive may be in any
/// order; other members are ignored. Entries may be in any order, duplicates are summed in the order of the file, and
/// explicit zeros are kept. As in SciPy, entries beyond the last offset do not count. A number too small for Scalar
/// becomes zero; one too large is an error.
///
/// \throws std::invalid_argument if the file holds another kind of array, or if it is complex and Scalar is real
/// \throws std::runtime_error for every other defect of the file, with name, member, what was found and expected; for a
///         file that cannot be read; and for one that needs more memory than there is, before it is allocated
///
/// Cost: the file is read whole. Peak memory is the file, its largest array unpacked, and the matrix; for csc and coo
/// also three times the entries. One thread unpacks, options.threads threads convert.
template <class Scalar>
HostCsr<Scalar> read_numpy(const std::string& path, const ReadOptions& options = {});

/// Reads a dense matrix from a file of numpy.save (.npy), or from one of numpy.savez or numpy.savez_compressed (.npz)
/// with a single array. An array with one extent is a matrix of one column. Rows or columns may be adjacent in the
/// file. Values and errors are those of read_numpy().
template <class Scalar>
HostDense<Scalar> read_dense_numpy(const std::string& path, const ReadOptions& options = {});

namespace Impl {

/// Reads a sparse matrix from the bytes of a file; error messages call it `name`.
template <class Scalar>
HostCsr<Scalar> parse_numpy(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

/// Reads a dense matrix from the bytes of a file; error messages call it `name`.
template <class Scalar>
HostDense<Scalar> parse_dense_numpy(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace Impl

}  // namespace Tessera
