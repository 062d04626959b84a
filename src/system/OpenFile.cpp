// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <tessera/system/impl/Memory.hpp>
#include <tessera/system/impl/OpenFile.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <utility>

namespace Tessera::Impl {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;

}  // namespace

void ByteBuffer::resize(std::size_t size) {
  char* grown = static_cast<char*>(std::realloc(data_.get(), std::max<std::size_t>(size, 1)));
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(data_.release());
  data_.reset(grown);
  size_ = size;
}

OpenFile::OpenFile(const std::string& path)
    : path_(path),
      is_standard_input_(path == "-"),
      number_(is_standard_input_ ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (number_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
  if (fstat(number_, &status_) != 0 || S_ISDIR(status_.st_mode)) {
    const std::string reason = S_ISDIR(status_.st_mode) ? "is a directory, expected a file"
                                                        : std::string("cannot be read: ") + std::strerror(errno);
    close_file();
    fail(reason);
  }
}

std::size_t OpenFile::read_at(std::size_t offset, char* target, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t step = is_regular() ? pread(number_, target + done, bytes - done, static_cast<off_t>(offset + done))
                                      : ::read(number_, target + done, bytes - done);
    if (step == 0) break;
    if (step > 0) done += static_cast<std::size_t>(step);
    if (step < 0 && errno != EINTR) fail(std::string("cannot be read: ") + std::strerror(errno));
  }
  return done;
}

ByteBuffer OpenFile::read(int threads, std::size_t memory_limit, ByteBuffer begun) const {
  return is_regular() ? read_regular(threads, memory_limit) : read_pipe(memory_limit, std::move(begun));
}

ByteBuffer OpenFile::read_regular(int threads, std::size_t memory_limit) const {
  require_memory(static_cast<double>(size()), memory_limit, path_ + ": reading the file");
  ByteBuffer bytes;
  bytes.resize(size());
  const std::size_t blocks = (size() + block_bytes - 1) / block_bytes;
  parallel_for(thread_count(threads), blocks, [&](std::size_t block, int) {
    const std::size_t begin = block * block_bytes;
    const std::size_t length = std::min(block_bytes, size() - begin);
    read_whole_at(begin, bytes.data() + begin, length);
  });
  return bytes;
}

void OpenFile::read_whole_at(std::size_t offset, char* target, std::size_t bytes) const {
  if (read_at(offset, target, bytes) != bytes) fail("was cut short while it was read");
}

ByteBuffer OpenFile::read_pipe(std::size_t memory_limit, ByteBuffer bytes) const {
  const std::string subject = path_ + ": reading the file";
  for (std::size_t size = bytes.size();;) {
    if (memory_limit != 0 && size > memory_limit) reject_more_memory(memory_limit, subject);
    std::size_t room = std::max(block_bytes, 2 * size);
    if (memory_limit == 0) {
      require_memory(static_cast<double>(room - size), 0, subject);
    } else {
      room = std::min(room - 1, memory_limit) + 1;  // one byte more than allowed shows that there are too many
    }
    bytes.resize(room);
    size += read_at(size, bytes.data() + size, room - size);
    if (size < room) {
      bytes.resize(size);
      return bytes;
    }
  }
}

void OpenFile::close_file() const {
  if (!is_standard_input_) close(number_);
}

void OpenFile::fail(const std::string& what) const { throw std::runtime_error(path_ + ": " + what); }

}  // namespace Tessera::Impl
