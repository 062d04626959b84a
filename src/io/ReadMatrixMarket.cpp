// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <vector>

#include "InputFile.hpp"
#include "MatrixMarketText.hpp"
#include "RowAssembler.hpp"
#include "ScalarTraits.hpp"
#include "Symmetry.hpp"
#include "TextScanner.hpp"

namespace Tessera {
namespace Impl {
namespace {

using Field = MatrixMarketHeader::Field;
using Layout = MatrixMarketHeader::Layout;
using Symmetry = MatrixMarketHeader::Symmetry;

/// Reads the value of an entry. A pattern should have no values, but some in the SuiteSparse collection do.
template <class Scalar, Field field>
Scalar parse_value(TextScanner& scanner) {
  using Real = RealOf<Scalar>;
  if constexpr (field == Field::Pattern) {
    if (!scanner.at_line_end()) scanner.real<Real>("the end of the line");
    return Scalar(1);
  } else if constexpr (field == Field::Complex) {
    const Real real = scanner.real<Real>("a real part");
    const Real imaginary = scanner.real<Real>("an imaginary part");
    return {real, imaginary};
  } else {
    return Scalar(scanner.real<Real>("a value"));
  }
}

Ordinal parse_index(TextScanner& scanner, Ordinal extent, const char* what) {
  const long long index = scanner.integer(what);
  if (index < 1 || index > extent) {
    throw TextError(scanner.position() - 1, std::string("expected ") + what + " from 1 to " + std::to_string(extent) +
                                                ", found " + std::to_string(index));
  }
  return static_cast<Ordinal>(index - 1);
}

/// Parses lines of a coordinate file into entries, and adds the entries that a symmetry implies.
template <class Scalar>
struct CoordinateParser {
  using Item = Entry<Scalar>;

  template <Field field>
  static void parse_line(TextScanner& scanner, const MatrixMarketHeader& header, std::vector<Item>& items) {
    const char* line = scanner.position();
    const Ordinal row = parse_index(scanner, header.rows, "a row index");
    const Ordinal column = parse_index(scanner, header.columns, "a column index");
    const Scalar value = parse_value<Scalar, field>(scanner);
    scanner.end_line();
    items.push_back({row, column, value});
    if (header.symmetry == Symmetry::General) return;
    if (row != column) {
      items.push_back({column, row, mirrored(header.symmetry, value)});
    } else if (header.symmetry == Symmetry::SkewSymmetric && value != Scalar(0)) {
      throw TextError(line, "expected zero on the diagonal of a skew-symmetric matrix");
    }
  }
};

/// Parses lines of an array file into values.
template <class Scalar>
struct ArrayParser {
  using Item = Scalar;

  template <Field field>
  static void parse_line(TextScanner& scanner, const MatrixMarketHeader&, std::vector<Item>& items) {
    items.push_back(parse_value<Scalar, field>(scanner));
    scanner.end_line();
  }
};

/// The chunks of the body; a thread parses one at a time. Each begins at the start of a line and ends before another.
class Chunks {
 public:
  Chunks(std::string_view body, std::size_t bytes)
      : body_(body),
        bytes_(std::clamp<std::size_t>(bytes, 1, body.size() + 1)),
        count_((body.size() + bytes_ - 1) / bytes_) {}

  std::size_t count() const { return count_; }
  std::string_view operator[](std::size_t chunk) const {
    const std::size_t begin = line_start(chunk * bytes_);
    return body_.substr(begin, line_start((chunk + 1) * bytes_) - begin);
  }

 private:
  /// Returns the first start of a line at or after a place.
  std::size_t line_start(std::size_t place) const {
    if (place == 0) return 0;
    const std::size_t newline = body_.find('\n', place - 1);
    return newline == std::string_view::npos ? body_.size() : newline + 1;
  }

  std::string_view body_;
  std::size_t bytes_;
  std::size_t count_;
};

/// Parses a chunk into `items` and returns the number of its lines.
template <class Parser, Field field>
std::size_t parse_chunk(std::string_view chunk, const MatrixMarketHeader& header,
                        std::vector<typename Parser::Item>& items) {
  items.clear();
  std::size_t lines = 0;
  for (TextScanner scanner(chunk); scanner.find_line(); ++lines)
    Parser::template parse_line<field>(scanner, header, items);
  return lines;
}

template <class Parser, class Scalar>
auto chunk_parser(Field field) {
  if (field == Field::Pattern) return parse_chunk<Parser, Field::Pattern>;
  if constexpr (is_complex<Scalar>) {
    if (field == Field::Complex) return parse_chunk<Parser, Field::Complex>;
  }
  return parse_chunk<Parser, Field::Real>;
}

/// Throws unless the chunks together have the number of entries that the size line announces.
void check_count(const MatrixMarketText& text, const Chunks& chunks, const std::vector<std::size_t>& counts) {
  const std::size_t announced = text.header.stored_entries;
  std::size_t before = 0;
  for (std::size_t chunk = 0; chunk < chunks.count(); before += counts[chunk++]) {
    if (before + counts[chunk] <= announced) continue;
    TextScanner scanner(chunks[chunk]);
    for (; scanner.find_line() && before < announced; ++before) scanner.skip_line();
    text.fail(scanner.position(), "expected the end of the file after the " + std::to_string(announced) +
                                      " entries that the size line announces, found another line");
  }
  if (before < announced) {
    text.fail(text.size_line.data(), "the size line announces " + std::to_string(announced) +
                                         " entries, but the file ends after " + std::to_string(before));
  }
}

/// Parses the body in parallel, and calls take(chunk, items) for each chunk, from several threads. Drops lines beyond
/// the number that the size line announces, because no memory was reserved for them; check_count() then throws.
template <class Parser, class Scalar, class Take>
void parse_body(const MatrixMarketText& text, const ReadOptions& options, const Progress& progress, const Take& take) {
  const int threads = thread_count(options.threads);
  const Chunks chunks(text.body, options.chunk_bytes);
  const auto parse = chunk_parser<Parser, Scalar>(text.header.field);
  std::vector<std::vector<typename Parser::Item>> items(std::min(static_cast<std::size_t>(threads), chunks.count()));
  std::vector<std::size_t> counts(chunks.count());
  std::atomic<std::size_t> lines{0};
  try {
    parallel_for(
        threads, chunks.count(),
        [&](std::size_t chunk, int worker) {
          auto& own_items = items[static_cast<std::size_t>(worker)];
          counts[chunk] = parse(chunks[chunk], text.header, own_items);
          if ((lines += counts[chunk]) <= text.header.stored_entries) take(chunk, own_items);
        },
        progress);
  } catch (const TextError& error) {
    text.fail(error.where, error.what());
  }
  check_count(text, chunks, counts);
}

/// Returns the bytes that parse_body() needs, except the entries of one chunk for each thread.
double bytes_of_counts(std::size_t chunks) { return static_cast<double>(chunks) * sizeof(std::size_t); }

void check_memory(const MatrixMarketText& text, const ReadOptions& options, double bytes) {
  text.require_memory(text.size_line.data(), bytes, options);
}

double elements(const MatrixMarketHeader& header) {
  return static_cast<double>(header.rows) * static_cast<double>(header.columns);
}

double offset_bytes(const MatrixMarketHeader& header) {
  return (static_cast<double>(header.rows) + 1) * sizeof(std::size_t);
}

template <class Scalar>
HostCsr<Scalar> parse_coordinates(const MatrixMarketText& text, const ReadOptions& options, const Progress& progress) {
  const auto& header = text.header;
  const int threads = thread_count(options.threads);
  const std::size_t chunks = Chunks(text.body, options.chunk_bytes).count();
  check_memory(
      text, options,
      RowAssembler<Scalar>::bytes(header.rows, most_entries(header.symmetry, header.stored_entries), chunks, threads) +
          bytes_of_counts(chunks));
  RowAssembler<Scalar> assembler(header.rows, header.columns, chunks);
  parse_body<CoordinateParser<Scalar>, Scalar>(
      text, options, progress.part(0, 0.8),
      [&](std::size_t chunk, const std::vector<Entry<Scalar>>& items) { assembler.add(chunk, items); });
  return assembler.assemble(threads, progress.part(0.8, 1));
}

/// Expands the stored part, which is column-major, to the full matrix. A symmetric one is stored as its lower triangle.
template <class Scalar>
HostDense<Scalar> expand_array(const MatrixMarketHeader& header, std::vector<Scalar> stored) {
  HostDense<Scalar> dense{static_cast<std::size_t>(header.rows), static_cast<std::size_t>(header.columns), {}};
  if (header.symmetry == Symmetry::General) {
    dense.values = std::move(stored);
    return dense;
  }
  dense.values.resize(dense.rows * dense.columns);
  const std::size_t diagonal = header.symmetry == Symmetry::SkewSymmetric ? 1 : 0;  // 1: the diagonal is not stored
  auto next = stored.begin();
  for (std::size_t column = 0; column < dense.columns; ++column) {
    for (std::size_t row = column + diagonal; row < dense.rows; ++row, ++next) {
      if (row != column) dense.values[column + row * dense.rows] = mirrored(header.symmetry, *next);
      dense.values[row + column * dense.rows] = *next;
    }
  }
  return dense;
}

template <class Scalar>
HostDense<Scalar> parse_array(const MatrixMarketText& text, const ReadOptions& options, const Progress& progress) {
  const double expanded = text.header.symmetry == Symmetry::General ? 0 : elements(text.header);
  const std::size_t chunks = Chunks(text.body, options.chunk_bytes).count();
  check_memory(text, options,
               (2.0 * static_cast<double>(text.header.stored_entries) + expanded) * sizeof(Scalar) +
                   static_cast<double>(chunks) * sizeof(std::vector<Scalar>) + bytes_of_counts(chunks));
  std::vector<std::vector<Scalar>> pieces(chunks);
  parse_body<ArrayParser<Scalar>, Scalar>(
      text, options, progress, [&](std::size_t chunk, const std::vector<Scalar>& items) { pieces[chunk] = items; });
  std::vector<Scalar> stored;
  stored.reserve(text.header.stored_entries);
  for (const auto& piece : pieces) stored.insert(stored.end(), piece.begin(), piece.end());
  return expand_array(text.header, std::move(stored));
}

/// Makes an entry of each element, including zeros.
template <class Scalar>
HostCsr<Scalar> to_csr(const HostDense<Scalar>& dense) {
  HostCsr<Scalar> matrix;
  matrix.rows = static_cast<Ordinal>(dense.rows);
  matrix.columns = static_cast<Ordinal>(dense.columns);
  matrix.row_offsets.resize(dense.rows + 1);
  matrix.column_indices.resize(dense.values.size());
  matrix.values.resize(dense.values.size());
  for (std::size_t row = 0, k = 0; row < dense.rows; ++row) {
    for (std::size_t column = 0; column < dense.columns; ++column, ++k) {
      matrix.column_indices[k] = static_cast<Ordinal>(column);
      matrix.values[k] = dense.values[row + column * dense.rows];
    }
    matrix.row_offsets[row + 1] = k;
  }
  return matrix;
}

template <class Scalar>
HostDense<Scalar> to_dense(const HostCsr<Scalar>& matrix) {
  HostDense<Scalar> dense{static_cast<std::size_t>(matrix.rows), static_cast<std::size_t>(matrix.columns), {}};
  dense.values.resize(dense.rows * dense.columns);
  for (std::size_t row = 0; row < dense.rows; ++row) {
    for (std::size_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      dense.values[row + static_cast<std::size_t>(matrix.column_indices[k]) * dense.rows] = matrix.values[k];
    }
  }
  return dense;
}

template <class Scalar>
MatrixMarketText checked_text(std::string_view text, const std::string& name) {
  MatrixMarketText result = split_matrix_market(text, name);
  if (result.header.field == Field::Complex && !is_complex<Scalar>) {
    throw std::invalid_argument(name + ":1: the matrix is complex, expected a real one for the scalar type " +
                                real_name<Scalar>);
  }
  check_entries_fit(result);
  return result;
}

template <class Scalar>
HostCsr<Scalar> parse_sparse(std::string_view bytes, const std::string& name, const ReadOptions& options,
                             const Progress& progress) {
  const MatrixMarketText text = checked_text<Scalar>(bytes, name);
  if (text.header.layout == Layout::Coordinate) return parse_coordinates<Scalar>(text, options, progress);
  check_memory(text, options,
               offset_bytes(text.header) + elements(text.header) * (2 * sizeof(Scalar) + sizeof(Ordinal)));
  return to_csr(parse_array<Scalar>(text, options, progress));
}

template <class Scalar>
HostDense<Scalar> parse_dense(std::string_view bytes, const std::string& name, const ReadOptions& options,
                              const Progress& progress) {
  const MatrixMarketText text = checked_text<Scalar>(bytes, name);
  if (text.header.layout == Layout::Array) return parse_array<Scalar>(text, options, progress);
  check_memory(text, options,
               offset_bytes(text.header) +
                   most_entries(text.header.symmetry, text.header.stored_entries) * (sizeof(Scalar) + sizeof(Ordinal)) +
                   elements(text.header) * sizeof(Scalar));
  return to_dense(parse_coordinates<Scalar>(text, options, progress));
}

/// Returns a function that throws if a file begins without a banner.
auto banner_check(const std::string& path) {
  return [&path](std::string_view head) {
    if (!has_matrix_market_banner(head)) split_matrix_market(head, path);
  };
}

}  // namespace
}  // namespace Impl

template <class Scalar>
HostCsr<Scalar> Impl::parse_matrix_market(std::string_view text, const std::string& name, const ReadOptions& options) {
  return Impl::parse_sparse<Scalar>(text, name, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostDense<Scalar> Impl::parse_dense_matrix_market(std::string_view text, const std::string& name,
                                                  const ReadOptions& options) {
  return Impl::parse_dense<Scalar>(text, name, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostCsr<Scalar> read_matrix_market(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, Impl::banner_check(path),
                              [&](std::string_view text, const Impl::Progress& progress) {
                                return Impl::parse_sparse<Scalar>(text, path, options, progress);
                              });
}

template <class Scalar>
HostDense<Scalar> read_dense_matrix_market(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, Impl::banner_check(path),
                              [&](std::string_view text, const Impl::Progress& progress) {
                                return Impl::parse_dense<Scalar>(text, path, options, progress);
                              });
}

#define TESSERA_INSTANTIATE(Scalar)                                                                             \
  template HostCsr<Scalar> Impl::parse_matrix_market(std::string_view, const std::string&, const ReadOptions&); \
  template HostDense<Scalar> Impl::parse_dense_matrix_market(std::string_view, const std::string&,              \
                                                             const ReadOptions&);                               \
  template HostCsr<Scalar> read_matrix_market(const std::string&, const ReadOptions&);                          \
  template HostDense<Scalar> read_dense_matrix_market(const std::string&, const ReadOptions&);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
