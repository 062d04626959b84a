// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/Numpy.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <tessera/io/ReadOrGenerate.hpp>
#include <vector>

#include "NumpyFiles.hpp"
#include "TestFiles.hpp"

namespace {

using Csr = Tessera::HostCsr<double>;
using Dense = Tessera::HostDense<double>;
using Complex = std::complex<double>;

std::string scipy_file(const std::string& name) { return std::string(TESSERA_NUMPY_FILES) + "/" + name; }

/// The matrix of the files that SciPy wrote, and of the members below.
const Csr a{3, 4, {0, 2, 2, 4}, {0, 2, 1, 3}, {1.5, -2, 3, 4.25}};

/// The members of a file of the matrix `a`.
std::vector<Member> csr_members() {
  return {{"indices.npy", npy_vector<std::int32_t>("<i4", {0, 2, 1, 3})},
          {"indptr.npy", npy_vector<std::int32_t>("<i4", {0, 2, 2, 4})},
          {"format.npy", npy("|S3", "()", "csr")},
          {"shape.npy", npy_vector<std::int64_t>("<i8", {3, 4})},
          {"data.npy", npy_vector<double>("<f8", {1.5, -2, 3, 4.25})}};
}

std::vector<Member> coo_members() {
  return {{"row.npy", npy_vector<std::int32_t>("<i4", {2, 0, 2, 0})},
          {"col.npy", npy_vector<std::int32_t>("<i4", {3, 2, 1, 0})},
          {"format.npy", npy("|S3", "()", "coo")},
          {"shape.npy", npy_vector<std::int64_t>("<i8", {3, 4})},
          {"data.npy", npy_vector<double>("<f8", {4.25, -2, 3, 1.5})}};
}

std::vector<Member> csc_members() {
  return {{"indices.npy", npy_vector<std::int32_t>("<i4", {0, 2, 0, 2})},
          {"indptr.npy", npy_vector<std::int32_t>("<i4", {0, 1, 2, 3, 4})},
          {"format.npy", npy("|S3", "()", "csc")},
          {"shape.npy", npy_vector<std::int64_t>("<i8", {3, 4})},
          {"data.npy", npy_vector<double>("<f8", {1.5, 3, -2, 4.25})}};
}

/// Returns members with another content of one of them, or with a further one.
std::vector<Member> with(std::vector<Member> members, const std::string& name, const std::string& content) {
  for (Member& member : members) {
    if (member.name != name) continue;
    member.content = content;
    return members;
  }
  members.push_back({name, content});
  return members;
}

std::vector<Member> without(std::vector<Member> members, const std::string& name) {
  std::erase_if(members, [&](const Member& member) { return member.name == name; });
  return members;
}

Csr parsed(const std::vector<Member>& members, const ZipStyle& style = {}) {
  return Tessera::Impl::parse_numpy<double>(zip(members, style), "a.npz");
}

std::string error_of(const std::string& file) {
  return thrown_by([&] { Tessera::Impl::parse_numpy<double>(file, "a.npz"); });
}

std::string dense_error_of(const std::string& file, const std::string& name = "x.npy") {
  return thrown_by([&] { Tessera::Impl::parse_dense_numpy<double>(file, name); });
}

TEST(Numpy, FilesOfSciPy) {
  for (const char* name :
       {"csr.npz", "csr_stored.npz", "csc.npz", "coo.npz", "csr_array.npz", "csr_long.npz", "csr_streamed.npz"}) {
    EXPECT_EQ(Tessera::read_matrix<double>(scipy_file(name)), a) << name;
    EXPECT_EQ(Tessera::read_numpy<double>(scipy_file(name)), a) << name;
    EXPECT_EQ(Tessera::read_or_generate(scipy_file(name)), a) << name;
    const auto header = Tessera::read_matrix_header(scipy_file(name));
    EXPECT_EQ(header.rows, 3U) << name;
    EXPECT_EQ(header.columns, 4U) << name;
    EXPECT_FALSE(header.is_complex) << name;
  }
  EXPECT_EQ(Tessera::read_matrix<float>(scipy_file("coo_integer.npz")),
            (Tessera::HostCsr<float>{3, 4, {0, 2, 2, 4}, {0, 2, 1, 3}, {1, -2, 3, 4}}));
  const std::string complex = scipy_file("csc_complex.npz");
  EXPECT_TRUE(Tessera::read_matrix_header(complex).is_complex);
  EXPECT_EQ(Tessera::read_matrix<Complex>(complex),
            (Tessera::HostCsr<Complex>{3, 4, {0, 2, 2, 4}, {0, 2, 1, 3}, {{1.5, 3}, {-2, -4}, {3, 6}, {4.25, 8.5}}}));
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(complex); }),
            "invalid_argument: " + complex + ": the matrix is complex, expected a real one for the scalar type double");
}

TEST(Numpy, FilesOfNumPy) {
  const Dense x{3, 2, {1, 3, 5, 2, 4, 6.5}};
  for (const char* name : {"x.npy", "x_by_columns.npy", "x_big_endian.npy", "x.npz", "x_version_3.npy"}) {
    EXPECT_EQ(Tessera::read_dense_matrix<double>(scipy_file(name)), x) << name;
    EXPECT_EQ(Tessera::read_dense_numpy<double>(scipy_file(name)), x) << name;
    const auto header = Tessera::Impl::read_dense_header(scipy_file(name));
    EXPECT_EQ(header.rows, 3U) << name;
    EXPECT_EQ(header.columns, 2U) << name;
  }
  EXPECT_EQ(Tessera::read_dense_matrix<double>(scipy_file("vector.npy")), (Dense{3, 1, {1, 3, 5}}));
  EXPECT_EQ(Tessera::Impl::read_dense_header(scipy_file("vector.npy")).columns, 1U);
  EXPECT_TRUE(Tessera::Impl::read_dense_header(scipy_file("x_complex.npz")).is_complex);
  EXPECT_EQ(Tessera::read_dense_matrix<Complex>(scipy_file("x_complex.npz")).values[5], Complex(0, 6.5));
  EXPECT_EQ(thrown_by([] { Tessera::read_dense_matrix<float>(scipy_file("x_complex.npz")); }),
            "invalid_argument: " + scipy_file("x_complex.npz") +
                ": the matrix is complex, expected a real one for the scalar type float");
  const TemporaryFolder folder;
  EXPECT_EQ(Tessera::read_dense_matrix<double>(folder.add("x.npy.gz", gzip(content_of(scipy_file("x.npy"))))), x);
}

TEST(Numpy, OtherFormatsOfSciPyAreNamed) {
  const std::string known = "\", expected \"csr\", \"csc\" or \"coo\"; convert the matrix, for example by A.tocsr()";
  for (const std::string format : {"bsr", "dia"}) {
    const std::string path = scipy_file(format + ".npz");
    const std::string message = "runtime_error: " + path + ": member format.npy: names the format \"" + format + known;
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_header(path); }), message);
  }
  EXPECT_EQ(thrown_by([] { Tessera::read_matrix<double>(scipy_file("coo_vector.npz")); }),
            "runtime_error: " + scipy_file("coo_vector.npz") +
                ": member shape.npy: has the shape (1,), expected (2,): a matrix has rows and columns");
  EXPECT_EQ(thrown_by([] { Tessera::read_matrix<double>(scipy_file("csr_lzma.npz")); }),
            "runtime_error: " + scipy_file("csr_lzma.npz") +
                ": member format.npy is compressed by LZMA, expected deflate or none (numpy.savez_compressed, "
                "numpy.savez)");
  EXPECT_EQ(thrown_by([] { Tessera::read_dense_matrix<double>(scipy_file("objects.npy")); }),
            "runtime_error: " + scipy_file("objects.npy") +
                ": holds objects of Python (type \"|O\"), which are not read, expected numbers");
}

TEST(Numpy, SparseAndDenseAreNotConfused) {
  const std::string sparse = scipy_file("csr.npz"), dense = scipy_file("x.npy"), two = scipy_file("two_arrays.npz");
  const std::string no_sparse =
      "invalid_argument: " + dense +
      ": is a dense array of NumPy, expected a sparse matrix; scipy.sparse.save_npz writes one";
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(dense); }), no_sparse);
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_header(dense); }), no_sparse);
  const std::string no_dense =
      "invalid_argument: " + sparse + ": holds a sparse matrix of SciPy, expected one dense array of NumPy";
  EXPECT_EQ(thrown_by([&] { Tessera::read_dense_matrix<double>(sparse); }), no_dense);
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::read_dense_header(sparse); }), no_dense);
  EXPECT_EQ(thrown_by([&] { Tessera::read_dense_matrix<double>(two); }),
            "invalid_argument: " + two + ": expected one array, found X.npy, Y.npy");
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(two); }),
            "invalid_argument: " + two +
                ": expected a sparse matrix as scipy.sparse.save_npz writes it (format.npy, shape.npy, data.npy, ...), "
                "found X.npy, Y.npy");
  EXPECT_EQ(error_of(zip({})),
            "invalid_argument: a.npz: expected a sparse matrix as scipy.sparse.save_npz writes it (format.npy, "
            "shape.npy, data.npy, ...), found no member");
  // An array of any name is dense if it is alone.
  for (const char* name : {"format.npy", "shape.npy"}) {
    const std::string file = zip({{name, npy_vector<double>("<f8", {1, 2})}});
    EXPECT_EQ(Tessera::Impl::parse_dense_numpy<double>(file, "a"), (Dense{2, 1, {1, 2}})) << name;
  }
  EXPECT_EQ(error_of("%%MatrixMarket"),
            "runtime_error: a.npz: expected an array of NumPy (.npy) or a zip archive of such arrays (.npz)");
}

TEST(Numpy, EveryWayOfWritingAnArchive) {
  for (const bool is_compressed : {false, true}) {
    for (const bool is_wide : {false, true}) {
      for (const bool is_streamed : {false, true}) {
        const ZipStyle style{is_compressed, is_wide, is_streamed, "PK\x05\x06 in a comment"};
        EXPECT_EQ(parsed(csr_members(), style), a) << is_compressed << is_wide << is_streamed;
        EXPECT_EQ(parsed(csc_members(), style), a) << is_compressed << is_wide << is_streamed;
        EXPECT_EQ(parsed(coo_members(), style), a) << is_compressed << is_wide << is_streamed;
      }
    }
  }
  std::vector<Member> reversed = csr_members();
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(parsed(reversed), a);
  EXPECT_EQ(parsed(with(csr_members(), "_is_array.npy", npy("|b1", "()", "\x01"))), a);
  EXPECT_EQ(parsed(with(csr_members(), "format.npy", npy("<U3", "()", std::string("c\0\0\0s\0\0\0r\0\0\0", 12)))), a);
}

template <class Index>
void expect_indices(const std::string& name) {
  const bool is_one_byte = sizeof(Index) == 1;
  for (const char order : {'<', '>'}) {
    const std::string type = (is_one_byte ? '|' : order) + name;
    const std::size_t swapped = order == '>' ? sizeof(Index) : 0;
    const auto vector = [&](const std::vector<Index>& numbers) {
      return npy(type, "(" + std::to_string(numbers.size()) + ",)", items(numbers, swapped));
    };
    auto csr = with(csr_members(), "indices.npy", vector({0, 2, 1, 3}));
    csr = with(csr, "indptr.npy", vector({0, 2, 2, 4}));
    EXPECT_EQ(parsed(with(csr, "shape.npy", vector({3, 4}))), a) << type;
    auto coo = with(coo_members(), "row.npy", vector({2, 0, 2, 0}));
    EXPECT_EQ(parsed(with(coo, "col.npy", vector({3, 2, 1, 0}))), a) << type;
  }
}

TEST(Numpy, IndicesOfEveryType) {
  expect_indices<std::int8_t>("i1");
  expect_indices<std::int16_t>("i2");
  expect_indices<std::int32_t>("i4");
  expect_indices<std::int64_t>("i8");
  expect_indices<std::uint8_t>("u1");
  expect_indices<std::uint16_t>("u2");
  expect_indices<std::uint32_t>("u4");
  expect_indices<std::uint64_t>("u8");
}

/// Values 1, 2, 0 and 4, as an array of each type, become those of each scalar.
template <class Value>
void expect_values(const std::string& name, std::size_t part = sizeof(Value)) {
  for (const char order : {'<', '>'}) {
    const std::string type = (sizeof(Value) == 1 ? '|' : order) + name;
    const std::string array = npy(type, "(4,)", items(std::vector<Value>{1, 2, 0, 4}, order == '>' ? part : 0));
    const std::string file = zip(with(csr_members(), "data.npy", array));
    const std::vector<std::size_t> offsets{0, 2, 2, 4};
    EXPECT_EQ(Tessera::Impl::parse_numpy<Complex>(file, "a"),
              (Tessera::HostCsr<Complex>{3, 4, offsets, {0, 2, 1, 3}, {1, 2, 0, 4}}))
        << type;
    if (name[0] == 'c') continue;
    EXPECT_EQ(Tessera::Impl::parse_numpy<float>(file, "a"),
              (Tessera::HostCsr<float>{3, 4, offsets, {0, 2, 1, 3}, {1, 2, 0, 4}}))
        << type;
    EXPECT_EQ(Tessera::Impl::parse_dense_numpy<double>(array, "a"), (Dense{4, 1, {1, 2, 0, 4}})) << type;
  }
}

TEST(Numpy, ValuesOfEveryType) {
  expect_values<std::int8_t>("i1");
  expect_values<std::int16_t>("i2");
  expect_values<std::int32_t>("i4");
  expect_values<std::int64_t>("i8");
  expect_values<std::uint8_t>("u1");
  expect_values<std::uint16_t>("u2");
  expect_values<std::uint32_t>("u4");
  expect_values<std::uint64_t>("u8");
  expect_values<float>("f4");
  expect_values<double>("f8");
  expect_values<std::complex<float>>("c8", 4);
  expect_values<std::complex<double>>("c16", 8);
  EXPECT_EQ(Tessera::Impl::parse_dense_numpy<double>(npy("|b1", "(3,)", std::string("\0\1\2", 3)), "a"),
            (Dense{3, 1, {0, 1, 1}}));
}

TEST(Numpy, ValuesThatDoNotFit) {
  const std::string file = zip(with(csr_members(), "data.npy", npy_vector<double>("<f8", {1, 1e-300, 1e300, 2})));
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_numpy<float>(file, "a.npz"); }),
            "runtime_error: a.npz: member data.npy: element 2 is 1e+300, expected one within the range of float");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string fits = zip(with(csr_members(), "data.npy", npy_vector<double>("<f8", {1, 1e-300, infinity, 2})));
  EXPECT_EQ(Tessera::Impl::parse_numpy<float>(fits, "a.npz").values,
            (std::vector<float>{1, 0, std::numeric_limits<float>::infinity(), 2}));
}

TEST(Numpy, UnsortedEntriesAndDuplicates) {
  auto csr = with(csr_members(), "indices.npy", npy_vector<std::int32_t>("<i4", {2, 0, 3, 3}));
  EXPECT_EQ(parsed(csr), (Csr{3, 4, {0, 2, 2, 3}, {0, 2, 3}, {-2, 1.5, 7.25}}));
  auto csc = with(csc_members(), "indices.npy", npy_vector<std::int32_t>("<i4", {2, 0, 1, 1}));
  csc = with(csc, "indptr.npy", npy_vector<std::int32_t>("<i4", {0, 2, 2, 2, 4}));
  EXPECT_EQ(parsed(csc), (Csr{3, 4, {0, 1, 2, 3}, {0, 3, 0}, {3, 2.25, 1.5}}));
  const auto coo = with(coo_members(), "row.npy", npy_vector<std::int32_t>("<i4", {2, 0, 2, 2}));
  EXPECT_EQ(parsed(with(coo, "col.npy", npy_vector<std::int32_t>("<i4", {3, 0, 3, 0}))),
            (Csr{3, 4, {0, 1, 1, 3}, {0, 0, 3}, {-2, 1.5, 7.25}}));
}

/// SciPy ignores what lies beyond the last offset, too.
TEST(Numpy, EntriesBeyondTheLastOffsetDoNotCount) {
  auto csr = with(csr_members(), "indptr.npy", npy_vector<std::int32_t>("<i4", {0, 1, 1, 2}));
  csr = with(csr, "indices.npy", npy_vector<std::int32_t>("<i4", {0, 2, 99, 99}));
  EXPECT_EQ(parsed(csr), (Csr{3, 4, {0, 1, 1, 2}, {0, 2}, {1.5, -2}}));
  const auto csc = with(csc_members(), "indptr.npy", npy_vector<std::int32_t>("<i4", {0, 1, 1, 1, 2}));
  EXPECT_EQ(parsed(csc), (Csr{3, 4, {0, 1, 1, 2}, {0, 3}, {1.5, 3}}));
}

TEST(Numpy, EmptyMatrices) {
  for (const std::string format : {"csr", "csc", "coo"}) {
    const std::vector<Member> members = {{"format.npy", npy("|S3", "()", format)},
                                         {"shape.npy", npy_vector<std::int64_t>("<i8", {0, 0})},
                                         {"data.npy", npy("<f8", "(0,)", "")},
                                         {"indices.npy", npy("<i4", "(0,)", "")},
                                         {"indptr.npy", npy_vector<std::int32_t>("<i4", {0})},
                                         {"row.npy", npy("<i4", "(0,)", "")},
                                         {"col.npy", npy("<i4", "(0,)", "")}};
    EXPECT_EQ(parsed(members), (Csr{0, 0, {0}, {}, {}})) << format;
    EXPECT_EQ(parsed(members, {.is_compressed = true}), (Csr{0, 0, {0}, {}, {}})) << format;
  }
  EXPECT_EQ(Tessera::Impl::parse_dense_numpy<double>(npy("<f8", "(3, 0)", ""), "x"), (Dense{3, 0, {}}));
  EXPECT_EQ(Tessera::Impl::parse_dense_numpy<double>(npy("<f8", "(0, 3)", ""), "x"), (Dense{0, 3, {}}));
}

/// More entries than a thread converts at a time, in an archive that is longer than the part that is examined first.
TEST(Numpy, LargeMatrices) {
  const auto matrix = Tessera::Impl::generate_uniform(20000, 12, 1);
  std::vector<std::int64_t> rows, offsets(matrix.row_offsets.begin(), matrix.row_offsets.end());
  for (std::size_t row = 0; row < 20000; ++row) {
    rows.insert(rows.end(), matrix.row_offsets[row + 1] - matrix.row_offsets[row], static_cast<std::int64_t>(row));
  }
  const std::vector<Member> members = {{"indptr.npy", npy_vector("<i8", offsets)},
                                       {"indices.npy", npy_vector("<i4", matrix.column_indices)},
                                       {"row.npy", npy_vector("<i8", rows)},
                                       {"col.npy", npy_vector("<i4", matrix.column_indices)},
                                       {"format.npy", npy("|S3", "()", "csr")},
                                       {"shape.npy", npy_vector<std::int64_t>("<i8", {20000, matrix.columns})},
                                       {"data.npy", npy_vector("<f8", matrix.values)}};
  const TemporaryFolder folder;
  Tessera::ReadOptions options;
  options.threads = 3;
  for (const char* format : {"csr", "coo"}) {
    for (const bool is_compressed : {false, true}) {
      const auto named = with(members, "format.npy", npy("|S3", "()", format));
      const std::string path = folder.add("a.npz", zip(named, {.is_compressed = is_compressed}));
      EXPECT_EQ(Tessera::read_matrix<double>(path, options), matrix) << format << is_compressed;
      EXPECT_EQ(Tessera::read_matrix_header(path).rows, 20000U);
      double last = 0;
      Tessera::ReadOptions watched;
      watched.progress = [&](double fraction) {
        EXPECT_GE(fraction, last);
        last = fraction;
      };
      Tessera::read_matrix<double>(path, watched);
      EXPECT_EQ(last, 1.0);
    }
  }
}

TEST(Numpy, MemoryIsLimited) {
  const std::string zeros(std::size_t{8} << 20, '\0');
  std::vector<Member> members = with(csr_members(), "data.npy", npy("<f8", "(1048576,)", zeros));
  members = with(members, "indices.npy", npy("<i4", "(1048576,)", zeros.substr(0, zeros.size() / 2)));
  members = with(members, "indptr.npy", npy_vector<std::int32_t>("<i4", {0, 0, 0, 1 << 20}));
  Tessera::ReadOptions options;
  for (const std::string format : {"csr", "csc", "coo"}) {
    auto named = with(members, "format.npy", npy("|S3", "()", format));
    if (format != "csr") named = with(named, "row.npy", npy("<i4", "(1048576,)", zeros.substr(0, zeros.size() / 2)));
    if (format == "csc") {
      named = with(named, "indptr.npy", npy_vector<std::int32_t>("<i4", {0, 0, 0, 0, 1 << 20}));
    }
    if (format == "coo") named = with(named, "col.npy", npy("<i4", "(1048576,)", zeros.substr(0, zeros.size() / 2)));
    const std::string file = zip(named, {.is_compressed = true});
    ASSERT_LT(file.size(), std::size_t{1} << 16);
    options.memory_limit = std::size_t{10} << 20;
    const std::string message = thrown_by([&] { Tessera::Impl::parse_numpy<double>(file, "a.npz", options); });
    EXPECT_EQ(message.substr(0, 38), "runtime_error: a.npz: the matrix needs") << message;
    options.memory_limit = std::size_t{100} << 20;
    EXPECT_EQ(Tessera::Impl::parse_numpy<double>(file, "a.npz", options).rows, 3) << format;
  }
  options.memory_limit = std::size_t{10} << 20;
  const std::string dense = zip({{"x.npy", npy("<f8", "(1048576,)", zeros)}}, {.is_compressed = true});
  const std::string message = thrown_by([&] { Tessera::Impl::parse_dense_numpy<double>(dense, "x.npz", options); });
  EXPECT_EQ(message.substr(0, 38), "runtime_error: x.npz: the matrix needs") << message;
}

TEST(Numpy, ContradictoryArraysAreRejected) {
  const auto bad = [](const std::vector<Member>& members, const std::string& message) {
    EXPECT_EQ(error_of(zip(members)), "runtime_error: a.npz: " + message);
    EXPECT_EQ(error_of(zip(members, {.is_compressed = true})), "runtime_error: a.npz: " + message);
  };
  const auto i4 = [](const std::vector<std::int32_t>& numbers) { return npy_vector("<i4", numbers); };
  const auto csr = csr_members();
  const auto coo = coo_members();
  bad(with(csr, "indptr.npy", i4({1, 2, 2, 4})), "member indptr.npy: element 0 is 1, expected 0");
  bad(with(csr, "indptr.npy", i4({0, 3, 2, 4})), "member indptr.npy: element 2 is 2, expected 3 to 4");
  bad(with(csr, "indptr.npy", i4({0, 2, 2, 5})), "member indptr.npy: element 3 is 5, expected 2 to 4");
  bad(with(csr, "indptr.npy", i4({0, 2, 2, -1})), "member indptr.npy: element 3 is -1, expected 2 to 4");
  bad(with(csr, "indptr.npy", i4({0, 2, 4})),
      "member indptr.npy: has the shape (3,), expected (4,): one more than rows");
  bad(with(csc_members(), "indptr.npy", i4({0, 2, 4})),
      "member indptr.npy: has the shape (3,), expected (5,): one more than columns");
  bad(with(csr, "indices.npy", i4({0, 2, 4, 1})), "member indices.npy: element 2 is 4, expected 0 to 3");
  bad(with(csr, "indices.npy", i4({0, 2, -1, 1})), "member indices.npy: element 2 is -1, expected 0 to 3");
  bad(with(csc_members(), "indices.npy", i4({0, 2, 0, 3})), "member indices.npy: element 3 is 3, expected 0 to 2");
  bad(with(csr, "indices.npy", npy_vector<std::uint64_t>("<u8", {0, 2, 1, ~0ULL})),
      "member indices.npy: element 3 is 18446744073709551615, expected 0 to 3");
  bad(with(csr, "indices.npy", i4({0, 2, 1})),
      "member indices.npy: has the shape (3,), expected (4,): as many as in data.npy");
  bad(with(csr, "indices.npy", npy_vector<double>("<f8", {0, 2, 1, 3})),
      "member indices.npy: has elements of type \"<f8\", expected integers (i1, i2, i4, i8, u1, u2, u4, u8)");
  bad(with(coo, "row.npy", i4({2, 0, 3, 0})), "member row.npy: element 2 is 3, expected 0 to 2");
  bad(with(coo, "col.npy", i4({4, 0, 0, 0})), "member col.npy: element 0 is 4, expected 0 to 3");
  bad(with(coo, "col.npy", i4({1})), "member col.npy: has the shape (1,), expected (4,): as many as in data.npy");
  bad(with(coo, "shape.npy", i4({0, 4})), "member row.npy: element 0 is 2, expected none");
  bad(with(csr, "shape.npy", i4({-3, 4})), "member shape.npy: has -3 rows, expected 0 to 2147483647");
  bad(with(csr, "shape.npy", npy_vector<std::int64_t>("<i8", {3, std::int64_t{1} << 31})),
      "member shape.npy: has 2147483648 columns, expected 0 to 2147483647");
  bad(with(csr, "data.npy", npy("<f8", "(2, 2)", std::string(32, '\0'))),
      "member data.npy: has the shape (2, 2), expected one extent");
  bad(with(csr, "data.npy", npy("<f2", "(4,)", std::string(8, '\0'))),
      "member data.npy: has elements of type \"<f2\", expected numbers (b1, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, "
      "c8, "
      "c16)");
  bad(with(csr, "data.npy", npy("|O", "(4,)", "pickle")),
      "member data.npy: holds objects of Python (type \"|O\"), which are not read, expected numbers");
  bad(with(csr, "data.npy", npy("<f8", "(4,)", std::string(31, '\0'))),
      "member data.npy: has 31 bytes after its header, expected 32 for the shape (4,) of type \"<f8\"");
  bad(with(csr, "format.npy", npy_vector<double>("<f8", {1})),
      "member format.npy: has elements of type \"<f8\" and the shape (1,), expected one short text");
  bad(without(csr, "indptr.npy"), "expected a member indptr.npy, found indices.npy, format.npy, shape.npy, data.npy");
  bad(without(csr, "format.npy"), "expected a member format.npy, found indices.npy, indptr.npy, shape.npy, data.npy");
  bad(without(csr, "shape.npy"), "expected a member shape.npy, found indices.npy, indptr.npy, format.npy, data.npy");
  auto twice = csr;
  twice.push_back(csr.front());
  bad(twice, "member indices.npy occurs twice, expected it once");
}

TEST(Numpy, HeadersOfArrays) {
  const auto header = [](const std::string& text) {
    return "\x93NUMPY\1" + std::string(1, '\0') + little(text.size(), 2) + text + std::string(24, '\0');
  };
  const auto rows_of = [&](const std::string& text) {
    return Tessera::Impl::parse_dense_numpy<double>(header(text), "x").rows;
  };
  EXPECT_EQ(rows_of("{'shape':(3,),'descr':'<f8','fortran_order':False}"), 3U);
  EXPECT_EQ(rows_of("{\"shape\" : ( 3L , ) , \"descr\" : \"<f8\" , \"fortran_order\" : True , } \n"), 3U);
  const auto bad = [&](const std::string& text, const std::string& message) {
    EXPECT_EQ(dense_error_of(header(text)), "runtime_error: x.npy: " + message);
  };
  const std::string in_header = " in the header of an array, found ";
  bad("", "expected \"{\"" + in_header + "its end");
  bad("{'descr': '<f8', 'fortran_order': False}",
      "expected the keys descr, fortran_order and shape" + in_header + "its end");
  bad("{'descr': '<f8', 'fortran_order': 0, ", "expected True or False" + in_header + "\"0, \"");
  bad("{'shape': (-3,)", "expected an extent from 0 to 18446744073709551615" + in_header + "\"-3,)\"");
  bad("{'shape': (99999999999999999999,)",
      "expected an extent from 0 to 18446744073709551615" + in_header + "\"99999999999999999999\"");
  bad("{'shape': 3", "expected \"(\"" + in_header + "\"3\"");
  bad("{'order': 3", "expected the key descr, fortran_order or shape before" + in_header + "\" 3\"");
  bad("{'descr", "expected the end of a text" + in_header + "\"descr\"");
  bad("{'descr': [('x', '<f8')]", "holds structures, expected numbers");
  bad("{'descr': 'f8', 'fortran_order': False, 'shape': (3,)}", "expected a type such as \"<f8\", found \"f8\"");
  bad("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
      "has the shape (4294967296, 4294967296), which is larger than any memory");
  bad("{'descr': '<f8', 'fortran_order': False, 'shape': ()}",
      "has 24 bytes after its header, expected 8 for the shape () of type \"<f8\"");
  bad("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 3)}",
      "has the shape (1, 1, 3), expected one extent or two");
  EXPECT_EQ(dense_error_of("\x93NUMPY\4" + std::string(100, '\0')),
            "runtime_error: x.npy: is of version 4.0 of NumPy's format, expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(dense_error_of(npy("<f8", "(3,)", "").substr(0, 40)),
            "runtime_error: x.npy: ends within the header, which has " + std::to_string(npy("<f8", "(3,)", "").size()) +
                " bytes: it is truncated");
  EXPECT_EQ(dense_error_of("\x93NUMPY\2" + std::string(1, '\0') + little(70000, 4) + std::string(99, ' ')),
            "runtime_error: x.npy: has a header of 70000 bytes, expected at most 65524");
  EXPECT_EQ(Tessera::Impl::parse_dense_numpy<double>(npy("<f8", "(3,)", std::string(24, '\0'), false, 2), "x").rows,
            3U);
}

/// Returns the number of four bytes at a place of a file.
std::uint32_t number_after(const std::string& file, std::size_t place) {
  std::uint32_t number = 0;
  std::memcpy(&number, file.data() + place, sizeof number);
  return number;
}

/// Returns a file with other bytes at a distance from the first occurrence of a text.
std::string patched(std::string file, const std::string& where, std::size_t shift, const std::string& bytes) {
  const std::size_t place = file.find(where);
  if (place == std::string::npos) throw std::logic_error("the file has no such text");
  return file.replace(place + shift, bytes.size(), bytes);
}

TEST(Numpy, DamagedArchivesAreRejected) {
  const std::string file = zip(csr_members());
  const std::string entry("PK\x01\x02", 4), end("PK\x05\x06", 4);
  const auto bad = [](const std::string& content, const std::string& message) {
    EXPECT_EQ(error_of(content), "runtime_error: a.npz: " + message);
  };
  for (const std::size_t length : {std::size_t{100}, file.size() / 2, file.size() - 1}) {
    bad(file.substr(0, length),
        "is a zip archive, and has no directory at its end, expected the bytes PK\\5\\6 there: it is truncated");
  }
  bad(patched(file, end, 12, little(99999, 4)), "is a zip archive, and its directory should be the 99999 bytes from " +
                                                    std::to_string(file.find(entry)) + " on, but the file has " +
                                                    std::to_string(file.size()) + " bytes");
  bad(patched(file, end, 10, little(6, 2)),
      "is a zip archive, and entry 6 of its directory does not begin with the bytes PK\\1\\2: it is damaged");
  bad(patched(file, end, 10, little(60000, 2)), "is a zip archive, and has 60000 members in a directory of " +
                                                    std::to_string(file.find(end) - file.find(entry)) +
                                                    " bytes, expected at most 1000 and 1048576");
  bad(patched(file, entry, 28, little(60000, 2)),
      "is a zip archive, and entry 1 of its directory is longer than the directory: it is damaged");
  bad(patched(file, entry, 42, little(1, 4)),
      "member indices.npy should begin at byte 1, expected the bytes PK\\3\\4 there");
  bad(patched(file, entry, 42, little(4000000000, 4)),
      "member indices.npy should begin at byte 4000000000, expected the bytes PK\\3\\4 there");
  bad(patched(file, entry, 16, little(1, 4)),
      "member indices.npy has the checksum " + std::to_string(number_after(file, 14)) + ", expected 1: it is damaged");
  bad(patched(file, entry, 20, little(99999, 4) + little(99999, 4)),
      "member indices.npy should have 99999 bytes from 41 on, but the directory of the archive begins at " +
          std::to_string(file.find(entry)));
  bad(patched(file, entry, 24, little(99999, 4)),
      "member indices.npy should have 99999 bytes, which do not fit in the " + std::to_string(number_after(file, 18)) +
          " bytes of the archive: it is damaged");
  bad(zip(csr_members(), {.flags = 1}), "member format.npy is encrypted, expected it without a password");
  bad(zip(csr_members(), {.is_compressed = true, .method = 77}),
      "member format.npy is compressed by method 77, expected deflate or none (numpy.savez_compressed, numpy.savez)");
  const std::string wide = zip(csr_members(), {.is_wide = true});
  const std::string locator("PK\x06\x07", 4);
  bad(patched(wide, locator, 8, little(~0ULL, 8)),
      "is a zip archive, and its ZIP64 record should begin at 18446744073709551615, beyond the end of the directory");
  bad(patched(wide, locator, 8, little(0, 8)),
      "is a zip archive, and has no ZIP64 record where its end says, expected the bytes PK\\6\\6");
  // A field that is too short for the last of its numbers.
  bad(patched(wide, little(1, 2) + little(24, 2), 2, little(23, 2)),
      "member indices.npy should begin at byte 4294967295, expected the bytes PK\\3\\4 there");
}

/// A member that the archive says to be larger than it is, or than anything, is rejected before memory is allocated.
TEST(Numpy, DamagedCompressedDataAreRejected) {
  const std::string zeros(100000, '\0');
  const auto members = with(csr_members(), "indices.npy", npy("<i4", "(25000,)", zeros));
  const auto bytes = members.front().content.size();
  const std::string data = npy("<f8", "(25000,)", zeros + zeros);
  const std::string packed = zip(with(members, "data.npy", data), {.is_compressed = true});
  const std::string entry("PK\x01\x02", 4);
  const auto bad = [](const std::string& content, const std::string& message) {
    EXPECT_EQ(error_of(content), "runtime_error: a.npz: " + message);
  };
  bad(patched(packed, entry, 24, little(4000000000, 4)),
      "member indices.npy should have 4000000000 bytes, which do not fit in the " +
          std::to_string(number_after(packed, 18)) + " bytes of the archive: it is damaged");
  // The header of the array says how many bytes there should be, too.
  const auto announced = [&](std::size_t items, std::size_t count) {
    const std::string array = npy("<i4", "(" + std::to_string(count) + ",)", std::string(4 * items, '\0'));
    const std::string other = npy("<f8", "(" + std::to_string(count) + ",)", std::string(8 * count, '\0'));
    const auto changed = with(with(csr_members(), "indices.npy", array), "data.npy", other);
    const std::string says = little(array.size() - 4 * items + 4 * count, 4);
    return patched(zip(changed, {.is_compressed = true}), entry, 24, says);
  };
  bad(announced(25000, 25001), "member indices.npy unpacks to " + std::to_string(bytes) + " bytes, expected " +
                                   std::to_string(bytes + 4) + ": it is damaged");
  bad(announced(25001, 25000), "member indices.npy unpacks to more than " + std::to_string(bytes) +
                                   " bytes, expected " + std::to_string(bytes) + ": it is damaged");
  std::string corrupt = packed;
  corrupt.replace(41, 30, std::string(30, '\xFF'));
  EXPECT_EQ(error_of(corrupt).substr(0, 73),
            "runtime_error: a.npz: member indices.npy has corrupt compressed data: inv");
}

TEST(Numpy, OtherArchivesAreRejected) {
  const TemporaryFolder folder;
  const std::string other = folder.add("a.zip", zip({{"a.mtx", "%%MatrixMarket"}}));
  const std::string message = "runtime_error: " + other +
                              ": is packed by zip, expected plain, gzip, or arrays of NumPy (.npz); unpack it (unzip " +
                              other + "), or pipe it (unzip -p) into what reads \"-\"";
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(other); }), message);
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_header(other); }), message);
  const std::string in_gzip = folder.add("a.npz.gz", gzip(zip(csr_members())));
  const std::string packed =
      "runtime_error: " + in_gzip + ": is a zip archive packed by gzip, expected it unpacked (gzip -d)";
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(in_gzip); }), packed);
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_header(in_gzip); }), packed);
}

}  // namespace
