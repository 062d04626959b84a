// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/system/impl/Memory.hpp>
#include <tessera/system/impl/OutputFile.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <type_traits>
#include <vector>

#include "BinaryHeader.hpp"
#include "ConvertValue.hpp"
#include "InputFile.hpp"
#include "ScalarTraits.hpp"

namespace Tessera {
namespace Impl {
namespace {

constexpr std::size_t items_at_a_time = std::size_t{1} << 18;

/// The arrays of a file, which may be unaligned.
struct BinaryArrays {
  const char* offsets;
  const char* columns;
  const char* values;
};

template <class Item>
Item load(const char* array, std::size_t number) {
  Item item;
  std::memcpy(&item, array + number * sizeof(Item), sizeof(Item));
  return item;
}

/// Returns the arrays. Throws unless the length of the file is exactly what its header says.
BinaryArrays find_arrays(std::string_view bytes, const std::string& name, const BinaryHeader& header) {
  const std::size_t entry_bytes = sizeof(std::int32_t) + header.value_bytes();
  const std::size_t offsets_bytes = (static_cast<std::size_t>(header.rows) + 1) * header.offset_bytes();
  const std::size_t fixed_bytes = header.bytes + offsets_bytes;
  // Divides, because the product might overflow.
  if (bytes.size() < fixed_bytes || (bytes.size() - fixed_bytes) % entry_bytes != 0 ||
      (bytes.size() - fixed_bytes) / entry_bytes != header.nonzeros) {
    throw std::runtime_error(name + ": is " + std::to_string(bytes.size()) +
                             " bytes long, which does not fit its header (" + std::to_string(header.rows) + " rows, " +
                             std::to_string(header.nonzeros) + " nonzeros): expected " + std::to_string(fixed_bytes) +
                             " bytes and " + std::to_string(entry_bytes) + " a nonzero");
  }
  const char* offsets = bytes.data() + header.bytes;
  const char* columns = offsets + offsets_bytes;
  return {offsets, columns, columns + header.nonzeros * sizeof(std::int32_t)};
}

template <class Offset>
std::vector<std::size_t> load_offsets(const char* array, const BinaryHeader& header, const std::string& name) {
  std::vector<std::size_t> offsets(static_cast<std::size_t>(header.rows) + 1);
  const auto nonzeros = static_cast<Offset>(header.nonzeros);  // fits, because the header was checked
  Offset previous = 0;
  for (std::size_t row = 0; row < offsets.size(); ++row) {
    const auto offset = load<Offset>(array, row);
    const Offset lowest = row + 1 == offsets.size() ? nonzeros : previous;
    const Offset highest = row == 0 ? 0 : nonzeros;
    if (offset < lowest || offset > highest) {
      throw std::runtime_error(name + ": row offset " + std::to_string(row) + " is " + std::to_string(offset) +
                               ", expected " + std::to_string(lowest) +
                               (lowest < highest ? " to " + std::to_string(highest) : ""));
    }
    offsets[row] = static_cast<std::size_t>(offset);
    previous = offset;
  }
  return offsets;
}

template <class Scalar, class Value>
void load_entries(const BinaryArrays& arrays, const std::string& name, int threads, const Progress& progress,
                  HostCsr<Scalar>& matrix) {
  const std::size_t count = matrix.row_offsets.back();
  matrix.column_indices.resize(count);
  matrix.values.resize(count);
  const std::size_t blocks = (count + items_at_a_time - 1) / items_at_a_time;
  const std::string where = name + ": the value of nonzero";
  parallel_for(
      threads, blocks,
      [&](std::size_t block, int) {
        const std::size_t end = std::min(count, (block + 1) * items_at_a_time);
        for (std::size_t k = block * items_at_a_time; k < end; ++k) {
          const auto column = load<std::int32_t>(arrays.columns, k);
          if (column < 0 || column >= matrix.columns) {
            throw std::runtime_error(name + ": the column of nonzero " + std::to_string(k) + " is " +
                                     std::to_string(column) + ", expected 0 to " + std::to_string(matrix.columns - 1));
          }
          matrix.column_indices[k] = column;
          matrix.values[k] = convert_value<std::runtime_error, Scalar>(load<Value>(arrays.values, k), where, k);
        }
      },
      progress);
}

template <class Scalar>
void load_entries(const BinaryArrays& arrays, ValueKind kind, const std::string& name, int threads,
                  const Progress& progress, HostCsr<Scalar>& matrix) {
  if (kind == ValueKind::Float) return load_entries<Scalar, float>(arrays, name, threads, progress, matrix);
  if (kind == ValueKind::Double) return load_entries<Scalar, double>(arrays, name, threads, progress, matrix);
  if constexpr (is_complex<Scalar>) {
    if (kind == ValueKind::ComplexFloat) {
      return load_entries<Scalar, std::complex<float>>(arrays, name, threads, progress, matrix);
    }
    return load_entries<Scalar, std::complex<double>>(arrays, name, threads, progress, matrix);
  }
}

template <class Scalar>
HostCsr<Scalar> parse(std::string_view bytes, const std::string& name, const ReadOptions& options,
                      const Progress& progress) {
  const BinaryHeader header = parse_binary_header(bytes, name);
  if (header.is_complex() && !is_complex<Scalar>) {
    throw std::invalid_argument(name + ": the matrix is complex, expected a real one for the scalar type " +
                                real_name<Scalar>);
  }
  const BinaryArrays arrays = find_arrays(bytes, name, header);
  const int threads = thread_count(options.threads);
  const double bytes_needed = static_cast<double>(bytes.size()) * (options.memory_limit > 0 ? 1 : 0) +
                              8.0 * (static_cast<double>(header.rows) + 1) +
                              static_cast<double>(header.nonzeros) * (sizeof(Ordinal) + sizeof(Scalar));
  require_memory(bytes_needed, options.memory_limit, name + ": the matrix");

  HostCsr<Scalar> matrix;
  matrix.rows = header.rows;
  matrix.columns = header.columns;
  matrix.row_offsets = header.format == BinaryCsrFormat::Offsets32
                           ? load_offsets<std::int32_t>(arrays.offsets, header, name)
                           : load_offsets<std::int64_t>(arrays.offsets, header, name);
  load_entries(arrays, header.kind, name, threads, progress.part(0, 0.9), matrix);
  make_canonical(matrix, threads);
  progress(1);
  return matrix;
}

template <class Scalar>
constexpr ValueKind kind_of() {
  const bool is_double = std::is_same_v<RealOf<Scalar>, double>;
  if (is_complex<Scalar>) return is_double ? ValueKind::ComplexDouble : ValueKind::ComplexFloat;
  return is_double ? ValueKind::Double : ValueKind::Float;
}

template <class Item>
void write_item(OutputFile& file, const Item& item) {
  file.write(&item, sizeof item);
}

template <class Item>
void write_array(OutputFile& file, const std::vector<Item>& items) {
  file.write(items.data(), items.size() * sizeof(Item));
}

template <class Target, class Source>
void write_array_as(OutputFile& file, const std::vector<Source>& items) {
  for (const Source& item : items) write_item(file, static_cast<Target>(item));
}

template <class Scalar>
void write_offsets32(OutputFile& file, const HostCsr<Scalar>& matrix, const std::string& path) {
  if constexpr (!is_complex<Scalar>) {
    for (const std::int64_t field : {magic_offsets32, std::int64_t{matrix.rows}, std::int64_t{matrix.columns},
                                     static_cast<std::int64_t>(matrix.values.size())}) {
      write_item(file, field);
    }
    write_array_as<std::int32_t>(file, matrix.row_offsets);
    write_array(file, matrix.column_indices);
    const std::string where = path + ": cannot be written: the value of nonzero";
    for (std::size_t k = 0; k < matrix.values.size(); ++k) {
      write_item(file, convert_value<std::invalid_argument, float>(matrix.values[k], where, k));
    }
  }
}

template <class Scalar>
void write_offsets64(OutputFile& file, const HostCsr<Scalar>& matrix) {
  for (const std::int64_t field :
       {magic_offsets64, static_cast<std::int64_t>(kind_of<Scalar>()), std::int64_t{matrix.rows},
        std::int64_t{matrix.columns}, static_cast<std::int64_t>(matrix.values.size())}) {
    write_item(file, field);
  }
  write_array_as<std::int64_t>(file, matrix.row_offsets);
  write_array(file, matrix.column_indices);
  write_array(file, matrix.values);
}

}  // namespace
}  // namespace Impl

template <class Scalar>
HostCsr<Scalar> Impl::parse_binary_csr(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return Impl::parse<Scalar>(bytes, name, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostCsr<Scalar> read_binary_csr(const std::string& path, const ReadOptions& options) {
  const auto check_head = [&](std::string_view head) { Impl::parse_binary_header(head, path); };
  return Impl::read_and_parse(path, options, check_head, [&](std::string_view bytes, const Impl::Progress& progress) {
    return Impl::parse<Scalar>(bytes, path, options, progress);
  });
}

template <class Scalar>
void write_binary_csr(const std::string& path, const HostCsr<Scalar>& matrix, BinaryCsrFormat format) {
  if (!Impl::is_valid(matrix)) throw std::invalid_argument(path + ": cannot be written: the matrix is not valid CSR");
  const bool is_narrow = format == BinaryCsrFormat::Offsets32;
  if (is_narrow && Impl::is_complex<Scalar>) {
    throw std::invalid_argument(path + ": cannot be written: Offsets32 holds real values, expected Offsets64");
  }
  if (is_narrow && matrix.values.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::invalid_argument(path + ": cannot be written: Offsets32 holds up to 2147483647 nonzeros, not " +
                                std::to_string(matrix.values.size()) + "; expected Offsets64");
  }
  Impl::OutputFile file(path);
  is_narrow ? Impl::write_offsets32(file, matrix, path) : Impl::write_offsets64(file, matrix);
  file.commit();
}

#define TESSERA_INSTANTIATE(Scalar)                                                                          \
  template HostCsr<Scalar> Impl::parse_binary_csr(std::string_view, const std::string&, const ReadOptions&); \
  template HostCsr<Scalar> read_binary_csr(const std::string&, const ReadOptions&);                          \
  template void write_binary_csr(const std::string&, const HostCsr<Scalar>&, BinaryCsrFormat);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
