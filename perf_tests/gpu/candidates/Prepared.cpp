// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Prepared.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <tessera/parallel/FormatTooLarge.hpp>
#include <typeinfo>
#include <vector>

#include "LibraryArrays.hpp"
#include "bcsr/Bcsr.hpp"
#include "bittcf/BitTcf.hpp"
#include "bmat/Bmat.hpp"
#include "brp/BlockRowPartition.hpp"
#include "row_groups/RowGroups.hpp"
#include "sorted_columns/SortedColumns.hpp"
#include "staged/StagedWindows.hpp"

namespace Tessera::Bench {

namespace {

/// The elements of an array as values of Scalar.
template <class Scalar>
DeviceArray<Scalar> rounded(const std::vector<double>& values) {
  return DeviceArray<Scalar>(std::vector<Scalar>(values.begin(), values.end()));
}

/// An archive for the transfer() of formats. It copies each array to the host or to the GPU and leaves a View of the
/// copy in its place, whatever the memory space of the View's type.
template <template <class> class Copy>
class Copies {
 public:
  template <class... Fields>
  void fields(const char*, Fields&...) {}
  template <class T>
  void array(const char*, Array<T>& array) {
    const auto copy = std::make_shared<Copy<T>>(array.extent(0));
    bytes_ += array.extent(0) * sizeof(T);
    if (array.extent(0) > 0)
      check(cudaMemcpy(copy->data(), array.data(), array.extent(0) * sizeof(T), cudaMemcpyDefault), "copy of a format");
    array = {typename Array<T>::Unowned(copy->data(), array.extent(0)), nullptr};
    copies_.push_back(copy);
  }
  std::size_t bytes() const { return bytes_; }
  std::shared_ptr<const void> keep() { return std::make_shared<decltype(copies_)>(std::move(copies_)); }

 private:
  std::vector<std::shared_ptr<const void>> copies_;
  std::size_t bytes_ = 0;
};
template <class T>
using HostArray = std::vector<T>;

/// A pattern, and a value for each of its places.
template <class Format>
struct WithValues {
  Format format;
  std::vector<double> values;
};

using Rows = Csr<int, Memory>;

/// The values that `map` takes from those of the rows.
std::vector<double> placed_values(const HostMatrix& A, const ValueMap<int, Memory>& map, std::size_t places) {
  const Array<double> source = to_space(A.values);
  const auto target = Impl::allocate<Array<double>>(Space(), "values", places);
  gather_values<Space, int, double>(Space(), {}, map, source.data(), target.data(), places);
  return to_host(target);
}

template <class Format>
WithValues<Format> build(const HostMatrix& A, const Rows& rows, const FormatParameters& parameters,
                         std::size_t value_bytes) {
  auto built = Format::build(Space(), rows, parameters, value_bytes);
  Kokkos::fence();
  return {built.pattern, placed_values(A, built.values, built.pattern.places())};
}

/// Condensed windows of two strips.
struct TwoStripFormat {
  int rows = 0, columns = 0;
  Array<int> window_offsets, tile_offsets, tile_columns;
  Array<std::uint64_t> tile_masks;

  Cuda::CondensedPattern<int> view() const {
    return {rows, columns, 2, window_offsets.data(), tile_offsets.data(), tile_columns.data(), tile_masks.data()};
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.array("window_offsets", window_offsets);
    file.array("tile_offsets", tile_offsets);
    file.array("tile_columns", tile_columns);
    file.array("tile_masks", tile_masks);
  }
};

/// BMat has the same tiles. Word w of a tile holds 4 of the columns of 8 rows (BmatView.hpp).
WithValues<TwoStripFormat> two_strips(const WithValues<Bmat<int, Memory>>& bmat) {
  const std::vector<std::uint32_t> words = to_host(bmat.format.tile_words);
  std::vector<std::uint64_t> masks(words.size() / 2);
  std::vector<int> tile_offsets{0};
  std::vector<double> values;
  values.reserve(bmat.values.size());
  for (std::size_t tile = 0; tile < words.size() / 4; ++tile) {
    double blocks[2][64];
    std::size_t place = values.size();
    for (int w = 0; w < 4; ++w) {
      for (std::uint32_t word = words[4 * tile + w]; word != 0; word &= word - 1) {
        const int bit = std::countr_zero(word), strip_bit = bit / 4 * 8 + w / 2 * 4 + bit % 4;
        masks[2 * tile + w % 2] |= std::uint64_t(1) << strip_bit;
        blocks[w % 2][strip_bit] = bmat.values[place++];
      }
    }
    for (const int strip : {0, 1}) {
      for (std::uint64_t mask = masks[2 * tile + strip]; mask != 0; mask &= mask - 1)
        values.push_back(blocks[strip][std::countr_zero(mask)]);
    }
    tile_offsets.push_back(static_cast<int>(values.size()));
  }
  return {{bmat.format.rows, bmat.format.columns, bmat.format.window_offsets, to_space(tile_offsets),
           bmat.format.tile_columns, to_space(masks)},
          std::move(values)};
}

using SortedFormat = SortedColumns<int, Memory>;

/// Pieces of the same column become one.
void join_pieces(SortedFormat& B) {
  const std::vector<std::uint32_t> columns = to_host(B.piece_columns);
  const std::vector<int> offsets = to_host(B.piece_offsets);
  std::vector<std::uint32_t> joined;
  std::vector<int> joined_offsets{offsets[0]};
  for (std::size_t piece = 0; piece < columns.size(); ++piece) {
    if (piece > 0 && columns[piece] == columns[piece - 1]) {
      joined_offsets.back() = offsets[piece + 1];
    } else {
      joined.push_back(columns[piece]);
      joined_offsets.push_back(offsets[piece + 1]);
    }
  }
  B.piece_columns = to_space(joined);
  B.piece_offsets = to_space(joined_offsets);
}

/// Pieces alone: the columns by length, the longest first, each cut into pieces of up to 32 entries.
WithValues<SortedFormat> irregular_columns(const HostMatrix& A, const Rows& rows) {
  const auto turned = transpose(Space(), rows.view(), rows.nonzeros);
  const std::vector<double> values = placed_values(A, turned.values, rows.nonzeros);
  const std::vector<int> offsets = to_host(turned.pattern.row_offsets);
  const std::vector<int> entry_rows = to_host(turned.pattern.column_indices);
  const auto length = [&](int column) { return offsets[column + 1] - offsets[column]; };
  std::vector<int> order, row_indices, piece_offsets{0};
  for (int column = 0; column < A.columns; ++column)
    if (length(column) > 0) order.push_back(column);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length(a) < length(b); });
  std::vector<std::uint32_t> piece_columns;
  std::vector<double> placed;
  for (std::size_t from_right = 0; from_right < order.size(); ++from_right) {
    const int column = order[order.size() - 1 - from_right];
    for (int begin = offsets[column]; begin < offsets[column + 1]; begin += 32) {
      const int end = std::min(begin + 32, offsets[column + 1]);
      row_indices.insert(row_indices.end(), entry_rows.begin() + begin, entry_rows.begin() + end);
      placed.insert(placed.end(), values.begin() + begin, values.begin() + end);
      piece_columns.push_back(static_cast<std::uint32_t>(from_right));
      piece_offsets.push_back(static_cast<int>(placed.size()));
    }
  }
  SortedFormat B;
  B.rows = A.rows, B.columns = A.columns, B.nonzeros = placed.size();
  B.width = B.height = 32;
  B.column_order = to_space(order);
  B.block_offsets = to_space(std::vector<int>{0});
  B.row_indices = to_space(row_indices);
  B.piece_offsets = to_space(piece_offsets);
  B.piece_columns = to_space(piece_columns);
  return {B, std::move(placed)};
}

template <class Build>
auto build_in(const HostMatrix& A, const FormatParameters& parameters, std::size_t value_bytes) {
  const Rows rows{A.rows, A.columns, A.values.size(), to_space(A.row_offsets), to_space(A.column_indices)};
  if constexpr (std::is_same_v<Build, BuildBitTcf>) return build<BitTcf<int, Memory>>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildBmat>) return build<Bmat<int, Memory>>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildBmatStrips>)
    return two_strips(build<Bmat<int, Memory>>(A, rows, parameters, value_bytes));
  if constexpr (std::is_same_v<Build, BuildBrp>)
    return build<BlockRowPartition<int, Memory>>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildBcsr>) return build<Bcsr<int, Memory>>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildStaged>)
    return build<StagedWindows<int, Memory>>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildRowGroups>)
    return build<RowGroups<int, Memory>>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildSortedColumns>) return build<SortedFormat>(A, rows, parameters, value_bytes);
  if constexpr (std::is_same_v<Build, BuildIrregularColumns>) return irregular_columns(A, rows);
  if constexpr (std::is_same_v<Build, BuildWholeColumns>) {
    auto built = build<SortedFormat>(A, rows, parameters, value_bytes);
    join_pieces(built.format);
    return built;
  }
}

/// Tells matrices apart: FNV-1a over sizes, addresses and up to a few thousand elements of each array.
std::uint64_t hash(const HostMatrix& A) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t word) { h = (h ^ word) * 0x100000001b3u; };
  const auto add_sample = [&](const auto& array) {
    add(reinterpret_cast<std::uintptr_t>(array.data()));
    add(array.size());
    for (std::size_t i = 0; i < array.size(); i += 1 + array.size() / 4096) {
      if constexpr (sizeof(array[0]) == 8) {
        add(std::bit_cast<std::uint64_t>(array[i]));
      } else {
        add(std::bit_cast<std::uint32_t>(array[i]));
      }
    }
  };
  add(static_cast<std::uint64_t>(A.columns));
  add_sample(A.row_offsets);
  add_sample(A.column_indices);
  add_sample(A.values);
  return h;
}

/// What was prepared last.
struct Kept {
  const std::type_info* way;
  std::size_t value_bytes;
  std::uint64_t matrix;
  std::array<int, sizeof(FormatParameters) / sizeof(int)> parameters;
  std::shared_ptr<const void> prepared;

  bool is(const Kept& other) const {
    return *way == *other.way && value_bytes == other.value_bytes && matrix == other.matrix &&
           parameters == other.parameters;
  }
};
std::deque<Kept> last_kept;
constexpr std::size_t most_kept = 4;

/// Builds a format and copies it.
template <class Build, class Scalar>
PreparedBy<Build, Scalar> make(const HostMatrix& A, const FormatParameters& parameters) {
  const auto built = build_in<Build>(A, parameters, sizeof(Scalar));
  auto host = built.format, device = built.format;
  Copies<HostArray> host_copies;
  Copies<DeviceArray> device_copies;
  host.transfer(host_copies);
  device.transfer(device_copies);
  const auto result = std::make_shared<Prepared<typename Build::Pattern, Scalar>>();
  result->host = host.view();
  result->device = device.view();
  result->values = rounded<Scalar>(built.values);
  result->pattern_bytes = device_copies.bytes();
  result->host_arrays = host_copies.keep();
  result->device_arrays = device_copies.keep();
  return result;
}

}  // namespace

template <class Build, class Scalar>
PreparedBy<Build, Scalar> prepared(const HostMatrix& A, const FormatParameters& parameters) {
  using Result = const Prepared<typename Build::Pattern, Scalar>;
  Kept wanted{&typeid(Build), sizeof(Scalar), hash(A), std::bit_cast<decltype(Kept::parameters)>(parameters), nullptr};
  for (const Kept& kept : last_kept)
    if (kept.is(wanted)) return std::static_pointer_cast<Result>(kept.prepared);
  if (last_kept.size() == most_kept) last_kept.pop_front();
  try {
    const auto result = make<Build, Scalar>(A, parameters);
    wanted.prepared = result;
    last_kept.push_back(wanted);
    return result;
  } catch (const FormatTooLarge&) {
    return nullptr;
  }
}

Builders::Builders() { Kokkos::initialize(); }
Builders::~Builders() {
  last_kept.clear();
  Kokkos::finalize();
}

#define TESSERA_INSTANTIATE(Build)                                                                      \
  template PreparedBy<Build, float> prepared<Build, float>(const HostMatrix&, const FormatParameters&); \
  template PreparedBy<Build, double> prepared<Build, double>(const HostMatrix&, const FormatParameters&);
TESSERA_INSTANTIATE(BuildBitTcf)
TESSERA_INSTANTIATE(BuildBmat)
TESSERA_INSTANTIATE(BuildBmatStrips)
TESSERA_INSTANTIATE(BuildBrp)
TESSERA_INSTANTIATE(BuildBcsr)
TESSERA_INSTANTIATE(BuildStaged)
TESSERA_INSTANTIATE(BuildRowGroups)
TESSERA_INSTANTIATE(BuildSortedColumns)
TESSERA_INSTANTIATE(BuildIrregularColumns)
TESSERA_INSTANTIATE(BuildWholeColumns)

}  // namespace Tessera::Bench
