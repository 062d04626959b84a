// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/io/Numpy.hpp>
#include <tessera/system/impl/Memory.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <utility>
#include <vector>

#include "ConvertValue.hpp"
#include "InputFile.hpp"
#include "NpyItems.hpp"
#include "NpzArrays.hpp"
#include "NumpyFile.hpp"
#include "RowAssembler.hpp"
#include "ScalarTraits.hpp"

namespace Tessera {
namespace Impl {
namespace {

constexpr std::size_t items_at_a_time = std::size_t{1} << 16;

/// Calls task(k) for each k below `count`, in parallel.
template <class Task>
void for_each_item(std::size_t count, int threads, const Task& task) {
  parallel_for(threads, (count + items_at_a_time - 1) / items_at_a_time, [&](std::size_t block, int) {
    const std::size_t end = std::min(count, (block + 1) * items_at_a_time);
    for (std::size_t k = block * items_at_a_time; k < end; ++k) task(k);
  });
}

/// The elements of an array, and the memory that holds them.
struct Elements {
  UnpackedMember content;
  const char* items;
};

Elements unpack(const ZipArchive& archive, const NpzArray& array) {
  Elements elements{archive.unpack(*array.member), nullptr};
  elements.items = elements.content.view.data() + array.header.bytes;
  return elements;
}

template <class Item>
[[noreturn]] void fail_item(const NpzArray& array, std::size_t k, Item item, const std::string& expected) {
  throw std::runtime_error(array.where + ": element " + std::to_string(k) + " is " + std::to_string(item) +
                           ", expected " + expected);
}

/// Returns the offsets of rows or columns: from 0 on, not decreasing, up to `entries`.
std::vector<std::size_t> load_offsets(const ZipArchive& archive, const NpzArray& array, std::size_t entries) {
  const Elements elements = unpack(archive, array);
  std::vector<std::size_t> offsets(array.length());
  visit_integers(array.header, array.where, [&]<class Item>() {
    std::size_t previous = 0;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const auto offset = load_integer<Item>(elements.items, k, array.header.is_swapped);
      const std::size_t highest = k == 0 ? 0 : entries;
      if (std::cmp_less(offset, previous) || std::cmp_greater(offset, highest)) {
        fail_item(array, k, offset,
                  std::to_string(previous) + (previous < highest ? " to " + std::to_string(highest) : ""));
      }
      previous = offsets[k] = static_cast<std::size_t>(offset);
    }
  });
  return offsets;
}

/// Returns the first `count` indices, each below `extent`.
std::vector<Ordinal> load_indices(const ZipArchive& archive, const NpzArray& array, std::size_t count, Ordinal extent,
                                  int threads) {
  const Elements elements = unpack(archive, array);
  std::vector<Ordinal> indices(count);
  visit_integers(array.header, array.where, [&]<class Item>() {
    for_each_item(count, threads, [&](std::size_t k) {
      const auto index = load_integer<Item>(elements.items, k, array.header.is_swapped);
      if (std::cmp_less(index, 0) || std::cmp_greater_equal(index, extent)) {
        fail_item(array, k, index, extent == 0 ? "none" : "0 to " + std::to_string(extent - 1));
      }
      indices[k] = static_cast<Ordinal>(index);
    });
  });
  return indices;
}

/// Calls store(k, value) for the first `count` values, in parallel.
template <class Scalar, class Store>
void load_values(const char* items, const NpzArray& array, std::size_t count, int threads, const Store& store) {
  const std::string where = array.where + ": element";
  visit_numbers<is_complex<Scalar>>(array.header, array.where, [&]<class Item>() {
    for_each_item(count, threads, [&](std::size_t k) {
      const Item item = load_item<Item>(items, k, array.header.is_swapped);
      store(k, convert_value<std::runtime_error, Scalar>(item, where, k));
    });
  });
}

template <class Scalar>
std::vector<Scalar> load_values(const ZipArchive& archive, const NpzArray& array, std::size_t count, int threads) {
  const Elements elements = unpack(archive, array);
  std::vector<Scalar> values(count);
  load_values<Scalar>(elements.items, array, count, threads, [&](std::size_t k, const Scalar& v) { values[k] = v; });
  return values;
}

/// What reading needs beside the archive.
struct Job {
  const ZipArchive& archive;
  const SparseArrays& arrays;
  int threads;
  const Progress& progress;
};

template <class Scalar>
HostCsr<Scalar> read_rows(const Job& job) {
  const auto& [archive, arrays, threads, progress] = job;
  HostCsr<Scalar> matrix;
  matrix.rows = arrays.rows;
  matrix.columns = arrays.columns;
  matrix.row_offsets = load_offsets(archive, arrays.offsets, arrays.entries);
  const std::size_t count = matrix.row_offsets.back();
  matrix.column_indices = load_indices(archive, arrays.column_indices, count, arrays.columns, threads);
  progress(0.4);
  matrix.values = load_values<Scalar>(archive, arrays.values, count, threads);
  progress(0.8);
  make_canonical(matrix, threads);
  return matrix;
}

/// Entries in the order of a file.
template <class Scalar>
struct StoredEntries {
  std::vector<Ordinal> rows, columns;
  std::vector<Scalar> values;
};

/// Returns the column of each entry of compressed columns.
std::vector<Ordinal> expanded(const std::vector<std::size_t>& offsets) {
  std::vector<Ordinal> columns(offsets.back());
  for (std::size_t column = 0; column + 1 < offsets.size(); ++column) {
    std::fill(columns.begin() + static_cast<std::ptrdiff_t>(offsets[column]),
              columns.begin() + static_cast<std::ptrdiff_t>(offsets[column + 1]), static_cast<Ordinal>(column));
  }
  return columns;
}

template <class Scalar>
StoredEntries<Scalar> load_entries(const Job& job) {
  const auto& [archive, arrays, threads, progress] = job;
  StoredEntries<Scalar> stored;
  if (arrays.format == SparseArrays::Format::Csc) {
    stored.columns = expanded(load_offsets(archive, arrays.offsets, arrays.entries));
  } else {
    stored.columns = load_indices(archive, arrays.column_indices, arrays.entries, arrays.columns, threads);
  }
  const std::size_t count = stored.columns.size();
  stored.rows = load_indices(archive, arrays.row_indices, count, arrays.rows, threads);
  progress(0.3);
  stored.values = load_values<Scalar>(archive, arrays.values, count, threads);
  return stored;
}

constexpr std::size_t pieces_of(std::size_t entries) { return (entries + items_at_a_time - 1) / items_at_a_time; }

template <class Scalar>
HostCsr<Scalar> read_entries(const Job& job) {
  RowAssembler<Scalar> assembler(job.arrays.rows, job.arrays.columns, pieces_of(job.arrays.entries));
  {
    const auto stored = load_entries<Scalar>(job);
    const std::size_t count = stored.values.size();
    parallel_for(job.threads, pieces_of(count), [&](std::size_t piece, int) {
      const std::size_t end = std::min(count, (piece + 1) * items_at_a_time);
      std::vector<Entry<Scalar>> entries;
      entries.reserve(items_at_a_time);
      for (std::size_t k = piece * items_at_a_time; k < end; ++k) {
        entries.push_back({stored.rows[k], stored.columns[k], stored.values[k]});
      }
      assembler.add(piece, entries);
    });
  }
  return assembler.assemble(job.threads, job.progress.part(0.6, 1));
}

/// Returns the peak bytes of reading a matrix, without the file.
template <class Scalar>
double bytes_of_reading(const ZipArchive& archive, const SparseArrays& arrays, int threads) {
  const auto entries = static_cast<double>(arrays.entries);
  double unpacked = 0;
  for (const NpzArray* array : {&arrays.offsets, &arrays.row_indices, &arrays.column_indices, &arrays.values}) {
    if (array->member != nullptr) unpacked = std::max(unpacked, archive.bytes_to_unpack(*array->member));
  }
  if (arrays.format == SparseArrays::Format::Csr) {
    return unpacked + 8.0 * (static_cast<double>(arrays.rows) + 1) + entries * (sizeof(Ordinal) + sizeof(Scalar));
  }
  const bool has_offsets = arrays.format == SparseArrays::Format::Csc;
  const double offsets = has_offsets ? 8.0 * static_cast<double>(arrays.offsets.length()) : 0;
  const double stored = entries * (2 * sizeof(Ordinal) + sizeof(Scalar));
  const std::size_t pieces = pieces_of(arrays.entries);
  return std::max({unpacked + offsets + stored,
                   stored + RowAssembler<Scalar>::bytes_of_pieces(arrays.rows, entries, pieces),
                   RowAssembler<Scalar>::bytes(arrays.rows, entries, pieces, threads)});
}

/// Throws unless the memory suffices for `bytes` bytes beside the file.
void check_memory(double bytes, std::string_view file, const std::string& name, const ReadOptions& options) {
  const double of_file = options.memory_limit > 0 ? static_cast<double>(file.size()) : 0;
  require_memory(bytes + of_file, options.memory_limit, name + ": the matrix");
}

template <class Scalar>
void check_scalar(const NpzArray& array, const std::string& name) {
  if (!array.header.is_complex() || is_complex<Scalar>) return;
  throw std::invalid_argument(name + ": the matrix is complex, expected a real one for the scalar type " +
                              real_name<Scalar>);
}

template <class Scalar>
HostCsr<Scalar> parse_sparse(std::string_view bytes, const std::string& name, const ReadOptions& options,
                             const Progress& progress) {
  expect_numpy_magic(bytes, name);
  if (has_npy_magic(bytes)) reject_array(name);
  const ZipArchive archive(FileBytes(bytes), name);
  const SparseArrays arrays = sparse_arrays(archive);
  check_scalar<Scalar>(arrays.values, name);
  const int threads = thread_count(options.threads);
  check_memory(bytes_of_reading<Scalar>(archive, arrays, threads), bytes, name, options);
  const Job job{archive, arrays, threads, progress};
  HostCsr<Scalar> matrix =
      arrays.format == SparseArrays::Format::Csr ? read_rows<Scalar>(job) : read_entries<Scalar>(job);
  progress(1);
  return matrix;
}

/// Copies the elements of an array to a column-major matrix.
template <class Scalar>
HostDense<Scalar> load_dense(const char* items, const NpzArray& array, int threads) {
  HostDense<Scalar> dense{array.length(), array.columns(), std::vector<Scalar>(array.header.count)};
  if (array.header.is_column_major) {
    load_values<Scalar>(items, array, dense.values.size(), threads,
                        [&](std::size_t k, const Scalar& value) { dense.values[k] = value; });
  } else {
    load_values<Scalar>(items, array, dense.values.size(), threads, [&](std::size_t k, const Scalar& value) {
      dense.values[k / dense.columns + k % dense.columns * dense.rows] = value;
    });
  }
  return dense;
}

template <class Scalar>
HostDense<Scalar> parse_dense(std::string_view bytes, const std::string& name, const ReadOptions& options,
                              const Progress& progress) {
  const auto check = [&](const NpzArray& array, double unpacked) {
    expect_dense(array);
    check_scalar<Scalar>(array, name);
    check_memory(unpacked + static_cast<double>(array.header.count) * sizeof(Scalar), bytes, name, options);
  };
  expect_numpy_magic(bytes, name);
  const int threads = thread_count(options.threads);
  HostDense<Scalar> dense;
  if (has_npy_magic(bytes)) {
    const NpzArray array = npy_array(bytes, bytes.size(), name);
    check(array, 0);
    dense = load_dense<Scalar>(bytes.data() + array.header.bytes, array, threads);
  } else {
    const ZipArchive archive(FileBytes(bytes), name);
    const NpzArray array = only_npz_array(archive);
    check(array, archive.bytes_to_unpack(*array.member));
    dense = load_dense<Scalar>(unpack(archive, array).items, array, threads);
  }
  progress(1);
  return dense;
}

/// Returns a function that throws if a file does not begin like one of NumPy.
auto magic_check(const std::string& path) {
  return [&path](std::string_view head) { expect_numpy_magic(head, path); };
}

}  // namespace
}  // namespace Impl

template <class Scalar>
HostCsr<Scalar> Impl::parse_numpy(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return Impl::parse_sparse<Scalar>(bytes, name, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostDense<Scalar> Impl::parse_dense_numpy(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return Impl::parse_dense<Scalar>(bytes, name, options, Impl::Progress(options.progress));
}

template <class Scalar>
HostCsr<Scalar> read_numpy(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, Impl::magic_check(path),
                              [&](std::string_view bytes, const Impl::Progress& progress) {
                                return Impl::parse_sparse<Scalar>(bytes, path, options, progress);
                              });
}

template <class Scalar>
HostDense<Scalar> read_dense_numpy(const std::string& path, const ReadOptions& options) {
  return Impl::read_and_parse(path, options, Impl::magic_check(path),
                              [&](std::string_view bytes, const Impl::Progress& progress) {
                                return Impl::parse_dense<Scalar>(bytes, path, options, progress);
                              });
}

#define TESSERA_INSTANTIATE(Scalar)                                                                             \
  template HostCsr<Scalar> Impl::parse_numpy(std::string_view, const std::string&, const ReadOptions&);         \
  template HostDense<Scalar> Impl::parse_dense_numpy(std::string_view, const std::string&, const ReadOptions&); \
  template HostCsr<Scalar> read_numpy(const std::string&, const ReadOptions&);                                  \
  template HostDense<Scalar> read_dense_numpy(const std::string&, const ReadOptions&);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
