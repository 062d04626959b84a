// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace Tessera::Impl {

/// Throws std::runtime_error if no reader accepts the content but another program can unpack or convert it: it is
/// compressed, but not by gzip; a zip archive of other files than arrays of NumPy; a tar archive; or UTF-16. The
/// message names the program.
///
/// \param content [in] the beginning of a file, or of its unpacked content: at least tar_header_bytes, or all of it
void reject_packed(const std::string& path, std::string_view content);

constexpr std::size_t tar_header_bytes = 512;

}  // namespace Tessera::Impl
