// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/system/impl/Memory.hpp>

#include "TestFiles.hpp"

namespace Tessera::Impl {

TEST(Memory, AContainerHasWhatItsLimitLeaves) {
  const TemporaryFolder group;
  group.add("memory.max", "1000000\n");
  EXPECT_GT(available_memory(group / ""), 1000000u) << "the use is not known";
  group.add("memory.current", "700000\n");
  EXPECT_EQ(available_memory(group / ""), 300000u);
  group.add("memory.current", "1200000\n");
  EXPECT_EQ(available_memory(group / ""), 0u);
}

TEST(Memory, FilesThatAContainerReadDoNotCount) {
  const TemporaryFolder group;
  group.add("memory.max", "1000000\n");
  group.add("memory.current", "900000\n");
  group.add("memory.stat", "anon 200000\nfile 700000\ninactive_anon 5\ninactive_file 600000\nactive_file 100000\n");
  EXPECT_EQ(available_memory(group / ""), 700000u);
}

TEST(Memory, WithoutALimitItIsTheSystems) {
  const TemporaryFolder group;
  const std::size_t system = available_memory(group / "");
  EXPECT_EQ(system % 1024, 0u) << "Linux counts kibibytes";
  EXPECT_GT(system, 1u << 20);
  group.add("memory.max", "max\n");
  group.add("memory.current", "900000\n");
  EXPECT_GT(available_memory(group / ""), 1u << 20);
}

}  // namespace Tessera::Impl
