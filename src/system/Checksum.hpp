// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace Tessera::Impl {

/// The checksum CRC-32 of IEEE 802.3, as gzip and zlib have it, of bytes with the checksum `before` and these bytes
/// after them; 0 is that of no bytes. Long texts are shared by all threads that the process may use.
std::uint32_t checksum_with(std::uint32_t before, std::string_view bytes);

}  // namespace Tessera::Impl
