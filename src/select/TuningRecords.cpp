// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <locale>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tessera/select/TuningRecords.hpp>
#include <vector>

namespace Tessera {

namespace {

constexpr std::string_view title = "tessera tuning 2", first_title = "tessera tuning 1";

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

/// Whether all of a text is a number.
template <class Number, class... How>
bool reads(const std::string& text, Number& number, How... how) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, how...);
  return error == std::errc() && stop == end;
}

bool reads(const std::string& text, Format& format) {
  const auto named = enum_named<Format>(text);
  if (!named || *named == Format::Automatic) return false;
  format = *named;
  return true;
}

/// Version 1 had a field "staged" or "plain" after the format, and staged windows had the format bittcf.
bool brings_up_to_date(std::vector<std::string>& fields) {
  if (fields.size() != 8) return false;
  const bool is_staged = fields[6] == "staged" && fields[5] == "bittcf";
  if (!is_staged && fields[6] != "plain") return false;
  if (is_staged) fields[5] = "staged";
  fields.erase(fields.begin() + 6);
  return true;
}

/// Whether a line is a record.
bool reads(const std::string& line, bool is_first_version, TuningKey& key, TunedCandidate& fastest) {
  auto fields = fields_of(line);
  if (is_first_version && !brings_up_to_date(fields)) return false;
  if (fields.size() != 7) return false;
  key.device = fields[1];
  key.types = fields[2];
  key.precision = fields[3];
  return reads(fields[0], key.pattern, 16) && reads(fields[4], key.columns) && key.columns >= 0 &&
         reads(fields[5], fastest.format) && reads(fields[6], fastest.seconds) && fastest.seconds > 0;
}

}  // namespace

TuningRecords TuningRecords::read(const std::string& path) {
  TuningRecords records;
  if (!std::filesystem::exists(path)) return records;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || (line != title && line != first_title)) {
    throw std::runtime_error(path + ":1: this is no file of tuned choices; expected \"" + std::string(title) + "\"");
  }
  const bool is_first_version = line == first_title;
  for (int number = 2; std::getline(file, line); ++number) {
    TuningKey key;
    TunedCandidate fastest;
    if (!reads(line, is_first_version, key, fastest)) {
      throw std::runtime_error(path + ":" + std::to_string(number) +
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

void TuningRecords::write(const std::string& path) const {
  static std::atomic<unsigned> writes{0};
  const std::string part = path + ".part" + std::to_string(getpid()) + "-" + std::to_string(++writes);
  std::ofstream file(part);
  file.imbue(std::locale::classic());
  file << title << '\n';
  for (const auto& [key, fastest] : records_) {
    file << std::hex << key.pattern << std::dec << '\t' << key.device << '\t' << key.types << '\t' << key.precision
         << '\t' << key.columns << '\t' << to_string(fastest.format) << '\t' << std::setprecision(6) << fastest.seconds
         << '\n';
  }
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
    std::remove(part.c_str());
    throw std::runtime_error(path + ": tuned choices cannot be written there");
  }
}

}  // namespace Tessera
