// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/io/ReadOptions.hpp>
#include <tessera/io/impl/Parallel.hpp>
#include <vector>

#include "FortranFormat.hpp"

namespace Tessera::Impl {

/// Numbers that one READ statement of Fortran takes from a text: lines laid out by a format.
class FormattedNumbers {
 public:
  /// \param text [in] begins with the lines; blank lines in front of them are skipped
  /// \param what [in] one of the numbers, for messages: "a row index"
  /// \throws TextError if the text has too few lines
  FormattedNumbers(std::string_view text, const FortranFormat& format, std::size_t count, const char* what,
                   std::size_t chunk_bytes);

  /// What follows the lines.
  std::string_view rest() const { return rest_; }

  /// Calls visit(number, field, format of the field) for each of the numbers, with up to options.threads threads.
  ///
  /// The last line may have more fields than there are numbers; some writers fill it.
  ///
  /// \throws TextError if something stands behind the fields of a line, and what `visit` throws
  template <class Visit>
  void for_each(const ReadOptions& options, const Progress& progress, const Visit& visit) const {
    parallel_for(
        thread_count(options.threads), chunks_.size(), [&](std::size_t chunk, int) { visit_chunk(chunk, visit); },
        progress);
  }

  /// Where one of the numbers stands.
  const char* place_of(std::size_t number) const;

 private:
  struct Chunk {
    const char* begin;
    std::size_t number;  ///< the first of its numbers
  };

  /// A line, without its end, and goes behind it.
  static std::string_view next_line(const char*& position, const char* end);
  /// Throws unless the columns behind a line's fields are blank.
  static void expect_end(std::string_view line, std::size_t width);

  const FortranPass& pass_at(std::size_t number) const { return number == 0 ? format_.first() : format_.again(); }

  template <class Visit>
  void visit_chunk(std::size_t chunk, const Visit& visit) const {
    const std::size_t last = chunk + 1 < chunks_.size() ? chunks_[chunk + 1].number : count_;
    const char* position = chunks_[chunk].begin;
    for (std::size_t number = chunks_[chunk].number; number < last;) {
      const FortranPass& pass = pass_at(number);
      auto field = pass.fields.begin();
      for (std::size_t line = 0; line < pass.lines() && number < last; ++line) {
        const std::string_view text = next_line(position, rest_.data());
        for (; field != pass.fields.end() && field->line == line && number < last; ++field, ++number) {
          visit(number, text.substr(std::min(field->begin, text.size()), field->width), *field);
        }
        const bool is_full = field == pass.fields.end() || field->line != line;
        if (is_full && pass.widths[line] > 0) expect_end(text, pass.widths[line]);
      }
    }
  }

  const FortranFormat& format_;
  std::size_t count_;
  std::vector<Chunk> chunks_;
  std::string_view rest_;
};

}  // namespace Tessera::Impl
