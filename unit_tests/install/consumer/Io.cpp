// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's program that reads and writes matrix files.
#include <cstdio>
#include <cstdlib>
#include <tessera/io/Generators.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>

int main() {
  const char* const path = "consumer_Io.mtx";
  const auto A = Tessera::generate("stencil27:3");
  Tessera::write_matrix_market(path, A);
  const auto B = Tessera::read_matrix<double>(path);
  std::remove(path);
  return A.values == B.values && A.column_indices == B.column_indices ? EXIT_SUCCESS : EXIT_FAILURE;
}
