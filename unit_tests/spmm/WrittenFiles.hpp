// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/PlanFile.hpp>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/select/TuningRecords.hpp>
#include <vector>

#include "UserMatrix.hpp"

namespace Tessera::Impl::Test {

/// Two files of each kind that the library writes. Both are longer than the pieces in which they are written.
class WrittenFiles {
 public:
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using PlanType = Plan<double, Exec>;
  static constexpr int sizes[] = {20000, 30000};  // rows of the matrices, and records

  /// Writes the first or second file of a kind.
  void write(const std::string& kind, const std::string& path, int which) const {
    if (kind == "tuning") {
      records_[which].write(path);
    } else if (kind == "plan") {
      if (!plans_[which]) plans_[which] = std::make_unique<PlanType>(plan(sizes[which]));
      save_plan(Exec(), *plans_[which], path);
    } else if (kind == "binary") {
      if (matrices_[which].rows == 0) matrices_[which] = generate_banded(sizes[which], 5, 1);
      write_binary_csr(path, matrices_[which]);
    } else {
      throw std::invalid_argument("there is no kind " + kind);
    }
  }

  /// Reads a whole file and returns its number of rows or records.
  static std::size_t size_of(const std::string& kind, const std::string& path) {
    if (kind == "tuning") return TuningRecords::read(path).size();
    if (kind == "plan") return std::size_t(load_plan<double>(Exec(), path).rows());
    return std::size_t(read_binary_csr<double>(path).rows);
  }
  static bool is_whole(const std::string& kind, const std::string& path) {
    const std::size_t size = size_of(kind, path);
    return size == std::size_t(sizes[0]) || size == std::size_t(sizes[1]);
  }

  WrittenFiles() {
    for (int which = 0; which < 2; ++which) {
      TuningKey key{0, "a device", "real 8, offsets 4", "native", 32};
      for (; key.pattern < std::uint64_t(sizes[which]); ++key.pattern) records_[which].add(key, {Format::Csr, 1e-3});
    }
  }

 private:
  static PlanType plan(int rows) {
    HostPattern<int> pattern;
    pattern.columns = rows;
    for (int row = 0; row < rows; ++row) {
      for (int j = row; j < rows && j < row + 9; ++j) pattern.column_indices.push_back(j);
      pattern.end_row();
    }
    PlanOptions options;
    options.format = Format::Csr;
    return UserMatrix<Exec, double, int>(pattern).plan(options);
  }

  TuningRecords records_[2];
  mutable std::unique_ptr<PlanType> plans_[2];
  mutable HostCsr<double> matrices_[2];
};

}  // namespace Tessera::Impl::Test
