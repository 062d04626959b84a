// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tessera/common/Format.hpp>

namespace Tessera {

/// What measured times are remembered by. No text may hold a tab or a line's end.
struct TuningKey {
  std::uint64_t pattern = 0;  ///< fingerprint of the matrix' pattern
  std::string device;
  std::string types;      ///< of values and offsets: "real 8, offsets 4"
  std::string precision;  ///< "native", ...
  int columns = 0;        ///< of X

  auto operator<=>(const TuningKey&) const = default;
};

/// The candidate that was the fastest, and its time.
struct TunedCandidate {
  Format format = Format::Csr;
  double seconds = 0;
};

/// Choices that were measured once, in a text file that a user names: a line "tessera tuning 2", and a line a record,
/// with tabs between pattern (hexadecimal), device, types, precision, columns, format and seconds. Files of version 1,
/// which named staged windows in a column of their own, are read too, and written anew as version 2.
class TuningRecords {
 public:
  /// Of a file; none if it does not exist.
  ///
  /// \throws std::runtime_error that names the file, the line and what was expected
  static TuningRecords read(const std::string& path);

  std::optional<TunedCandidate> find(const TuningKey& key) const;
  void add(const TuningKey& key, const TunedCandidate& fastest) { records_[key] = fastest; }
  std::size_t size() const { return records_.size(); }

  /// Writes beside the file, then takes its place: nobody reads half of it.
  ///
  /// \throws std::runtime_error that names the file
  void write(const std::string& path) const;

 private:
  std::map<TuningKey, TunedCandidate> records_;
};

}  // namespace Tessera
