// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace Tessera::Impl {

/// Throws std::runtime_error if a content begins like one that no reader accepts but a program can unpack or convert:
/// compressed by other programs than gzip, a tar archive, UTF-16. The message names the program.
///
/// \param content [in] the beginning of a file, or of its unpacked content; at least tar_header_bytes, or all
void reject_packed(const std::string& path, std::string_view content);

constexpr std::size_t tar_header_bytes = 512;

}  // namespace Tessera::Impl
