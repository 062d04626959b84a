// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <tessera/system/impl/OutputFile.hpp>

namespace Tessera::Impl {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("is a directory, expected the name of a file");
  buffer_.reserve(buffer_bytes);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(std::strerror(errno));
    return;
  }
  std::error_code ignored;
  const auto followed = std::filesystem::weakly_canonical(path, ignored);
  if (!followed.empty()) target_ = followed.string();
  open_temporary();
  if (exists) static_cast<void>(fchmod(descriptor_, status.st_mode & 07777U));
}

void OutputFile::open_temporary() {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = target_ + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      temporary_.clear();
      fail(std::strerror(errno));
    }
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) {
    flush({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }
  if (bytes.size() > buffer_bytes) return flush(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void OutputFile::flush(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t step = ::write(descriptor_, bytes.data(), bytes.size());
    if (step >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(step));
    } else if (errno != EINTR) {
      fail(std::strerror(errno));
    }
  }
}

void OutputFile::commit() {
  flush({buffer_.data(), buffer_.size()});
  buffer_.clear();
  const int status = close(descriptor_);  // Some file systems report a full disk only here.
  descriptor_ = -1;
  if (status != 0) fail(std::strerror(errno));
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  temporary_.clear();
}

void OutputFile::fail(const std::string& what) const {
  throw std::runtime_error(path_ + ": cannot be written: " + what);
}

}  // namespace Tessera::Impl
