// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <stdexcept>
#include <tessera/system/impl/Parallel.hpp>

namespace Tessera::Impl {

TEST(Parallel, ThreadsAreThoseRequested) {
  EXPECT_EQ(thread_count(1), 1);
  EXPECT_EQ(thread_count(3), 3);
  EXPECT_GE(thread_count(0), 1);
  EXPECT_THROW(thread_count(-1), std::invalid_argument);
}

}  // namespace Tessera::Impl
