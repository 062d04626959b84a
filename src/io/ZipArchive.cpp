// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ZipArchive.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>

namespace Tessera::Impl {
namespace {

// Bytes of the records of an archive, without names, extra fields and comments.
constexpr std::size_t local_header_bytes = 30;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t wide_end_bytes = 56;
constexpr std::size_t wide_locator_bytes = 20;
constexpr std::size_t most_comment_bytes = 65535;
constexpr std::size_t most_members = 1000;  // more than any archive of a matrix has
constexpr std::size_t most_directory_bytes = std::size_t{1} << 20;

constexpr std::string_view entry_magic("PK\x01\x02", 4);
constexpr std::string_view wide_end_magic("PK\x06\x06", 4);
constexpr std::string_view wide_locator_magic("PK\x06\x07", 4);

constexpr std::uint64_t in_wide_field = 0xFFFFFFFF;  // the number is in a 64-bit field
constexpr std::uint64_t wide_field_kind = 1;
constexpr unsigned stored = 0;
constexpr unsigned deflated = 8;
constexpr std::size_t most_expansion = 1032;  // bytes that deflate makes of one

/// Returns the little-endian number of `count` bytes at a place.
std::uint64_t number(std::string_view bytes, std::size_t begin, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t k = count; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[begin + k]);
  return value;
}

std::string_view name_of(unsigned method) {
  switch (method) {
    case 9:
      return "deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "LZMA";
    case 93:
      return "zstd";
    case 95:
      return "xz";
    default:
      return "";
  }
}

/// Takes the numbers that did not fit into an entry from its extra field, in the order of the format.
void read_wide_fields(std::string_view extra, ZipMember& member) {
  constexpr std::size_t tag_bytes = 4;
  while (extra.size() >= tag_bytes) {
    const std::uint64_t kind = number(extra, 0, 2);
    const std::size_t size = std::min<std::size_t>(number(extra, 2, 2), extra.size() - tag_bytes);
    std::string_view field = extra.substr(tag_bytes, size);
    extra.remove_prefix(tag_bytes + size);
    if (kind != wide_field_kind) continue;
    for (std::size_t* target : {&member.bytes, &member.packed_bytes, &member.header_begin}) {
      if (*target != in_wide_field || field.size() < 8) continue;
      *target = number(field, 0, 8);
      field.remove_prefix(8);
    }
  }
}

/// The end of a decompression.
struct Inflated {
  std::size_t bytes = 0;     ///< that were written
  std::size_t consumed = 0;  ///< bytes of the input
  bool is_complete = false;  ///< whether the compressed data have ended
  std::string error;         ///< what is wrong with them; empty if nothing is
};

/// Decompresses until the input ends or the target is full.
Inflated inflate_into(std::string_view input, ByteBuffer& target) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();  // negative: without a header of zlib
  constexpr std::size_t most_at_once = std::size_t{1} << 30;
  Inflated result;
  for (int status = Z_OK; status == Z_OK;) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data() + result.consumed));
    stream.avail_in = static_cast<uInt>(std::min(input.size() - result.consumed, most_at_once));
    Bytef nothing = 0;
    const std::size_t room = target.size() - result.bytes;
    stream.next_out = room == 0 ? &nothing : reinterpret_cast<Bytef*>(target.data() + result.bytes);
    stream.avail_out = static_cast<uInt>(std::min(room, most_at_once));
    const uInt in = stream.avail_in, out = stream.avail_out;
    status = inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR if it can neither read nor write
    result.consumed += in - stream.avail_in;
    result.bytes += out - stream.avail_out;
    result.is_complete = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      result.error = stream.msg != nullptr ? stream.msg : zError(status);
    }
  }
  inflateEnd(&stream);
  return result;
}

}  // namespace

/// Where the list of members is.
struct ZipArchive::Directory {
  std::uint64_t begin, bytes, members;
};

std::string_view first_zip_member(std::string_view head) {
  if (!head.starts_with(zip_magic) || head.size() < local_header_bytes) return {};
  return head.substr(local_header_bytes, number(head, 26, 2));
}

ZipArchive::ZipArchive(FileBytes bytes, std::string path) : bytes_(std::move(bytes)), path_(std::move(path)) {
  const Directory directory = find_directory();
  const std::uint64_t size = bytes_.size();
  if (directory.begin > size || directory.bytes > size - directory.begin) {
    fail("its directory should be the " + std::to_string(directory.bytes) + " bytes from " +
         std::to_string(directory.begin) + " on, but the file has " + std::to_string(size) + " bytes");
  }
  if (directory.members > most_members || directory.bytes > most_directory_bytes) {
    fail("has " + std::to_string(directory.members) + " members in a directory of " + std::to_string(directory.bytes) +
         " bytes, expected at most " + std::to_string(most_members) + " and " + std::to_string(most_directory_bytes));
  }
  directory_begin_ = directory.begin;
  read_directory(directory);
}

/// Reads the record at the end of the archive, which a comment may follow.
ZipArchive::Directory ZipArchive::find_directory() const {
  const std::size_t tail_begin = bytes_.size() - std::min(bytes_.size(), end_bytes + most_comment_bytes);
  ByteBuffer scratch;
  const std::string_view tail = bytes_.at(tail_begin, bytes_.size() - tail_begin, scratch);
  for (std::size_t end = tail.size() + 1; end-- > 0;) {
    end = tail.rfind(empty_zip_magic, end);
    if (end == std::string_view::npos) break;
    const std::string_view record = tail.substr(end);
    if (record.size() < end_bytes || record.size() != end_bytes + number(record, 20, 2)) continue;
    const Directory narrow{number(record, 16, 4), number(record, 12, 4), number(record, 10, 2)};
    return wide_directory(tail_begin + end, narrow);
  }
  fail("has no directory at its end, expected the bytes PK\\5\\6 there: it is truncated");
}

/// Returns the directory that a record with 64-bit numbers describes, if there is one, or `narrow`.
ZipArchive::Directory ZipArchive::wide_directory(std::size_t end_begin, Directory narrow) const {
  if (end_begin < wide_locator_bytes) return narrow;
  ByteBuffer scratch;
  const std::string_view locator = bytes_.at(end_begin - wide_locator_bytes, wide_locator_bytes, scratch);
  if (!locator.starts_with(wide_locator_magic)) return narrow;
  const std::uint64_t begin = number(locator, 8, 8);
  if (end_begin < wide_end_bytes || begin > end_begin - wide_end_bytes) {
    fail("its ZIP64 record should begin at " + std::to_string(begin) + ", beyond the end of the directory");
  }
  const std::string_view record = bytes_.at(begin, wide_end_bytes, scratch);
  if (!record.starts_with(wide_end_magic)) fail("has no ZIP64 record where its end says, expected the bytes PK\\6\\6");
  return {number(record, 48, 8), number(record, 40, 8), number(record, 32, 8)};
}

void ZipArchive::read_directory(const Directory& directory) {
  ByteBuffer scratch;
  std::string_view rest = bytes_.at(directory.begin, directory.bytes, scratch);
  members_.reserve(directory.members);
  while (members_.size() < directory.members) rest = add_member(rest);
  for (const ZipMember& member : members_) {
    if (find(member.name) != &member) fail(member, "occurs twice, expected it once");
  }
}

/// Adds the member that a directory begins with, and returns the rest of the directory.
std::string_view ZipArchive::add_member(std::string_view rest) {
  const std::string which = "entry " + std::to_string(members_.size() + 1) + " of its directory ";
  if (rest.size() < entry_bytes || !rest.starts_with(entry_magic)) {
    fail(which + "does not begin with the bytes PK\\1\\2: it is damaged");
  }
  const std::size_t name_bytes = number(rest, 28, 2);
  const std::size_t extra_bytes = number(rest, 30, 2);
  const std::size_t bytes = entry_bytes + name_bytes + extra_bytes + number(rest, 32, 2);
  if (bytes > rest.size()) fail(which + "is longer than the directory: it is damaged");
  ZipMember member;
  member.name = rest.substr(entry_bytes, name_bytes);
  member.is_encrypted = (number(rest, 8, 2) & 1) != 0;
  member.method = static_cast<unsigned>(number(rest, 10, 2));
  member.crc = number(rest, 16, 4);
  member.packed_bytes = number(rest, 20, 4);
  member.bytes = number(rest, 24, 4);
  member.header_begin = number(rest, 42, 4);
  read_wide_fields(rest.substr(entry_bytes + name_bytes, extra_bytes), member);
  members_.push_back(std::move(member));
  return rest.substr(bytes);
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

/// Fails if a member cannot be unpacked, or if its sizes contradict each other.
void ZipArchive::check_member(const ZipMember& member) const {
  if (member.is_encrypted) fail(member, "is encrypted, expected it without a password");
  if (member.method != stored && member.method != deflated) {
    const std::string name(name_of(member.method));
    fail(member, "is compressed by " + (name.empty() ? "method " + std::to_string(member.method) : name) +
                     ", expected deflate or none (numpy.savez_compressed, numpy.savez)");
  }
  const bool is_too_long = member.packed_bytes / 2 > member.bytes + 1024;  // deflate adds few bytes
  const bool unpacks = member.bytes / most_expansion <= member.packed_bytes;
  const bool fits = member.method == stored ? member.bytes == member.packed_bytes : unpacks && !is_too_long;
  if (!fits) {
    fail(member, "should have " + std::to_string(member.bytes) + " bytes, which do not fit in the " +
                     std::to_string(member.packed_bytes) + " bytes of the archive: it is damaged");
  }
}

double ZipArchive::bytes_to_unpack(const ZipMember& member) const {
  return member.method == stored ? 0 : static_cast<double>(member.bytes);
}

/// Returns the first `count` bytes of a member as they are in the archive.
std::string_view ZipArchive::packed(const ZipMember& member, std::size_t count, ByteBuffer& scratch) const {
  check_member(member);
  const std::size_t most = directory_begin_;  // where data end at the latest
  const bool has_header = member.header_begin <= most && most - member.header_begin >= local_header_bytes;
  const std::string_view header =
      has_header ? bytes_.at(member.header_begin, local_header_bytes, scratch) : std::string_view();
  if (!header.starts_with(zip_magic)) {
    fail(member, "should begin at byte " + std::to_string(member.header_begin) + ", expected the bytes PK\\3\\4 there");
  }
  const std::size_t begin = member.header_begin + local_header_bytes + number(header, 26, 2) + number(header, 28, 2);
  if (begin > most || member.packed_bytes > most - begin) {
    fail(member, "should have " + std::to_string(member.packed_bytes) + " bytes from " + std::to_string(begin) +
                     " on, but the directory of the archive begins at " + std::to_string(most));
  }
  return bytes_.at(begin, std::min(count, member.packed_bytes), scratch);
}

/// Decompresses a member whole.
ByteBuffer ZipArchive::inflated(const ZipMember& member) const {
  ByteBuffer scratch, target;
  const std::string_view input = packed(member, member.packed_bytes, scratch);
  target.resize(member.bytes);
  const Inflated result = inflate_into(input, target);
  if (!result.error.empty()) fail(member, "has corrupt compressed data: " + result.error);
  if (!result.is_complete || result.bytes != member.bytes) {
    const bool is_longer = !result.is_complete && result.bytes == member.bytes;
    fail(member, "unpacks to " + std::string(is_longer ? "more than " : "") + std::to_string(result.bytes) +
                     " bytes, expected " + std::to_string(member.bytes) + ": it is damaged");
  }
  return target;
}

UnpackedMember ZipArchive::unpack(const ZipMember& member) const {
  UnpackedMember result;
  if (member.method == stored) {
    result.view = packed(member, member.packed_bytes, result.buffer);
  } else {
    result.buffer = inflated(member);
    result.view = result.buffer.view();
  }
  const unsigned long crc = crc32_z(0, reinterpret_cast<const Bytef*>(result.view.data()), result.view.size());
  if (crc != member.crc) {
    fail(member,
         "has the checksum " + std::to_string(crc) + ", expected " + std::to_string(member.crc) + ": it is damaged");
  }
  return result;
}

ByteBuffer ZipArchive::head(const ZipMember& member, std::size_t bytes) const {
  // Compressed data are rarely longer than the data; if they are, the head is shorter than asked for.
  constexpr std::size_t slack = 4096;
  ByteBuffer scratch, head;
  const std::string_view input = packed(member, bytes + slack, scratch);
  head.resize(std::min(bytes, member.bytes));
  if (member.method == stored) {
    std::copy_n(input.data(), head.size(), head.data());
    return head;
  }
  const Inflated inflated = inflate_into(input, head);
  if (!inflated.error.empty()) fail(member, "has corrupt compressed data: " + inflated.error);
  head.resize(inflated.bytes);
  return head;
}

void ZipArchive::fail(const std::string& what) const {
  throw std::runtime_error(path_ + ": is a zip archive, and " + what);
}

void ZipArchive::fail(const ZipMember& member, const std::string& what) const {
  throw std::runtime_error(path_ + ": member " + member.name + " " + what);
}

}  // namespace Tessera::Impl
