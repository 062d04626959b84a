// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times Tessera's Matrix Market reader, by number of threads, against Kokkos Kernels' reader in the same run:
//   read_matrix_market [FILE [REPEATS]]
// Without a FILE, a file of about 100 MB is generated in the folder for temporary files and removed at the end. The
// readers take turns: other load on the machine affects both. The file has been read before, so neither reader waits
// for the disk. All results must be equal.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_IOUtils.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <harness/Arguments.hpp>
#include <harness/Statistics.hpp>
#include <harness/Timing.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <thread>
#include <vector>

namespace {

using namespace Tessera::Impl::Harness;
using Matrix = Tessera::HostCsr<double>;
using KokkosMatrix = KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultHostExecutionSpace, void, std::size_t>;

struct Reader {
  std::string name;
  std::function<void()> read;
  std::vector<double> seconds = {};
};

/// A file that exists while this object lives.
class GeneratedFile {
 public:
  GeneratedFile() {
    std::printf("generating %s ...\n", path_.c_str());
    Tessera::write_matrix_market(path_, Tessera::generate("uniform:155000,20"));
  }
  ~GeneratedFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  GeneratedFile(const GeneratedFile&) = delete;
  GeneratedFile& operator=(const GeneratedFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "tessera_read_matrix_market.mtx").string();
};

/// Whether two matrices are equal; Kokkos Kernels may order the columns of a row differently.
bool is_equal(const Matrix& ours, const KokkosMatrix& theirs) {
  if (ours.rows != theirs.numRows() || ours.columns != theirs.numCols() || ours.values.size() != theirs.nnz()) {
    return false;
  }
  std::vector<std::pair<int, double>> row;
  for (int i = 0; i < ours.rows; ++i) {
    const std::size_t begin = ours.row_offsets[static_cast<std::size_t>(i)];
    const std::size_t end = ours.row_offsets[static_cast<std::size_t>(i) + 1];
    row.clear();
    for (auto k = theirs.graph.row_map(i); k < theirs.graph.row_map(i + 1); ++k) {
      row.emplace_back(theirs.graph.entries(k), theirs.values(k));
    }
    if (row.size() != end - begin) return false;
    std::sort(row.begin(), row.end());
    for (std::size_t k = begin; k < end; ++k) {
      if (row[k - begin] != std::pair(ours.column_indices[k], ours.values[k])) return false;
    }
  }
  return true;
}

void print(const std::vector<Reader>& readers, double megabytes) {
  const double reference = spread_of(readers.front().seconds).median;
  std::printf("%-28s %10s %10s %10s %10s %8s\n", "reader", "median s", "least s", "most s", "MB/s", "speedup");
  for (const Reader& reader : readers) {
    const Spread spread = spread_of(reader.seconds);
    std::printf("%-28s %10.3f %10.3f %10.3f %10.0f %8.1f\n", reader.name.c_str(), spread.median, spread.least,
                spread.most, megabytes / spread.median, reference / spread.median);
  }
}

void run(const std::string& path, int repeats) {
  KokkosMatrix theirs;
  std::vector<Reader> readers;
  readers.push_back(
      {"Kokkos Kernels", [&] { theirs = KokkosSparse::Impl::read_kokkos_crst_matrix<KokkosMatrix>(path.c_str()); }});
  const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Matrix ours;
  for (const int threads : std::set<int>{1, 2, all}) {
    Tessera::ReadOptions options;
    options.threads = threads;
    readers.push_back({"Tessera, threads: " + std::to_string(threads), [&ours, &path, options] {
                         ours = {};
                         ours = Tessera::read_matrix_market<double>(path, options);
                       }});
  }
  for (Reader& reader : readers) reader.read();
  if (!is_equal(ours, theirs)) throw std::runtime_error("the readers' results differ");
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (Reader& reader : readers) reader.seconds.push_back(seconds_of(reader.read, [] {}));
  }
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::printf("%s: %.1f MB, %d rows, %zu nonzeros, %d repeats\n", path.c_str(), megabytes, ours.rows,
              ours.values.size(), repeats);
  print(readers, megabytes);
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  int repeats = 5;
  CLI::App app("Times readers of Matrix Market files.", "read_matrix_market");
  app.add_option("file", file, "to read (default: a generated one)");
  app.add_option("repeats", repeats, "of each reader")->check(CLI::PositiveNumber)->capture_default_str();
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return guarded("read_matrix_market", [&] {
    if (parse(app, argc, argv)) run(file.empty() ? GeneratedFile().path() : file, repeats);
    return 0;
  });
}
