// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/tpetra/BlockVector.hpp>
#include <vector>

#include "../../example/common/AllRanks.hpp"

/// What both programs share.
namespace Petsc {

/// The program's arguments: [MATRIX [COLUMNS [ROUNDS [PRECONDITIONER]]]] [PETSc's options].
struct Arguments {
  std::string matrix;
  int columns = 8, rounds = 5;
  bool has_jacobi = false;

  const char* preconditioner() const { return has_jacobi ? "jacobi" : "none"; }
};

/// Parses the arguments before PETSc's options, the first of which begins with a hyphen. Throws on all ranks.
inline Arguments parse(int argc, const char* const* argv, const std::string& default_matrix) {
  std::vector<std::string> words;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) words.emplace_back(argv[i]);
  Arguments result;
  result.matrix = words.empty() ? default_matrix : words[0];
  if (words.size() > 1) result.columns = Example::positive_number("the number of columns", words[1]);
  if (words.size() > 2) result.rounds = Example::positive_number("ROUNDS", words[2]);
  if (words.size() > 3 && words[3] != "none" && words[3] != "jacobi") {
    throw Example::ErrorOnAllRanks("PRECONDITIONER: " + words[3] + ", expected none or jacobi");
  }
  if (words.size() > 4) throw Example::ErrorOnAllRanks("unexpected argument " + words[4]);
  result.has_jacobi = words.size() > 3 && words[3] == "jacobi";
  return result;
}

inline const Tpetra::MultiVector<double>& as_multivector(const Tpetra::MultiVector<double>& X) { return X; }
inline Tpetra::MultiVector<double> as_multivector(const Tessera::BlockVector<double>& X) { return *X.toMultiVector(); }

/// Returns random columns that depend only on their rows' numbers, not on the number of ranks.
inline Teuchos::RCP<const Tpetra::MultiVector<double>> random_columns(const Teuchos::RCP<const Tpetra::Map<>>& map,
                                                                      int columns) {
  Tessera::BlockVector<double> random(map, static_cast<std::size_t>(columns));
  random.randomize(1);
  return random.toMultiVector();
}

}  // namespace Petsc
