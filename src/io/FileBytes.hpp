// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <tessera/system/impl/OpenFile.hpp>
#include <utility>

namespace Tessera::Impl {

/// The bytes of a file at any place: in memory, or read from an open file when they are asked for.
class FileBytes {
 public:
  /// \param content [in] the whole file, which must outlive this object
  explicit FileBytes(std::string_view content) : content_(content), size_(content.size()) {}
  explicit FileBytes(std::unique_ptr<const OpenFile> file) : file_(std::move(file)), size_(file_->size()) {}

  std::size_t size() const { return size_; }

  /// Returns `count` bytes from an offset on, which must be in the file. They are in `scratch` if they had to be read.
  /// Throws std::runtime_error if they cannot be read.
  std::string_view at(std::size_t offset, std::size_t count, ByteBuffer& scratch) const;

 private:
  std::string_view content_;
  std::unique_ptr<const OpenFile> file_;
  std::size_t size_;
};

}  // namespace Tessera::Impl
