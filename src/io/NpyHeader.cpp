// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NpyHeader.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <stdexcept>

namespace Tessera::Impl {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t version_bytes = 2;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

/// Scans a Python dictionary whose values are texts, truth values, and tuples of integers.
class DictionaryScanner {
 public:
  DictionaryScanner(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  /// Skips a character after blanks. Returns false, and skips nothing else, if another one comes next.
  bool skip(char expected) {
    skip_blanks();
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char expected) {
    if (!skip(expected)) fail_here(std::string("\"") + expected + '"');
  }
  std::string text() {
    const char quote = skip('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail_here("the end of a text");
    const std::string result(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return result;
  }
  bool truth() {
    for (const std::string_view word : {"True", "False"}) {
      skip_blanks();
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail_here("True or False");
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> result;
    expect('(');
    while (!skip(')')) {
      result.push_back(extent());
      if (!skip(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }
  [[noreturn]] void fail_here(const std::string& expected) const {
    std::string found(rest_.substr(0, 20));
    for (char& c : found) c = c < ' ' || c > '~' ? '?' : c;
    fail(where_, "expected " + expected + " in the header of an array, found " +
                     (found.empty() ? "its end" : "\"" + found + '"'));
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  std::size_t extent() {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc())
      fail_here("an extent from 0 to " + std::to_string(std::numeric_limits<std::size_t>::max()));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote a letter after a long integer.
    skip_blanks();
    return value;
  }

  std::string_view rest_;
  const std::string& where_;
};

/// Takes a type such as "<f8" apart.
void parse_type(const std::string& where, NpyHeader& header) {
  const std::string& type = header.type;
  const bool has_order = !type.empty() && std::string_view("<>=|").find(type[0]) != std::string_view::npos;
  const std::string_view name = std::string_view(type).substr(has_order ? 1 : 0);
  header.kind = name.empty() ? ' ' : name[0];
  if (header.kind == 'O') {
    fail(where, "holds objects of Python (type \"" + type + "\"), which are not read, expected numbers");
  }
  const std::string_view digits = name.substr(std::min<std::size_t>(1, name.size()));
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (!has_order || error != std::errc() || end != digits.data() + digits.size() || size > most_npy_header_bytes) {
    fail(where, "expected a type such as \"<f8\", found \"" + type + '"');
  }
  header.item_bytes = header.kind == 'U' ? 4 * size : size;  // UTF-32
  const char other_order = std::endian::native == std::endian::little ? '>' : '<';
  header.is_swapped = type[0] == other_order;
}

void count_elements(const std::string& where, NpyHeader& header) {
  header.count = std::find(header.shape.begin(), header.shape.end(), 0U) == header.shape.end() ? 1 : 0;
  const std::size_t most = std::numeric_limits<std::size_t>::max() / std::max<std::size_t>(header.item_bytes, 1);
  for (const std::size_t extent : header.shape) {
    if (header.count > 0 && extent > most / header.count) {
      fail(where, "has the shape " + shape_text(header) + ", which is larger than any memory");
    }
    header.count *= extent;
  }
}

/// Returns the text of the header and stores where it ends.
std::string_view header_text(std::string_view head, const std::string& where, NpyHeader& header) {
  if (!has_npy_magic(head)) fail(where, "expected an array in NumPy's format, which begins with the bytes 93 NUMPY");
  head.remove_prefix(magic.size());
  const auto byte = [&](std::size_t k) -> std::size_t {
    return k < head.size() ? static_cast<unsigned char>(head[k]) : 0;
  };
  const std::size_t major = byte(0);
  if (major < 1 || major > 3 || byte(1) != 0) {
    fail(where, "is of version " + std::to_string(major) + "." + std::to_string(byte(1)) +
                    " of NumPy's format, expected 1.0, 2.0 or 3.0");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t k = length_bytes; k-- > 0;) length = length << 8 | byte(version_bytes + k);
  const std::size_t begin = version_bytes + length_bytes;
  header.bytes = magic.size() + begin + length;
  if (header.bytes > most_npy_header_bytes) {
    fail(where, "has a header of " + std::to_string(length) + " bytes, expected at most " +
                    std::to_string(most_npy_header_bytes - magic.size() - begin));
  }
  if (head.size() < begin + length) {
    fail(where, "ends within the header, which has " + std::to_string(header.bytes) + " bytes: it is truncated");
  }
  return head.substr(begin, length);
}

}  // namespace

bool has_npy_magic(std::string_view content) { return content.starts_with(magic); }

NpyHeader parse_npy_header(std::string_view head, const std::string& where) {
  NpyHeader header;
  DictionaryScanner scanner(header_text(head, where, header), where);
  bool has_type = false, has_order = false, has_shape = false;
  scanner.expect('{');
  while (!scanner.skip('}')) {
    const std::string key = scanner.text();
    scanner.expect(':');
    if (key == "descr") {
      if (scanner.skip('[')) fail(where, "holds structures, expected numbers");
      header.type = scanner.text();
      has_type = true;
    } else if (key == "fortran_order") {
      header.is_column_major = scanner.truth();
      has_order = true;
    } else if (key == "shape") {
      header.shape = scanner.tuple();
      has_shape = true;
    } else {
      scanner.fail_here("the key descr, fortran_order or shape before");
    }
    if (!scanner.skip(',')) {
      scanner.expect('}');
      break;
    }
  }
  if (!has_type || !has_order || !has_shape) scanner.fail_here("the keys descr, fortran_order and shape");
  parse_type(where, header);
  count_elements(where, header);
  return header;
}

void check_npy_size(const NpyHeader& header, std::size_t file_bytes, const std::string& where) {
  const std::size_t found = file_bytes - std::min(file_bytes, header.bytes);
  if (found == header.count * header.item_bytes) return;
  fail(where, "has " + std::to_string(found) + " bytes after its header, expected " +
                  std::to_string(header.count * header.item_bytes) + " for the shape " + shape_text(header) +
                  " of type \"" + header.type + "\"");
}

std::string shape_text(const NpyHeader& header) {
  std::string text;
  for (const std::size_t extent : header.shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (header.shape.size() == 1 ? ",)" : ")");
}

}  // namespace Tessera::Impl
