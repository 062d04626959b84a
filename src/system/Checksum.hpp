// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace Tessera::Impl {

/// Returns the CRC-32 checksum (IEEE 802.3, as in gzip and zlib) of earlier bytes, whose checksum is `before`, and
/// `bytes` after them. 0 is the checksum of no bytes. For long texts, it uses all threads that the process may use.
std::uint32_t checksum_with(std::uint32_t before, std::string_view bytes);

}  // namespace Tessera::Impl
