// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Array.hpp>
#include <DlpackExchange.hpp>
#include <string>

namespace Tessera::Python {

/// An array of Python, and what keeps its memory alive.
class ImportedArray {
 public:
  /// Imports an array to read: through the buffer protocol, DLPack, __cuda_array_interface__ or __array_interface__, in
  /// this order. An array that kernels cannot read in place is copied: one with negative strides, with elements that
  /// are repeated (stride 0), with elements that are not aligned to their size, or a lazy conjugate or negative of
  /// PyTorch.
  ///
  /// \param name [in] name of the function and its argument, for messages
  /// \throws WrongType if `object` is no array; std::invalid_argument if it has other than one or two dimensions
  static ImportedArray to_read(nanobind::handle object, const std::string& name);
  /// Imports an array to write: never a copy.
  /// \throws std::invalid_argument if it is read-only or would have to be copied
  static ImportedArray to_write(nanobind::handle object, const std::string& name);
  /// Imports a vector without gaps, or a copy of a vector with gaps.
  static ImportedArray vector(nanobind::handle object, const std::string& name);

  ImportedArray(ImportedArray&& other) noexcept;
  ImportedArray& operator=(ImportedArray&&) = delete;
  ~ImportedArray();

  const Array& get() const { return array_; }
  /// Whether this is a copy of the caller's array, which ends with this object.
  bool is_copy() const { return owner_.is_valid(); }

 private:
  ImportedArray() = default;

  static ImportedArray any(nanobind::handle object, const std::string& name);
  bool import_buffer(nanobind::handle object);
  void import_dlpack(nanobind::handle object, const std::string& name);
  void set_dlpack(const DlpackTensor& tensor, const std::string& name);
  void import_interface(nanobind::handle dictionary, bool is_cuda, const std::string& name);
  /// Sets the extents, and strides in elements.
  void set_shape(const std::string& name, int rank, const std::int64_t* extents, const std::int64_t* byte_strides,
                 std::int64_t element_bytes);

  Array array_;
  bool is_read_only_ = false;
  bool can_be_used_ = true;
  std::string type_name_;  ///< of elements that no plan has, as the array names it; may be empty
  Py_buffer buffer_ = {};  ///< its obj is null if there is none
  nanobind::ndarray<nanobind::ro> dlpack_;
  nanobind::object owner_;
};

}  // namespace Tessera::Python
