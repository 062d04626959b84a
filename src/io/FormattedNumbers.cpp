// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FormattedNumbers.hpp"

#include <cstring>

namespace Tessera::Impl {
namespace {

std::string_view without_blank_lines(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::size_t newline = text.substr(0, first).rfind('\n');
  if (newline != std::string_view::npos) text.remove_prefix(newline + 1);
  return text;
}

}  // namespace

std::string_view FormattedNumbers::next_line(const char*& position, const char* end) {
  const char* begin = position;
  const void* newline = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
  const char* stop = newline == nullptr ? end : static_cast<const char*>(newline);
  position = newline == nullptr ? end : stop + 1;
  if (stop != begin && stop[-1] == '\r') --stop;
  return {begin, static_cast<std::size_t>(stop - begin)};
}

FormattedNumbers::FormattedNumbers(std::string_view text, const FortranFormat& format, std::size_t count,
                                   const char* what, std::size_t chunk_bytes)
    : format_(format), count_(count) {
  text = count == 0 ? text : without_blank_lines(text);
  const char* position = text.data();
  const char* end = position + text.size();
  for (std::size_t number = 0; number < count;) {
    const auto since = chunks_.empty() ? chunk_bytes : static_cast<std::size_t>(position - chunks_.back().begin);
    if (since >= chunk_bytes) chunks_.push_back({position, number});
    const FortranPass& pass = pass_at(number);
    for (std::size_t line = 0, field = 0; line < pass.lines() && number < count; ++line) {
      if (position == end) {
        throw TextError(end, std::string("expected ") + what + ", number " + std::to_string(number + 1) + " of " +
                                 std::to_string(count) + ", found the end of the file");
      }
      next_line(position, end);
      for (; field < pass.fields.size() && pass.fields[field].line == line && number < count; ++field) ++number;
    }
  }
  rest_ = {position, static_cast<std::size_t>(end - position)};
}

const char* FormattedNumbers::place_of(std::size_t number) const {
  const auto after =
      std::partition_point(chunks_.begin(), chunks_.end(), [&](const Chunk& chunk) { return chunk.number <= number; });
  const char* place = nullptr;
  visit_chunk(static_cast<std::size_t>(after - chunks_.begin()) - 1,
              [&](std::size_t k, std::string_view field, const FortranField&) {
                if (k == number) place = field.data();
              });
  return place;
}

bool FormattedNumbers::Line::is_cut() const {
  return std::any_of(fields.begin(), fields.end(), [&](const FortranField& field) {
    const std::size_t end = field.begin + field.width;
    return end < text.size() && !is_blank(text[end - 1]) && !is_blank(text[end]);
  });
}

std::vector<std::string_view> FormattedNumbers::Line::words() const {
  std::vector<std::string_view> found;
  for (std::size_t k = 0; k < text.size() && found.size() <= fields.size();) {
    if (is_blank(text[k])) {
      ++k;
      continue;
    }
    const std::size_t begin = k;
    bool has_exponent = false;
    for (++k; k < text.size() && !is_blank(text[k]); ++k) {
      if ((text[k] == '+' || text[k] == '-') && has_exponent && is_digit(text[k - 1])) break;
      has_exponent = has_exponent || is_exponent_letter(text[k]);
    }
    found.push_back(text.substr(begin, k - begin));
  }
  return found;
}

void FormattedNumbers::Line::expect_end() const {
  // Cards have 80 columns, and columns 73 to 80 may hold card numbers.
  constexpr std::size_t columns_of_data = 72;
  constexpr std::size_t columns_of_card = 80;
  const bool is_card = width <= columns_of_data && text.size() <= columns_of_card;
  const std::string_view line = is_card ? text.substr(0, columns_of_data) : text;
  const std::size_t found = line.find_first_not_of(" \t\r", width);
  if (found == std::string_view::npos) return;
  throw TextError(line.data() + found, "expected the end of the line after the last field of the format, found " +
                                           quoted(line.substr(found)));
}

}  // namespace Tessera::Impl
