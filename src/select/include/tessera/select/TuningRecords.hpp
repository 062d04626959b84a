// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tessera/Format.hpp>

namespace Tessera::Impl {

/// The key of a measured choice. No text may hold a tab or a line end.
struct TuningKey {
  std::uint64_t pattern = 0;  ///< fingerprint() of the pattern of the matrix
  std::string device;         ///< the device, or the backend and its concurrency
  std::string types;          ///< types of values and offsets, such as "real 8, offsets 4"
  std::string precision;      ///< the precision, such as "native", or "native, published" for published kernels
  int columns = 0;            ///< columns of X

  /// Compares keys, so that records can be ordered.
  auto operator<=>(const TuningKey&) const = default;
};

/// The candidate that was the fastest, and its time.
struct TunedCandidate {
  Format format = Format::Csr;  ///< the format
  double seconds = 0;           ///< time of one product
};

/// Measured choices, stored in a text file that a user names. Its first line is "tessera tuning 2". Each other line is
/// a record of pattern (hexadecimal), device, types, precision, columns, format and seconds, separated by tabs.
class TuningRecords {
 public:
  /// Reads the records of a file. A file that does not exist has none.
  ///
  /// \throws std::runtime_error whose message has the file, the line and what was expected
  static TuningRecords read(const std::string& path);
  /// Reads the records from the text of a file. Error messages use `name` for the file.
  static TuningRecords parse(std::string_view text, const std::string& name);

  /// Returns the fastest candidate for a key, if it is recorded.
  std::optional<TunedCandidate> find(const TuningKey& key) const;
  /// Records the fastest candidate for a key.
  void add(const TuningKey& key, const TunedCandidate& fastest) { records_[key] = fastest; }
  std::size_t size() const { return records_.size(); }  ///< number of records

  /// Returns the text of a file with these records.
  std::string text() const;
  /// Writes a new file and renames it to `path`, so nobody reads half a file. Devices and pipes are written directly.
  ///
  /// \throws std::runtime_error whose message names the file
  void write(const std::string& path) const;

 private:
  std::map<TuningKey, TunedCandidate> records_;
};

}  // namespace Tessera::Impl
