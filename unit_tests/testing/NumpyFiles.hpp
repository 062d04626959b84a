// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <vector>

#include "TestFiles.hpp"

/// Returns `count` bytes of a number, the lowest first.
inline std::string little(std::uint64_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t k = 0; k < count; ++k) bytes += static_cast<char>(number >> (8 * k));
  return bytes;
}

/// Returns an array in the format .npy. `type` and `shape` are as Python writes them, such as "<f8" and "(3,)".
inline std::string npy(const std::string& type, const std::string& shape, const std::string& items,
                       bool is_column_major = false, int version = 1) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + (is_column_major ? "True" : "False") +
                             ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + little(static_cast<unsigned>(version), 2) + little(header.size(), version == 1 ? 2 : 4) +
         header + items;
}

/// Returns the bytes of numbers as this machine, or one of the other byte order, has them in memory.
template <class Number>
std::string items(const std::vector<Number>& numbers, std::size_t swapped_bytes = 0) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  for (std::size_t k = 0; swapped_bytes > 0 && k < bytes.size(); k += swapped_bytes) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(k);
    std::reverse(begin, begin + static_cast<std::ptrdiff_t>(swapped_bytes));
  }
  return bytes;
}

/// Returns numbers as a vector of NumPy.
template <class Number>
std::string npy_vector(const std::string& type, const std::vector<Number>& numbers) {
  return npy(type, "(" + std::to_string(numbers.size()) + ",)", items(numbers));
}

/// A file in a zip archive.
struct Member {
  std::string name, content;
};

/// How an archive is written.
struct ZipStyle {
  bool is_compressed = false;
  bool is_wide = false;      ///< with 64-bit sizes (ZIP64) in every record
  bool is_streamed = false;  ///< sizes follow the data (data descriptors)
  std::string comment = "";
  unsigned method = 8;  ///< of compressed members
  unsigned flags = 0;
};

/// Returns data compressed by deflate, without a header.
inline std::string deflated(const std::string& content) { return compressed(content, Z_BEST_COMPRESSION, -MAX_WBITS); }

/// Returns a zip archive.
inline std::string zip(const std::vector<Member>& members, const ZipStyle& style = {}) {
  std::string archive, directory;
  const std::string none = little(0xFFFFFFFF, 4);
  for (const auto& [name, content] : members) {
    const std::string packed = style.is_compressed ? deflated(content) : content;
    const std::string crc = little(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()), 4);
    const unsigned flags = style.flags | (style.is_streamed ? 8U : 0U);
    const std::string common = little(flags, 2) + little(style.is_compressed ? style.method : 0, 2) + little(0, 4);
    const std::string sizes = little(packed.size(), 4) + little(content.size(), 4);
    const std::string wide_sizes = little(content.size(), 8) + little(packed.size(), 8);
    const std::string begin = little(archive.size(), style.is_wide ? 8 : 4);
    const std::string extra = style.is_wide ? little(1, 2) + little(16, 2) + wide_sizes : "";
    const std::string wide_extra = style.is_wide ? little(1, 2) + little(24, 2) + wide_sizes + begin : "";
    // A field of another kind comes first.
    const std::string entry_extra = little(0x5455, 2) + little(1, 2) + "x" + wide_extra;
    archive += "PK\x03\x04" + little(45, 2) + common;
    archive += style.is_streamed ? little(0, 4) : crc;
    archive += style.is_wide ? none + none : style.is_streamed ? little(0, 8) : sizes;
    archive += little(name.size(), 2) + little(extra.size(), 2) + name + extra + packed;
    if (style.is_streamed) archive += "PK\x07\x08" + crc + sizes;
    directory += "PK\x01\x02" + little(45, 2) + little(45, 2) + common + crc + (style.is_wide ? none + none : sizes) +
                 little(name.size(), 2) + little(entry_extra.size(), 2) + little(2, 2) + little(0, 8) +
                 (style.is_wide ? none : begin) + name + entry_extra + "no";
  }
  const std::size_t begin = archive.size();
  archive += directory;
  if (style.is_wide) {
    const std::size_t end = archive.size();
    archive += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) + little(members.size(), 8) +
               little(members.size(), 8) + little(directory.size(), 8) + little(begin, 8);
    archive += "PK\x06\x07" + little(0, 4) + little(end, 8) + little(1, 4);
  }
  const std::string count = little(style.is_wide ? 0xFFFF : members.size(), 2);
  archive += "PK\x05\x06" + little(0, 4) + count + count;
  archive += style.is_wide ? none + none : little(directory.size(), 4) + little(begin, 4);
  return archive + little(style.comment.size(), 2) + style.comment;
}

/// Returns a matrix as scipy.sparse.save_npz writes it.
inline std::string npz_of(const Tessera::HostCsr<double>& matrix, const ZipStyle& style = {}) {
  const std::vector<std::int64_t> offsets(matrix.row_offsets.begin(), matrix.row_offsets.end());
  return zip({{"indices.npy", npy_vector("<i4", matrix.column_indices)},
              {"indptr.npy", npy_vector("<i8", offsets)},
              {"format.npy", npy("|S3", "()", "csr")},
              {"shape.npy", npy_vector<std::int64_t>("<i8", {matrix.rows, matrix.columns})},
              {"data.npy", npy_vector("<f8", matrix.values)}},
             style);
}
