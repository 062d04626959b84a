// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FileBytes.hpp"

namespace Tessera::Impl {

std::string_view FileBytes::at(std::size_t offset, std::size_t count, ByteBuffer& scratch) const {
  if (file_ == nullptr) return content_.substr(offset, count);
  scratch.resize(count);
  file_->read_whole_at(offset, scratch.data(), count);
  return scratch.view();
}

}  // namespace Tessera::Impl
