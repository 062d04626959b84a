// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NpzArrays.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "NpyItems.hpp"

namespace Tessera::Impl {
namespace {

constexpr std::string_view suffix = ".npy";

[[noreturn]] void fail(const NpzArray& array, const std::string& what) {
  throw std::runtime_error(array.where + ": " + what);
}

/// The names of the members, for messages.
std::string names_of(const ZipArchive& archive) {
  std::string names;
  for (const ZipMember& member : archive.members()) {
    if (names.size() > 100) return names + ", ...";
    names += (names.empty() ? "" : ", ") + member.name;
  }
  return names.empty() ? "no member" : names;
}

NpzArray find_array(const ZipArchive& archive, const std::string& name) {
  const ZipMember* member = archive.find(name + std::string(suffix));
  if (member != nullptr) return npz_array(archive, *member);
  throw std::runtime_error(archive.path() + ": expected a member " + name + std::string(suffix) + ", found " +
                           names_of(archive));
}

/// Fails unless an array is a vector of `length` elements; `why` says where the length is from.
void expect_length(const NpzArray& array, std::size_t length, const std::string& why) {
  if (array.header.shape.size() == 1 && array.length() == length) return;
  fail(array, "has the shape " + shape_text(array.header) + ", expected (" + std::to_string(length) + ",): " + why);
}

void expect_vector(const NpzArray& array) {
  if (array.header.shape.size() == 1) return;
  fail(array, "has the shape " + shape_text(array.header) + ", expected one extent");
}

void expect_integers(const NpzArray& array) {
  visit_integers(array.header, array.where, []<class Item>() {});
}

/// Returns the text of one element, of bytes or of Unicode, without anything beyond ASCII.
std::string text_of(const ZipArchive& archive, const NpzArray& array) {
  constexpr std::size_t most_bytes = 64;
  const NpyHeader& header = array.header;
  if ((header.kind != 'S' && header.kind != 'U') || header.count != 1 || header.item_bytes > most_bytes) {
    fail(array, "has elements of type \"" + header.type + "\" and the shape " + shape_text(header) +
                    ", expected one short text");
  }
  const UnpackedMember content = archive.unpack(*array.member);
  std::string text;
  for (const char c : content.view.substr(header.bytes)) {
    if (c != '\0') text += c < ' ' || c > '~' ? '?' : c;
  }
  return text;
}

SparseArrays::Format format_of(const ZipArchive& archive) {
  const NpzArray array = find_array(archive, "format");
  const std::string format = text_of(archive, array);
  if (format == "csr") return SparseArrays::Format::Csr;
  if (format == "csc") return SparseArrays::Format::Csc;
  if (format == "coo") return SparseArrays::Format::Coo;
  fail(array, "names the format \"" + format + "\", expected \"csr\", \"csc\" or \"coo\"; convert the matrix, for " +
                  "example by A.tocsr()");
}

/// Stores the extents of the matrix.
void read_shape(const ZipArchive& archive, SparseArrays& arrays) {
  const NpzArray array = find_array(archive, "shape");
  expect_length(array, 2, "a matrix has rows and columns");
  expect_integers(array);
  const UnpackedMember content = archive.unpack(*array.member);
  const char* items = content.view.data() + array.header.bytes;
  visit_integers(array.header, array.where, [&]<class Item>() {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto extent = load_integer<Item>(items, k, array.header.is_swapped);
      if (std::cmp_less(extent, 0) || std::cmp_greater(extent, std::numeric_limits<Ordinal>::max())) {
        fail(array, std::string("has ") + std::to_string(extent) + (k == 0 ? " rows" : " columns") +
                        ", expected 0 to " + std::to_string(std::numeric_limits<Ordinal>::max()));
      }
      (k == 0 ? arrays.rows : arrays.columns) = static_cast<Ordinal>(extent);
    }
  });
}

void expect_indices(const NpzArray& array, const SparseArrays& arrays) {
  expect_integers(array);
  expect_length(array, arrays.entries, "as many as in data.npy");
}

}  // namespace

NpzArray npy_array(std::string_view head, std::size_t file_bytes, const std::string& path) {
  NpzArray array{path, parse_npy_header(head, path)};
  check_npy_size(array.header, file_bytes, path);
  return array;
}

NpzArray npz_array(const ZipArchive& archive, const ZipMember& member) {
  NpzArray array;
  array.where = archive.path() + ": member " + member.name;
  array.header = parse_npy_header(archive.head(member, most_npy_header_bytes).view(), array.where);
  array.member = &member;
  check_npy_size(array.header, member.bytes, array.where);
  return array;
}

NpzArray only_npz_array(const ZipArchive& archive) {
  if (archive.find("format.npy") != nullptr && archive.find("shape.npy") != nullptr) {
    throw std::invalid_argument(archive.path() + ": holds a sparse matrix of SciPy, expected one dense array of NumPy");
  }
  if (archive.members().size() != 1) {
    throw std::invalid_argument(archive.path() + ": expected one array, found " + names_of(archive));
  }
  return npz_array(archive, archive.members().front());
}

void expect_dense(const NpzArray& array) {
  expect_numbers(array.header, array.where);
  const std::size_t extents = array.header.shape.size();
  if (extents != 1 && extents != 2) {
    fail(array, "has the shape " + shape_text(array.header) + ", expected one extent or two");
  }
}

SparseArrays sparse_arrays(const ZipArchive& archive) {
  using Format = SparseArrays::Format;
  if (archive.find("format.npy") == nullptr && archive.find("data.npy") == nullptr) {
    throw std::invalid_argument(archive.path() +
                                ": expected a sparse matrix as scipy.sparse.save_npz writes it (format.npy, shape.npy, "
                                "data.npy, ...), found " +
                                names_of(archive));
  }
  SparseArrays arrays;
  arrays.format = format_of(archive);
  read_shape(archive, arrays);
  arrays.values = find_array(archive, "data");
  expect_numbers(arrays.values.header, arrays.values.where);
  expect_vector(arrays.values);
  arrays.entries = arrays.values.length();
  if (arrays.format == Format::Coo) {
    arrays.row_indices = find_array(archive, "row");
    arrays.column_indices = find_array(archive, "col");
    expect_indices(arrays.row_indices, arrays);
    expect_indices(arrays.column_indices, arrays);
    return arrays;
  }
  const bool by_rows = arrays.format == Format::Csr;
  NpzArray& indices = by_rows ? arrays.column_indices : arrays.row_indices;
  indices = find_array(archive, "indices");
  expect_indices(indices, arrays);
  arrays.offsets = find_array(archive, "indptr");
  expect_integers(arrays.offsets);
  expect_length(arrays.offsets, static_cast<std::size_t>(by_rows ? arrays.rows : arrays.columns) + 1,
                by_rows ? "one more than rows" : "one more than columns");
  return arrays;
}

}  // namespace Tessera::Impl
