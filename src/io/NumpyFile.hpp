// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/io/ReadMatrix.hpp>

#include "FileBytes.hpp"

namespace Tessera::Impl {

/// Returns whether a file begins like one of NumPy: an array (.npy), or a zip archive whose first member is one (.npz).
bool has_numpy_magic(std::string_view content);

/// Throws std::runtime_error unless has_numpy_magic().
void expect_numpy_magic(std::string_view content, const std::string& path);

/// Throws std::invalid_argument for a dense array where a sparse matrix is expected.
[[noreturn]] void reject_array(const std::string& path);

/// Returns the header of the matrix that read_numpy() would read. Throws like it, but reads no array of entries.
MatrixHeader sparse_numpy_header(FileBytes bytes, const std::string& path);

/// Returns the header of the matrix that read_dense_numpy() would read.
MatrixHeader dense_numpy_header(FileBytes bytes, const std::string& path);

}  // namespace Tessera::Impl
