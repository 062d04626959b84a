// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace Tessera::Impl {

/// A file that appears under its name, complete, when commit() has returned.
///
/// It is written next to the target under a temporary name, and renamed. Without commit(), the destructor removes it.
/// Links are followed, and the permissions of an existing file are kept. A target that exists and is no regular file (a
/// device, a pipe) is written to directly. All failures throw std::runtime_error, naming the target.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* data, std::size_t bytes) { write({static_cast<const char*>(data), bytes}); }
  void commit();

 private:
  void open_temporary();
  void flush(std::string_view bytes);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::string target_;     // the path, links followed
  std::string temporary_;  // empty when written directly
  std::vector<char> buffer_;
  int descriptor_ = -1;
};

}  // namespace Tessera::Impl
