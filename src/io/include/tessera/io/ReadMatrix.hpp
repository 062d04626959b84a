// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// Reads a sparse matrix from a Matrix Market or binary CSR file, plain or gzip. The content decides which it is, not
/// the name. Throws as read_matrix_market() and read_binary_csr() do.
///
/// \throws std::invalid_argument for a file of another kind, naming the formats
template <class Scalar>
HostCsr<Scalar> read_matrix(const std::string& path, const ReadOptions& options = {});

/// Whether the matrix in a file is complex, so that a real Scalar cannot hold it. Reads only the head of the file.
bool matrix_is_complex(const std::string& path);

}  // namespace Tessera
