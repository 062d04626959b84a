// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tessera/io/ReadOptions.hpp>
#include <tessera/system/impl/OpenFile.hpp>
#include <tessera/system/impl/Parallel.hpp>

namespace Tessera::Impl {

/// Reads the content of a file, decompressed if it begins like gzip. The path "-" is standard input, which one thread
/// at a time may read.
///
/// Throws std::runtime_error, naming the file, if it is missing, a directory, not readable, damaged gzip, named .gz but
/// not gzip, packed by another program, or larger than options.memory_limit. Before a long content is read and unpacked
/// completely, it calls check_head with the first bytes_of_checked_head bytes, which may throw.
ByteBuffer read_file(const std::string& path, const ReadOptions& options, const Progress& progress,
                     const std::function<void(std::string_view head)>& check_head);

constexpr std::size_t bytes_of_checked_head = std::size_t{1} << 16;

/// Reads the first `bytes` bytes of the content, at least tar_header_bytes, or all if it is shorter. For regular files
/// and standard input, these can be read again; other files can be read only once.
ByteBuffer read_file_head(const std::string& path, std::size_t bytes);

/// Reads a file and returns parse(content, progress). check_head(head) throws if a long content does not begin like a
/// file that `parse` accepts.
template <class CheckHead, class Parse>
auto read_and_parse(const std::string& path, const ReadOptions& options, const CheckHead& check_head,
                    const Parse& parse) {
  constexpr double reading = 0.5;  // Decompressing takes at least as long as parsing.
  const Progress progress(options.progress);
  const ByteBuffer content = read_file(path, options, progress.part(0, reading), check_head);
  return parse(content.view(), progress.part(reading, 1));
}

}  // namespace Tessera::Impl
