// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tessera/io/ReadOptions.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <vector>

#include "FortranFormat.hpp"
#include "TextScanner.hpp"

namespace Tessera::Impl {

/// The numbers that one READ statement of Fortran reads from a text, whose lines have the layout of a format.
class FormattedNumbers {
 public:
  /// \param text [in] begins with the lines; blank lines before them are skipped
  /// \param what [in] the name of one number in messages: "a row index"
  /// \throws TextError if the text has too few lines
  FormattedNumbers(std::string_view text, const FortranFormat& format, std::size_t count, const char* what,
                   std::size_t chunk_bytes);

  /// Returns the text after the lines.
  std::string_view rest() const { return rest_; }

  /// Calls visit(number, field, format of the field) for each number, on up to options.threads threads.
  ///
  /// The last line may have more fields than there are numbers left, because some writers fill the line.
  ///
  /// \throws TextError if there is text after the fields of a line, and what `visit` throws
  template <class Visit>
  void for_each(const ReadOptions& options, const Progress& progress, const Visit& visit) const {
    parallel_for(
        thread_count(options.threads), chunks_.size(), [&](std::size_t chunk, int) { visit_chunk(chunk, visit); },
        progress);
  }

  /// Returns the position of a number in the text.
  const char* place_of(std::size_t number) const;

 private:
  struct Chunk {
    const char* begin;
    std::size_t number;  ///< index of its first number
  };

  /// A line with the fields of its numbers.
  struct Line {
    std::string_view text;
    std::span<const FortranField> fields;
    std::size_t width;  ///< columns up to the end of the last field; npos if fields are left when the numbers end

    std::string_view field(std::size_t k) const {
      return text.substr(std::min(fields[k].begin, text.size()), fields[k].width);
    }
    /// Returns whether characters other than blanks are on both sides of the end of a field.
    bool is_cut() const;
    /// Returns the words of the line. Words end at blanks, and before a sign that follows the digits of an exponent.
    /// Returns at most one word more than there are fields, because a line may be as long as the file.
    std::vector<std::string_view> words() const;
    /// Throws unless the columns after the fields are blank.
    void expect_end() const;
  };

  /// Returns the text of a line, without its end, and moves `position` after it.
  static std::string_view next_line(const char*& position, const char* end);

  const FortranPass& pass_at(std::size_t number) const { return number == 0 ? format_.first() : format_.again(); }

  template <class Visit>
  void visit_chunk(std::size_t chunk, const Visit& visit) const {
    const std::size_t last = chunk + 1 < chunks_.size() ? chunks_[chunk + 1].number : count_;
    const char* position = chunks_[chunk].begin;
    for (std::size_t number = chunks_[chunk].number; number < last;) {
      const FortranPass& pass = pass_at(number);
      std::span<const FortranField> left(pass.fields);
      for (std::size_t line = 0; line < pass.lines() && number < last; ++line) {
        const std::string_view text = next_line(position, rest_.data());
        std::size_t fields = 0;
        while (fields < left.size() && left[fields].line == line) ++fields;
        const std::size_t count = std::min(fields, last - number);
        visit_line({text, left.first(count), count == fields ? pass.widths[line] : std::string_view::npos}, number,
                   visit);
        number += count;
        left = left.subspan(fields);
      }
    }
  }

  /// Reads the numbers of a line from the columns of the format. If the columns cut a number, or hold none or two,
  /// reads words instead, provided that their count is right: SciPy writes fewer columns than it declares.
  template <class Visit>
  static void visit_line(const Line& line, std::size_t number, const Visit& visit) {
    const auto visit_words = [&] {
      const std::vector<std::string_view> words = line.words();
      if (words.size() != line.fields.size()) return false;
      try {
        for (std::size_t k = 0; k < words.size(); ++k) visit(number + k, words[k], line.fields[k]);
        return true;
      } catch (const TextError&) {
        return false;
      }
    };
    if (line.fields.empty()) return;
    const bool is_cut = line.is_cut();
    if (is_cut && visit_words()) return;
    try {
      for (std::size_t k = 0; k < line.fields.size(); ++k) visit(number + k, line.field(k), line.fields[k]);
      line.expect_end();
    } catch (const TextError&) {
      if (is_cut || !visit_words()) throw;
    }
  }

  const FortranFormat& format_;
  std::size_t count_;
  std::vector<Chunk> chunks_;
  std::string_view rest_;
};

}  // namespace Tessera::Impl
