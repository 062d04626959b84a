// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Files of named arrays with checksums, for data that a program writes and reads again.
///
/// Such a file begins with 8 bytes that name its kind, a 32-bit mark of the byte order and a 32-bit version. Then
/// sections follow:
///
///   char name[24]          filled up with zeros
///   uint64 item_bytes      1 or more
///   uint64 items
///   item_bytes * items bytes
///   uint32 checksum        CRC-32, as in gzip, of all earlier bytes of the file except checksums
///
/// The last section is empty and named "end". Numbers have the byte order of the machine that wrote them; there is no
/// padding. A checksum covers everything before it, hence sections of two files cannot be mixed. Other checksums are
/// excluded, because each would cancel the bytes before it.
namespace Tessera::Impl {

/// The kind of such files, and the version to write and read.
struct SectionFileKind {
  std::string_view magic;  ///< 8 bytes
  std::uint32_t version = 1;
  std::string_view what;  ///< in messages: "a plan"
};

class OutputFile;

/// Writes such a file, completely or not at all. It replaces an older one (see OutputFile).
class SectionWriter {
 public:
  /// \throws std::runtime_error, naming the file, if it cannot be written; so do the other members
  SectionWriter(const std::string& path, const SectionFileKind& kind);
  ~SectionWriter();

  /// \param name [in] up to 24 characters
  void add(std::string_view name, std::size_t item_bytes, const void* data, std::size_t items);

  /// Ends the file and gives it its name.
  void commit();

 private:
  void write(const void* data, std::size_t bytes);

  std::unique_ptr<OutputFile> file_;
  std::uint32_t checksum_ = 0;
};

/// Reads the sections of a file in memory, one after the other.
class SectionReader {
 public:
  /// Checks the beginning, every length and every checksum. Allocates only a few words for each section.
  ///
  /// \param bytes [in] must outlive the reader
  /// \param name  [in] the file's name in messages
  /// \throws std::runtime_error, naming the file and what was expected, if it is of another kind, byte order or
  ///         version, truncated, damaged, or goes on after its end
  ///
  /// Cost: one pass over the bytes by all threads that the process may use.
  SectionReader(std::string_view bytes, const std::string& name, const SectionFileKind& kind);

  /// Returns the content of the next section.
  ///
  /// \throws std::runtime_error if the section has another name, or items of another size
  std::string_view take(std::string_view name, std::size_t item_bytes);

  /// \throws std::runtime_error if sections are left
  void finish() const;

  /// \throws std::runtime_error, naming the file
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Section {
    std::string_view name;
    std::uint64_t item_bytes;
    std::string_view content;
  };
  std::string name_;
  std::vector<Section> sections_;
  std::size_t taken_ = 0;
};

}  // namespace Tessera::Impl
