// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tpetra_Core.hpp>
#include <cstdio>

/// Prints only failures, with their rank. GoogleTest's printer would also print each test that passes, on every rank.
class RankPrinter : public testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() == nullptr ? "?" : result.file_name(),
                 result.line_number(), result.message());
  }
  int rank_;
};

/// Runs the tests on all ranks together, in the same order. The program fails if any rank fails.
int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int rank = Tpetra::getDefaultComm()->getRank();
  if (rank > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new RankPrinter(rank));
  }
  return RUN_ALL_TESTS();
}
