// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace Tessera::Impl {

/// An array of bytes. Unlike a std::vector, it does not clear them first, and it grows in place if the system can.
class ByteBuffer {
 public:
  /// Keeps the first min(size, old size) bytes; throws std::bad_alloc.
  void resize(std::size_t size);
  char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0;
};

/// An open file, to be read; the path "-" is standard input. The path must outlive it.
///
/// All failures throw std::runtime_error, naming the file: it is missing, a directory, or cannot be read.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  ~OpenFile() { close_file(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_standard_input() const { return is_standard_input_; }
  bool is_regular() const { return !is_standard_input_ && S_ISREG(status_.st_mode); }
  std::size_t size() const { return static_cast<std::size_t>(status_.st_size); }

  /// Reads bytes at an offset, or the next bytes of a pipe. Returns fewer than asked for only at the end of the file.
  std::size_t read_at(std::size_t offset, char* target, std::size_t bytes) const;

  /// Reads bytes at an offset. Throws if the file has fewer, because it was cut short after it was opened.
  void read_whole_at(std::size_t offset, char* target, std::size_t bytes) const;

  /// Reads all bytes, with up to `threads` threads; 0 for all that the process may use. `begun` holds the first bytes
  /// of a pipe, if they were read before. Throws std::runtime_error if the bytes exceed `memory_limit`, or the
  /// available memory if that is 0.
  ByteBuffer read(int threads, std::size_t memory_limit, ByteBuffer begun = {}) const;

 private:
  ByteBuffer read_regular(int threads, std::size_t memory_limit) const;
  ByteBuffer read_pipe(std::size_t memory_limit, ByteBuffer begun) const;
  void close_file() const;
  [[noreturn]] void fail(const std::string& what) const;

  const std::string& path_;
  bool is_standard_input_;
  int number_;
  struct stat status_ {};
};

}  // namespace Tessera::Impl
