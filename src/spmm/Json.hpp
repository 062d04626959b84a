// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

namespace Tessera::Impl {

/// Writes a JSON text (RFC 8259), one value after another. The library links no JSON library.
///
///   JsonWriter json;
///   json.begin('{');
///   json.key("rows").value(3);
///   json.end('}');
class JsonWriter {
 public:
  /// Begins an object, '{', or an array, '['.
  void begin(char bracket) {
    separate();
    text_ += bracket;
    is_first_ = true;
  }
  void end(char bracket) {
    text_ += bracket;
    is_first_ = false;
  }
  /// Writes the key of the next value.
  JsonWriter& key(std::string_view name) {
    value(name);
    text_ += ": ";
    is_first_ = true;
    return *this;
  }

  void value(std::string_view string) {
    separate();
    text_ += '"';
    for (const char c : string) append(c);
    text_ += '"';
  }
  void value(bool boolean) { literal(boolean ? "true" : "false"); }
  void value(std::integral auto number) { literal(std::to_string(number)); }
  /// Writes enough digits to read back the same number. Numbers that are not finite, which JSON lacks, become null.
  void value(double number) {
    if (!std::isfinite(number)) return null();
    char digits[32];
    literal({digits, std::to_chars(digits, digits + sizeof(digits), number).ptr});
  }
  void null() { literal("null"); }

  const std::string& text() const { return text_; }

 private:
  void separate() {
    if (!is_first_) text_ += ", ";
    is_first_ = false;
  }
  void literal(std::string_view literal) {
    separate();
    text_ += literal;
  }
  void append(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (text_ += '\\') += c;
    } else if (code < 0x20) {
      ((text_ += "\\u00") += digits[code / 16]) += digits[code % 16];
    } else {
      text_ += c;
    }
  }

  std::string text_;
  bool is_first_ = true;  // the next value is the first of its object or array, or comes after a key
};

}  // namespace Tessera::Impl
