// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FileKind.hpp"

#include <stdexcept>

#include "NumpyFile.hpp"

namespace Tessera::Impl {
namespace {

/// A kind of file that another program can unpack.
struct Packed {
  std::string_view magic;
  std::size_t begin;  ///< position of the magic bytes in the file
  const char* name;
  const char* unpack;
  const char* unpack_to_pipe;
  const char* expected = "plain or gzip";
};

constexpr Packed packed_kinds[] = {
    {{"\xFD"
      "7zXZ\0",
      6},
     0,
     "xz",
     "xz -dk",
     "xz -dc"},
    {"1AY&SY", 4, "bzip2", "bzip2 -dk", "bzip2 -dc"},
    {"\x28\xB5\x2F\xFD", 0, "zstd", "zstd -dk", "zstd -dc"},
    {"PK\x03\x04", 0, "zip", "unzip", "unzip -p", "plain, gzip, or arrays of NumPy (.npz)"},
    {"7z\xBC\xAF\x27\x1C", 0, "7z", "7z x", "7z x -so"},
    {"\x1F\x9D", 0, "compress", "uncompress -k", "gzip -dc"},
    {"LZIP", 0, "lzip", "lzip -dk", "lzip -dc"},
    {"\x04\x22\x4D\x18", 0, "lz4", "lz4 -dk", "lz4 -dc"},
};

[[noreturn]] void reject(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

void reject_tar(const std::string& path, std::string_view content) {
  constexpr std::size_t magic = 257;
  constexpr std::size_t name_bytes = 100;
  if (content.size() < tar_header_bytes || !content.substr(magic).starts_with("ustar")) return;
  std::string first(content.substr(0, content.substr(0, name_bytes).find('\0')));
  for (char& c : first) c = c < ' ' || c > '~' ? '?' : c;
  reject(path, "is a tar archive, expected a matrix file; unpack it (tar -xf " + path +
                   ") and read the matrix that is in it (the archive begins with " + first + ")");
}

}  // namespace

void reject_packed(const std::string& path, std::string_view content) {
  if (has_numpy_magic(content)) return;  // a zip archive, too
  for (const Packed& kind : packed_kinds) {
    if (content.size() < kind.begin || !content.substr(kind.begin).starts_with(kind.magic)) continue;
    const std::string pipe = "pipe it (" + std::string(kind.unpack_to_pipe) + ") into what reads \"-\"";
    const std::string unpack = path == "-" ? "" : std::string("unpack it (") + kind.unpack + " " + path + "), or ";
    reject(path, std::string("is packed by ") + kind.name + ", expected " + kind.expected + "; " + unpack + pipe);
  }
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) {
    reject(path,
           "is UTF-16, as its byte-order mark says, expected ASCII or UTF-8; convert it (iconv -f UTF-16 -t UTF-8 " +
               path + ")");
  }
  reject_tar(path, content);
}

}  // namespace Tessera::Impl
