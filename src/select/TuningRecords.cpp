// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tessera/select/TuningRecords.hpp>
#include <tessera/system/impl/OutputFile.hpp>
#include <vector>

namespace Tessera::Impl {

namespace {

constexpr std::string_view title = "tessera tuning 2";

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t', begin)) {
    fields.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  fields.push_back(line.substr(begin));
  return fields;
}

/// Reads a number. Returns whether the whole text is a number.
template <class Number, class... How>
bool reads(const std::string& text, Number& number, How... how) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, how...);
  return error == std::errc() && stop == end;
}

bool reads(const std::string& text, Format& format) {
  const auto named = enum_named<Format>(text);
  if (!named || *named == Format::Auto) return false;
  format = *named;
  return true;
}

/// Reads a record from a line. Returns whether the line is a record.
bool reads(const std::string& line, TuningKey& key, TunedCandidate& fastest) {
  const auto fields = fields_of(line);
  if (fields.size() != 7) return false;
  key.device = fields[1];
  key.types = fields[2];
  key.precision = fields[3];
  return reads(fields[0], key.pattern, 16) && reads(fields[4], key.columns) && key.columns >= 0 &&
         reads(fields[5], fastest.format) && reads(fields[6], fastest.seconds) && fastest.seconds > 0;
}

}  // namespace

TuningRecords TuningRecords::read(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read; expected a file of tuned choices, or none");
  std::ostringstream text;
  text << file.rdbuf();  // reads nothing if it is a folder
  return parse(text.str(), path);
}

TuningRecords TuningRecords::parse(std::string_view text, const std::string& name) {
  TuningRecords records;
  const auto next_line = [&] {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
  };
  const std::string first = next_line();
  if (first != title) {
    const std::string found =
        first.starts_with("tessera tuning ") ? "has \"" + first + "\"" : "is no file of tuned choices";
    throw std::runtime_error(name + ":1: this " + found + "; expected \"" + std::string(title) + "\"");
  }
  for (int number = 2; !text.empty(); ++number) {
    TuningKey key;
    TunedCandidate fastest;
    if (!reads(next_line(), key, fastest)) {
      throw std::runtime_error(name + ":" + std::to_string(number) +
                               ": expected pattern, device, types, precision, columns, format and seconds, with tabs "
                               "between");
    }
    records.add(key, fastest);
  }
  return records;
}

std::optional<TunedCandidate> TuningRecords::find(const TuningKey& key) const {
  const auto place = records_.find(key);
  if (place == records_.end()) return std::nullopt;
  return place->second;
}

std::string TuningRecords::text() const {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << title << '\n';
  for (const auto& [key, fastest] : records_) {
    text << std::hex << key.pattern << std::dec << '\t' << key.device << '\t' << key.types << '\t' << key.precision
         << '\t' << key.columns << '\t' << to_string(fastest.format) << '\t' << std::setprecision(6) << fastest.seconds
         << '\n';
  }
  return text.str();
}

void TuningRecords::write(const std::string& path) const {
  Impl::OutputFile file(path);
  file.write(text());
  file.commit();
}

}  // namespace Tessera::Impl
