// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tessera/io/ReadOptions.hpp>
#include <tessera/system/impl/OpenFile.hpp>
#include <tessera/system/impl/Parallel.hpp>

#include "FileBytes.hpp"

namespace Tessera::Impl {

/// Reads the content of a file, and decompresses it if it begins like gzip. The path "-" is standard input, which one
/// thread at a time may read.
///
/// Throws std::runtime_error, naming the file, if the file is missing, a directory, not readable, damaged gzip, named
/// .gz but not gzip, packed by another program, or larger than options.memory_limit. If the content is long, check_head
/// is called with its first bytes_of_checked_head bytes before the rest is read and unpacked, and may throw.
ByteBuffer read_file(const std::string& path, const ReadOptions& options, const Progress& progress,
                     const std::function<void(std::string_view head)>& check_head);

constexpr std::size_t bytes_of_checked_head = std::size_t{1} << 16;

/// Reads the first `bytes` bytes of the content, or all of a shorter one. `bytes` is at least tar_header_bytes. Regular
/// files and standard input can be read again afterwards. Other files can be read only once, and are rejected.
ByteBuffer read_file_head(const std::string& path, std::size_t bytes);

/// Returns the bytes of a file for a look at some of them; the path must outlive them. Reads nothing of a regular file,
/// and all of standard input, which can be read again afterwards. Rejects files like read_file_head().
FileBytes look_at_file(const std::string& path);

/// Reads a file and returns parse(content, progress). check_head(head) must throw if a long content does not begin like
/// a file that `parse` accepts.
template <class CheckHead, class Parse>
auto read_and_parse(const std::string& path, const ReadOptions& options, const CheckHead& check_head,
                    const Parse& parse) {
  constexpr double reading = 0.5;  // the share of reading: decompressing takes at least as long as parsing
  const Progress progress(options.progress);
  const ByteBuffer content = read_file(path, options, progress.part(0, reading), check_head);
  return parse(content.view(), progress.part(reading, 1));
}

}  // namespace Tessera::Impl
