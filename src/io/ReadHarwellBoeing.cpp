// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <vector>

#include "FormattedNumbers.hpp"
#include "HarwellBoeingText.hpp"
#include "InputFile.hpp"
#include "RowAssembler.hpp"
#include "ScalarTraits.hpp"
#include "Symmetry.hpp"
#include "TextScanner.hpp"

namespace Tessera {
namespace Impl {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

constexpr const char* pointer_name = "a column pointer";
constexpr const char* index_name = "a row index";
constexpr const char* value_name = "a value";

/// A matrix in compressed columns, as stored in the file.
template <class Scalar>
struct StoredColumns {
  std::vector<std::size_t> offsets;
  std::vector<Ordinal> rows;
  std::vector<Scalar> values;  ///< empty for a pattern
};

long long checked_integer(std::string_view field, const char* what, long long largest) {
  const long long value = integer_in_field(field, what);
  if (value < 1 || value > largest) {
    throw TextError(field.data(), std::string("expected ") + what + " from 1 to " + std::to_string(largest) +
                                      ", found " + std::to_string(value));
  }
  return value;
}

/// Throws unless the offsets begin with 0, do not decrease, and end with `entries`.
void check_offsets(const std::vector<std::size_t>& offsets, std::size_t entries, const FormattedNumbers& numbers) {
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const std::size_t lowest = k + 1 == offsets.size() ? entries : k == 0 ? 0 : offsets[k - 1];
    const std::size_t highest = k == 0 ? 0 : entries;
    if (offsets[k] >= lowest && offsets[k] <= highest) continue;
    throw TextError(numbers.place_of(k), "expected column pointer " + std::to_string(k + 1) + " of " +
                                             std::to_string(offsets.size()) + " to be " + std::to_string(lowest + 1) +
                                             (lowest < highest ? " to " + std::to_string(highest + 1) : "") +
                                             ", found " + std::to_string(offsets[k] + 1));
  }
}

/// The numbers in each part of a file. A part is found only after the numbers of the parts before it were counted.
class Parts {
 public:
  Parts(const HarwellBoeingText& text, const ReadOptions& options) : text_(text), chunk_bytes_(options.chunk_bytes) {}

  FormattedNumbers pointers() const {
    return {text_.body, text_.pointers, static_cast<std::size_t>(text_.header.columns) + 1, pointer_name, chunk_bytes_};
  }
  FormattedNumbers indices(const FormattedNumbers& before) const {
    return {before.rest(), text_.indices, text_.header.stored_entries, index_name, chunk_bytes_};
  }
  FormattedNumbers values(const FormattedNumbers& before) const {
    const Field field = text_.header.field;
    const std::size_t parts = field == Field::Pattern ? 0 : field == Field::Complex ? 2 : 1;
    return {before.rest(), text_.values, parts * text_.header.stored_entries, value_name, chunk_bytes_};
  }
  FormattedNumbers vectors(std::string_view rest, std::size_t count) const {
    return {rest, text_.dense, count, value_name, chunk_bytes_};
  }

 private:
  const HarwellBoeingText& text_;
  std::size_t chunk_bytes_;
};

/// Reads real numbers, or the real and imaginary parts of complex numbers.
template <class Scalar>
void read_values(const FormattedNumbers& numbers, bool is_complex_file, const ReadOptions& options,
                 const Progress& progress, std::vector<Scalar>& values) {
  using Real = RealOf<Scalar>;
  auto* parts = reinterpret_cast<Real*>(values.data());  // std::complex allows this
  numbers.for_each(options, progress, [&](std::size_t k, std::string_view field, const FortranField& format) {
    const Real value = real_in_field<Real>(field, format, value_name);
    if (is_complex_file) {
      parts[k] = value;
    } else {
      values[k] = Scalar(value);
    }
  });
}

/// Fails if the diagonal of a skew-symmetric matrix has an entry that is not zero.
template <class Scalar>
void check_diagonal(const StoredColumns<Scalar>& stored, const FormattedNumbers& indices) {
  for (std::size_t column = 0; column + 1 < stored.offsets.size(); ++column) {
    for (std::size_t k = stored.offsets[column]; k < stored.offsets[column + 1]; ++k) {
      if (static_cast<std::size_t>(stored.rows[k]) != column) continue;
      if (!stored.values.empty() && stored.values[k] == Scalar(0)) continue;
      throw TextError(indices.place_of(k), "expected zero on the diagonal of a skew-symmetric matrix, found entry " +
                                               std::to_string(k + 1) + " in row and column " +
                                               std::to_string(column + 1));
    }
  }
}

void expect_end_of_file(std::string_view rest, std::size_t entries) {
  constexpr std::string_view nothing(" \t\r\n\x1A\0", 6);  // blanks, and the end-of-file marks of DOS and of tapes
  const std::size_t found = rest.find_first_not_of(nothing);
  if (found == std::string_view::npos) return;
  throw TextError(rest.data() + found, "expected the end of the file after the " + std::to_string(entries) +
                                           " entries that the head announces, found another line");
}

template <class Scalar>
StoredColumns<Scalar> read_columns(const HarwellBoeingText& text, const ReadOptions& options,
                                   const Progress& progress) {
  const HarwellBoeingHeader& header = text.header;
  const Parts parts(text, options);
  StoredColumns<Scalar> stored;
  const FormattedNumbers pointers = parts.pointers();
  stored.offsets.resize(static_cast<std::size_t>(header.columns) + 1);
  pointers.for_each(options, progress.part(0, 0.1), [&](std::size_t k, std::string_view field, const FortranField&) {
    const auto largest = static_cast<long long>(header.stored_entries) + 1;
    stored.offsets[k] = static_cast<std::size_t>(checked_integer(field, pointer_name, largest) - 1);
  });
  check_offsets(stored.offsets, header.stored_entries, pointers);
  const FormattedNumbers indices = parts.indices(pointers);
  stored.rows.resize(header.stored_entries);
  indices.for_each(options, progress.part(0.1, 0.4), [&](std::size_t k, std::string_view field, const FortranField&) {
    stored.rows[k] = static_cast<Ordinal>(checked_integer(field, index_name, header.rows) - 1);
  });
  const FormattedNumbers values = parts.values(indices);
  if (header.field != Field::Pattern) {
    stored.values.resize(header.stored_entries);
    read_values(values, header.field == Field::Complex, options, progress.part(0.4, 1), stored.values);
  }
  if (header.symmetry == Symmetry::SkewSymmetric) check_diagonal(stored, indices);
  if (header.right_hand_sides == 0) expect_end_of_file(values.rest(), header.stored_entries);
  return stored;
}

/// Adds the entries of a piece, and the entries that a symmetry implies.
template <class Scalar>
void add_piece(const StoredColumns<Scalar>& stored, Symmetry symmetry, std::size_t piece, std::size_t entries_of_piece,
               RowAssembler<Scalar>& assembler) {
  const std::size_t begin = piece * entries_of_piece;
  const std::size_t end = std::min(begin + entries_of_piece, stored.rows.size());
  std::vector<Entry<Scalar>> entries;
  entries.reserve((end - begin) * (symmetry == Symmetry::General ? 1 : 2));
  auto next = std::upper_bound(stored.offsets.begin(), stored.offsets.end(), begin);  // start of the next column
  for (std::size_t k = begin; k < end; ++k) {
    while (*next <= k) ++next;
    const Ordinal row = stored.rows[k];
    const auto column = static_cast<Ordinal>(next - stored.offsets.begin() - 1);
    const Scalar value = stored.values.empty() ? Scalar(1) : stored.values[k];
    entries.push_back({row, column, value});
    if (symmetry != Symmetry::General && row != column) {
      entries.push_back({column, row, mirrored(symmetry, value)});
    }
  }
  assembler.add(piece, entries);
}

template <class Scalar>
HarwellBoeingText checked_text(std::string_view text, const std::string& name) {
  HarwellBoeingText result = split_harwell_boeing(text, name);
  if (result.header.field == Field::Complex && !is_complex<Scalar>) {
    throw std::invalid_argument(name + ":3: the matrix is complex, expected a real one for the scalar type " +
                                real_name<Scalar>);
  }
  check_numbers_fit(result);
  return result;
}

/// Returns the bytes that the lists of chunks need.
double bytes_of_chunks(const HarwellBoeingText& text, const ReadOptions& options) {
  constexpr double bytes_of_chunk = 2 * 2 * sizeof(std::size_t);  // twice, because a growing vector reserves more
  return bytes_of_chunk * (static_cast<double>(text.body.size()) / static_cast<double>(options.chunk_bytes) + 3);
}

template <class Scalar>
HostCsr<Scalar> parse_sparse(std::string_view bytes, const std::string& name, const ReadOptions& given,
                             const Progress& progress) {
  ReadOptions options = given;
  options.chunk_bytes = std::max<std::size_t>(options.chunk_bytes, 1);
  const HarwellBoeingText text = checked_text<Scalar>(bytes, name);
  const HarwellBoeingHeader& header = text.header;
  // About as many entries as a chunk of Matrix Market text has.
  const std::size_t entries_of_piece = 1 + options.chunk_bytes / 16;
  const std::size_t pieces = (header.stored_entries + entries_of_piece - 1) / entries_of_piece;
  const int threads = thread_count(options.threads);
  const double most = most_entries(header.symmetry, header.stored_entries);
  const double stored_bytes = 8.0 * (static_cast<double>(header.columns) + 1) +
                              static_cast<double>(header.stored_entries) *
                                  (sizeof(Ordinal) + (header.field == Field::Pattern ? 0 : sizeof(Scalar))) +
                              bytes_of_chunks(text, options);
  text.require_memory(text.type_line.data(),
                      std::max(stored_bytes + RowAssembler<Scalar>::bytes_of_pieces(header.rows, most, pieces),
                               RowAssembler<Scalar>::bytes(header.rows, most, pieces, threads)),
                      options);
  RowAssembler<Scalar> assembler(header.rows, header.columns, pieces);
  try {
    const auto stored = read_columns<Scalar>(text, options, progress.part(0, 0.7));
    parallel_for(
        threads, pieces,
        [&](std::size_t piece, int) { add_piece(stored, header.symmetry, piece, entries_of_piece, assembler); },
        progress.part(0.7, 0.8));
  } catch (const TextError& error) {
    text.fail(error.where, error.what());
  }
  return assembler.assemble(threads, progress.part(0.8, 1));
}

constexpr const char* names_of_vectors[] = {"right-hand sides", "guesses", "solutions"};

/// Throws unless the file declares full vectors of this kind.
void check_has_vectors(const HarwellBoeingText& text, HarwellBoeingVectors vectors) {
  const HarwellBoeingHeader& header = text.header;
  const bool is_there = vectors == HarwellBoeingVectors::RightHandSides ||
                        (vectors == HarwellBoeingVectors::Guesses ? header.has_guesses : header.has_solutions);
  if (header.right_hand_sides == 0 || !is_there) {
    text.fail(text.type_line.data(), std::string("expected a file with ") +
                                         names_of_vectors[static_cast<int>(vectors)] + ", found none in its head");
  }
  if (header.has_sparse_right_hand_sides) {
    const char* line = text.body.data() - 1;  // the end of the line that has their type
    text.fail(line, "the right-hand sides are sparse (type M), expected full ones (type F)");
  }
}

/// Reads each kind of vectors like one READ statement.
template <class Scalar>
HostDense<Scalar> parse_vectors(std::string_view bytes, const std::string& name, HarwellBoeingVectors vectors,
                                const ReadOptions& given, const Progress& progress) {
  ReadOptions options = given;
  options.chunk_bytes = std::max<std::size_t>(options.chunk_bytes, 1);
  const HarwellBoeingText text = checked_text<Scalar>(bytes, name);
  const HarwellBoeingHeader& header = text.header;
  check_has_vectors(text, vectors);
  HostDense<Scalar> dense{static_cast<std::size_t>(header.rows), header.right_hand_sides, {}};
  const std::size_t parts = header.field == Field::Complex ? 2 : 1;
  const std::size_t elements = dense.rows * dense.columns;  // at most 2^62
  if (text.dense.least_bytes(parts * elements) > static_cast<double>(text.body.size()) + 1) {
    text.fail(text.type_line.data(), "the head announces " + std::to_string(header.right_hand_sides) +
                                         " right-hand sides of " + std::to_string(header.rows) +
                                         " elements, which do not fit in the " + std::to_string(text.body.size()) +
                                         " bytes after it");
  }
  text.require_memory(text.type_line.data(),
                      static_cast<double>(elements) * sizeof(Scalar) + bytes_of_chunks(text, options), options);
  try {
    const Parts sections(text, options);
    const FormattedNumbers values = sections.values(sections.indices(sections.pointers()));
    std::string_view rest = values.rest();
    const int kinds_before = vectors == HarwellBoeingVectors::RightHandSides                   ? 0
                             : vectors == HarwellBoeingVectors::Guesses || !header.has_guesses ? 1
                                                                                               : 2;
    for (int kind = 0; kind < kinds_before; ++kind) rest = sections.vectors(rest, parts * elements).rest();
    dense.values.resize(elements);
    read_values(sections.vectors(rest, parts * elements), parts == 2, options, progress, dense.values);
  } catch (const TextError& error) {
    text.fail(error.where, error.what());
  }
  return dense;
}

/// Returns a function that throws if a text does not begin with a Harwell-Boeing header.
auto head_check(const std::string& path) {
  return [&path](std::string_view head) { split_harwell_boeing(head, path); };
}

}  // namespace
}  // namespace Impl

template <class Scalar>
HostCsr<Scalar> Impl::parse_harwell_boeing(std::string_view text, const std::string& name, const ReadOptions& options) {
  return Impl::parse_sparse<Scalar>(text, name, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostDense<Scalar> Impl::parse_harwell_boeing_vectors(std::string_view text, const std::string& name,
                                                     HarwellBoeingVectors vectors, const ReadOptions& options) {
  return Impl::parse_vectors<Scalar>(text, name, vectors, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostCsr<Scalar> read_harwell_boeing(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, Impl::head_check(path),
                              [&](std::string_view text, const Impl::Progress& progress) {
                                return Impl::parse_sparse<Scalar>(text, path, options, progress);
                              });
}

template <class Scalar>
HostDense<Scalar> read_harwell_boeing_vectors(const std::string& path, HarwellBoeingVectors vectors,
                                              const ReadOptions& options) {
  return Impl::read_and_parse(path, options, Impl::head_check(path),
                              [&](std::string_view text, const Impl::Progress& progress) {
                                return Impl::parse_vectors<Scalar>(text, path, vectors, options, progress);
                              });
}

#define TESSERA_INSTANTIATE(Scalar)                                                                              \
  template HostCsr<Scalar> Impl::parse_harwell_boeing(std::string_view, const std::string&, const ReadOptions&); \
  template HostDense<Scalar> Impl::parse_harwell_boeing_vectors(std::string_view, const std::string&,            \
                                                                HarwellBoeingVectors, const ReadOptions&);       \
  template HostCsr<Scalar> read_harwell_boeing(const std::string&, const ReadOptions&);                          \
  template HostDense<Scalar> read_harwell_boeing_vectors(const std::string&, HarwellBoeingVectors, const ReadOptions&);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
