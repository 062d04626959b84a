// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// Reads a sparse matrix from a file of any format that Tessera knows, plain or gzip; the content decides, not the
/// name: Matrix Market (MatrixMarket.hpp) or binary CSR (BinaryCsr.hpp), with their errors. Throws
/// std::invalid_argument, naming the formats, for a file of another kind.
template <class Scalar>
HostCsr<Scalar> read_matrix(const std::string& path, const ReadOptions& options = {});

/// Whether the matrix in a file is complex, so that a real Scalar cannot hold it. Reads the head of the file only.
bool matrix_is_complex(const std::string& path);

}  // namespace Tessera
