// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NumpyFile.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "FileKind.hpp"
#include "NpzArrays.hpp"

namespace Tessera::Impl {

bool has_numpy_magic(std::string_view content) {
  return has_npy_magic(content) || first_zip_member(content).ends_with(".npy") || content.starts_with(empty_zip_magic);
}

void expect_numpy_magic(std::string_view content, const std::string& path) {
  if (has_numpy_magic(content)) return;
  throw std::runtime_error(path + ": expected an array of NumPy (.npy) or a zip archive of such arrays (.npz)");
}

void reject_array(const std::string& path) {
  throw std::invalid_argument(
      path + ": is a dense array of NumPy, expected a sparse matrix; scipy.sparse.save_npz writes one");
}

MatrixHeader sparse_numpy_header(FileBytes bytes, const std::string& path) {
  ByteBuffer scratch;
  if (has_npy_magic(bytes.at(0, std::min(bytes.size(), tar_header_bytes), scratch))) reject_array(path);
  const SparseArrays arrays = sparse_arrays(ZipArchive(std::move(bytes), path));
  return {static_cast<std::size_t>(arrays.rows), static_cast<std::size_t>(arrays.columns),
          arrays.values.header.is_complex()};
}

MatrixHeader dense_numpy_header(FileBytes bytes, const std::string& path) {
  NpzArray array;
  ByteBuffer scratch;
  const std::string_view head = bytes.at(0, std::min(bytes.size(), most_npy_header_bytes), scratch);
  if (has_npy_magic(head)) {
    array = npy_array(head, bytes.size(), path);
  } else {
    array = only_npz_array(ZipArchive(std::move(bytes), path));
  }
  expect_dense(array);
  return {array.header.shape.front(), array.columns(), array.header.is_complex()};
}

}  // namespace Tessera::Impl
