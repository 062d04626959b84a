// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "FileBytes.hpp"

namespace Tessera::Impl {

/// A file in a zip archive, as the directory of the archive describes it.
struct ZipMember {
  std::string name;
  unsigned method = 0;  ///< of compression: 0 none, 8 deflate
  unsigned long crc = 0;
  std::size_t packed_bytes = 0;
  std::size_t bytes = 0;         ///< when it is unpacked
  std::size_t header_begin = 0;  ///< position of the header before its data
  bool is_encrypted = false;
};

/// A file from an archive, unpacked. `view` lies in `buffer`, or in the archive if that is in memory and the file is
/// not compressed.
struct UnpackedMember {
  ByteBuffer buffer;
  std::string_view view;
};

/// Reads zip archives, also those with 64-bit sizes (ZIP64) and those that were written as a stream. Members are stored
/// or compressed by deflate.
///
/// All functions throw std::runtime_error for an archive that is damaged or of another kind. The message names the
/// file, the member, what was found and what was expected.
class ZipArchive {
 public:
  /// Reads the directory.
  ///
  /// \param path [in] the name of the archive for messages
  ZipArchive(FileBytes bytes, std::string path);

  const std::string& path() const { return path_; }
  const std::vector<ZipMember>& members() const { return members_; }

  /// Returns a member, or null if there is none of this name.
  const ZipMember* find(std::string_view name) const;

  /// Returns the bytes that unpack() allocates.
  double bytes_to_unpack(const ZipMember& member) const;

  /// Returns the content of a member, whose checksum is right.
  UnpackedMember unpack(const ZipMember& member) const;

  /// Returns the first `bytes` bytes of a member, or all of a shorter one. Checks no checksum.
  ByteBuffer head(const ZipMember& member, std::size_t bytes) const;

  /// Throws std::runtime_error(path: member name: what).
  [[noreturn]] void fail(const ZipMember& member, const std::string& what) const;

 private:
  struct Directory;
  Directory find_directory() const;
  Directory wide_directory(std::size_t end_begin, Directory narrow) const;
  void read_directory(const Directory& directory);
  std::string_view add_member(std::string_view rest);
  ByteBuffer inflated(const ZipMember& member) const;
  void check_member(const ZipMember& member) const;
  std::string_view packed(const ZipMember& member, std::size_t count, ByteBuffer& scratch) const;
  [[noreturn]] void fail(const std::string& what) const;

  FileBytes bytes_;
  std::string path_;
  std::vector<ZipMember> members_;
  std::size_t directory_begin_ = 0;
};

/// The bytes that the first member of a zip archive begins with.
constexpr std::string_view zip_magic("PK\x03\x04", 4);

/// The bytes that a zip archive without members begins with.
constexpr std::string_view empty_zip_magic("PK\x05\x06", 4);

/// Returns whether a file begins like a zip archive.
inline bool is_zip(std::string_view head) { return head.starts_with(zip_magic) || head.starts_with(empty_zip_magic); }

/// Returns the name of the first member of a zip archive from the beginning of the archive, or an empty text.
std::string_view first_zip_member(std::string_view head);

}  // namespace Tessera::Impl
