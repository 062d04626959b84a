// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <tessera/io/ReadMatrix.hpp>

#include "TestProblem.hpp"

namespace Tessera::Impl::Test {

/// Real matrices of many kinds: structures, fluids, circuits, graphs, optimisation; some nonsymmetric or rectangular.
const std::vector<std::string> names = {"1138_bus",        "3elt",     "add32",          "bayer10",  "bcsstk13",
                                        "bcsstk17",        "bcsstk28", "ca-GrQc",        "d2q06c",   "e20r0000",
                                        "fidap007",        "fit2p",    "gemat11",        "maros-r7", "mbeause",
                                        "musae-chameleon", "orani678", "p2p-Gnutella31", "pilot87",  "rec-lastfm"};

TEST(Collection, RealMatricesAreMultipliedAsByCrsMatrix) {
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "TESSERA_DATA_DIR is not set";
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::filesystem::path plain = std::filesystem::path(folder) / (name + ".mtx"),
                                packed = plain.string() + ".gz";
    const auto matrix = read_matrix<double>(std::filesystem::exists(plain) ? plain : packed);
    for (const auto& [spread, spread_text] : every_spread) {
      SCOPED_TRACE(spread_text);
      const auto A = distribute(matrix, spread);
      const Operator op(A);
      expect_product(*A, op, 1, Teuchos::NO_TRANS, 1, 0);
      expect_product(*A, op, 16, Teuchos::NO_TRANS, -2, 0.5);
      expect_product(*A, op, 5, Teuchos::TRANS, 1, 0);
      expect_product(*A, op, 2, Teuchos::CONJ_TRANS, 1, 1);
      if (HasFailure()) return;
    }
  }
}

}  // namespace Tessera::Impl::Test
