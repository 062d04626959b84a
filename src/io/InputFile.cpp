// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputFile.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <tessera/system/impl/Memory.hpp>
#include <utility>

#include "FileKind.hpp"
#include "ZipArchive.hpp"

namespace Tessera::Impl {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

bool can_be_looked_at(const OpenFile& file) { return file.is_regular() || file.is_standard_input(); }

[[noreturn]] void reject_look(const std::string& path) {
  fail(path, "is not a regular file, so its head cannot be looked at before it is read; read \"-\", standard input");
}

/// The first bytes of standard input. A check has read them and keeps them for the later read.
ByteBuffer& looked_at() {
  static ByteBuffer bytes;
  return bytes;
}

/// Reads the first bytes of standard input, or all if there are fewer, and keeps them for read_file().
std::string_view look_at(const OpenFile& file, std::size_t bytes) {
  ByteBuffer& seen = looked_at();
  const std::size_t before = seen.size();
  if (before < bytes) {
    seen.resize(bytes);
    seen.resize(before + file.read_at(before, seen.data() + before, bytes - before));
  }
  return seen.view().substr(0, bytes);
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// Decompresses gzip files, which may have several members.
class Inflater {
 public:
  Inflater(std::string_view input, const std::string& path, std::size_t memory_limit)
      : input_(input), path_(path), memory_limit_(memory_limit) {
    constexpr int gzip_only = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Decompresses all of the content and checks every checksum.
  ByteBuffer all(const Progress& progress) {
    while (!finished_) {
      if (consumed_ == input_.size()) fail(path_, "gzip data end too early: the file is truncated");
      step();
      progress(static_cast<double>(consumed_) / static_cast<double>(input_.size()));
    }
    output_.resize(size_);
    return std::move(output_);
  }

  /// Returns the content that the available beginning of a file decompresses to.
  ByteBuffer head(std::size_t bytes) {
    while (!finished_ && size_ < bytes && consumed_ < input_.size()) step();
    output_.resize(std::min(size_, bytes));
    return std::move(output_);
  }

 private:
  void step() {
    if (size_ == output_.size()) grow();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data() + consumed_));
    stream_.avail_in = static_cast<uInt>(std::min(input_.size() - consumed_, block_bytes));
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data() + size_);
    stream_.avail_out = static_cast<uInt>(std::min(output_.size() - size_, block_bytes));
    const uInt in = stream_.avail_in;
    const uInt out = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    consumed_ += in - stream_.avail_in;
    size_ += out - stream_.avail_out;
    if (status == Z_STREAM_END) return end_member();
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    // Z_BUF_ERROR says that nothing was read or written; a call with more input or room will succeed.
    if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(path_, std::string("gzip data are corrupt: ") + (stream_.msg != nullptr ? stream_.msg : zError(status)));
    }
  }

  /// Makes room for at least one more byte. A memory limit includes the compressed bytes. If no limit is set, the
  /// available memory already excludes the bytes used so far. It need not be enough for a guess that is too large,
  /// because only pages that are written use memory.
  void grow() {
    const std::string subject = path_ + ": decompressing the file";
    const std::size_t least = std::max(block_bytes, 2 * size_);
    const std::size_t wanted = std::max(least, std::min(4 * input_.size(), most_at_once));
    if (memory_limit_ == 0) {
      require_memory(static_cast<double>(least - size_), 0, subject);
      output_.resize(wanted);
    } else {
      const std::size_t allowed = memory_limit_ - input_.size();  // not negative: the file was read within the limit
      if (size_ >= allowed) reject_more_memory(memory_limit_, subject);
      output_.resize(std::min(wanted, allowed));
    }
  }

  void end_member() {
    const std::string_view rest = input_.substr(consumed_);
    if (is_gzip(rest)) {
      inflateReset(&stream_);
    } else if (rest.find_first_not_of('\0') == std::string_view::npos) {  // Tapes and disks pad with zeros.
      finished_ = true;
    } else {
      fail(path_, "there is something else after the gzip data");
    }
  }

  static constexpr std::size_t most_at_once = std::size_t{1} << 30;
  std::string_view input_;
  const std::string& path_;
  std::size_t memory_limit_;
  z_stream stream_{};
  ByteBuffer output_;
  std::size_t consumed_ = 0;
  std::size_t size_ = 0;
  bool finished_ = false;
};

void check_name(const std::string& path, std::string_view bytes) {
  if (path.ends_with(".gz") && !is_gzip(bytes)) {
    fail(path, "is named .gz but is not gzip: expected it to begin with the bytes 1f 8b");
  }
}

/// Returns the content that the beginning of a file, `raw`, decompresses to.
ByteBuffer unpacked_head(const std::string& path, std::string_view raw, std::size_t bytes) {
  check_name(path, raw);
  reject_packed(path, raw);
  ByteBuffer head;
  if (is_gzip(raw)) {
    head = Inflater(raw, path, 0).head(bytes);
    reject_packed(path, head.view());
    if (is_zip(head.view())) fail(path, "is a zip archive packed by gzip, expected it unpacked (gzip -d)");
  } else {
    head.resize(std::min(bytes, raw.size()));
    std::copy_n(raw.data(), head.size(), head.data());
  }
  return head;
}

/// Returns the first `bytes` bytes of the content, or all if it is shorter.
ByteBuffer head_of(const OpenFile& file, const std::string& path, std::size_t bytes) {
  for (std::size_t raw_bytes = bytes;; raw_bytes *= 2) {
    ByteBuffer copy;
    if (file.is_regular()) {
      copy.resize(std::min(raw_bytes, file.size()));
      copy.resize(file.read_at(0, copy.data(), copy.size()));
    }
    const std::string_view raw = file.is_regular() ? copy.view() : look_at(file, raw_bytes);
    ByteBuffer head = unpacked_head(path, raw, bytes);
    if (head.size() == bytes || raw.size() < raw_bytes || !is_gzip(raw)) return head;
  }
}

}  // namespace

ByteBuffer read_file(const std::string& path, const ReadOptions& options, const Progress& progress,
                     const std::function<void(std::string_view head)>& check_head) {
  const OpenFile file(path);
  if (can_be_looked_at(file)) {
    const ByteBuffer head = head_of(file, path, bytes_of_checked_head);
    if (head.size() == bytes_of_checked_head) check_head(head.view());
  }
  ByteBuffer begun;
  if (file.is_standard_input()) begun = std::exchange(looked_at(), ByteBuffer());
  ByteBuffer bytes = file.read(options.threads, options.memory_limit, std::move(begun));
  check_name(path, bytes.view());
  reject_packed(path, bytes.view());
  if (is_gzip(bytes.view())) return Inflater(bytes.view(), path, options.memory_limit).all(progress);
  progress(1);
  return bytes;
}

ByteBuffer read_file_head(const std::string& path, std::size_t bytes) {
  const OpenFile file(path);
  if (can_be_looked_at(file)) return head_of(file, path, bytes);
  reject_look(path);
}

FileBytes look_at_file(const std::string& path) {
  auto file = std::make_unique<const OpenFile>(path);
  if (file->is_regular()) return FileBytes(std::move(file));
  if (!file->is_standard_input()) reject_look(path);
  looked_at() = file->read(1, 0, std::exchange(looked_at(), ByteBuffer()));
  return FileBytes(looked_at().view());
}

}  // namespace Tessera::Impl
