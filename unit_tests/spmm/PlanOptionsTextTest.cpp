// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <stdexcept>
#include <tessera/spmm/PlanOptionsText.hpp>

namespace Tessera::Test {

TEST(PlanOptionsText, NothingIsTheDefault) {
  const PlanOptions options = parse_plan_options("");
  EXPECT_EQ(options.columns, PlanOptions().columns);
  EXPECT_EQ(options.format, Format::Automatic);
}

TEST(PlanOptionsText, EveryOption) {
  const PlanOptions options = parse_plan_options(
      "columns=8,layout_left=true,follows_values=true,expected_products=77,format=bittcf,precision=tf32x3,"
      "reordering=degree,always_reorder=true,kernel=published,on_unsupported=fall_back,tuning=measure,"
      "tuning_file=/tmp/a b,memory_limit=12345678901");
  EXPECT_EQ(options.columns, 8);
  EXPECT_TRUE(options.layout_left);
  EXPECT_TRUE(options.follows_values);
  EXPECT_EQ(options.expected_products, 77);
  EXPECT_EQ(options.format, Format::BitTcf);
  EXPECT_EQ(options.precision, Precision::Tf32x3);
  EXPECT_EQ(options.reordering, Reordering::DegreeSort);
  EXPECT_TRUE(options.always_reorder);
  EXPECT_EQ(options.kernel, Kernel::Published);
  EXPECT_EQ(options.on_unsupported, OnUnsupported::FallBack);
  EXPECT_EQ(options.tuning, Tuning::Measure);
  EXPECT_EQ(options.tuning_file, "/tmp/a b");
  EXPECT_EQ(options.memory_limit, std::size_t(12345678901));
}

TEST(PlanOptionsText, BlanksDoNotCount) {
  const PlanOptions options = parse_plan_options(" columns = 8 ,\tformat=bittcf,  tuning_file=/tmp/a b ");
  EXPECT_EQ(options.columns, 8);
  EXPECT_EQ(options.format, Format::BitTcf);
  EXPECT_EQ(options.tuning_file, "/tmp/a b");
  EXPECT_EQ(parse_plan_options(" \t ").columns, PlanOptions().columns);
}

TEST(PlanOptionsText, MistakesAreNamed) {
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      parse_plan_options(text, "HERE");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message_of("format"), "HERE: there is \"format\"; expected name=value");
  EXPECT_EQ(message_of("columns=8,,"), "HERE: there is \"\"; expected name=value");
  EXPECT_EQ(message_of("columns=8, ,format=csr"), "HERE: there is \"\"; expected name=value");
  EXPECT_EQ(message_of("columns=8,format=csr, columns =8"), "HERE: columns is there twice; expected it once");
  EXPECT_EQ(message_of("colums=8").substr(0, 53), "HERE: there is no option \"colums\"; expected columns, ");
  EXPECT_EQ(message_of("columns=-1"), "HERE: columns is \"-1\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("columns=3000000000"),
            "HERE: columns is \"3000000000\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("columns=8x"), "HERE: columns is \"8x\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("columns="), "HERE: columns is \"\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("always_reorder=yes"), "HERE: always_reorder is \"yes\"; expected true or false");
  EXPECT_EQ(message_of("tuning=guess"), "HERE: tuning is \"guess\"; expected one of predict, measure, automatic");
}

}  // namespace Tessera::Test
