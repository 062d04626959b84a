// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <stdexcept>
#include <tessera/PlanOptionsText.hpp>

namespace Tessera::Impl::Test {

TEST(PlanOptionsText, NothingIsTheDefault) {
  const PlanOptions options = parse_plan_options("");
  EXPECT_EQ(options.hints.num_vectors, PlanOptions().hints.num_vectors);
  EXPECT_EQ(options.format, Format::Auto);
}

TEST(PlanOptionsText, EveryOption) {
  const PlanOptions options = parse_plan_options(
      "num_vectors=8,layout_left=true,follow_values=true,expected_products=77,format=bittcf,precision=tf32x3,"
      "shares_pattern=true,shares_values=true,trusts_pattern=true,same_bits_alone=true,"
      "reordering=degree,always_reorder=true,kernel=published,on_unsupported=fall_back,tuning=measure,"
      "tuning_file=/tmp/a b,memory_limit=12345678901");
  EXPECT_EQ(options.hints.num_vectors, 8);
  EXPECT_TRUE(options.hints.layout_left);
  EXPECT_TRUE(options.hints.follow_values);
  EXPECT_EQ(options.hints.expected_products, 77);
  EXPECT_TRUE(options.shares_pattern);
  EXPECT_TRUE(options.shares_values);
  EXPECT_TRUE(options.trusts_pattern);
  EXPECT_TRUE(options.same_bits_alone);
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

TEST(PlanOptionsText, EveryParameter) {
  const FormatParameters parameters =
      parse_plan_options(
          "brp_nonzeros_per_column=1,brp_tiles_per_group=2,bcsr_block_rows=3,bcsr_block_columns=4,"
          "sorted_columns_width=5,sorted_columns_height=6,staged_chunk_values=7,staged_piece_chunks=8,group_rows=9")
          .parameters;
  EXPECT_EQ(parameters.brp_nonzeros_per_column, 1);
  EXPECT_EQ(parameters.brp_tiles_per_group, 2);
  EXPECT_EQ(parameters.bcsr_block_rows, 3);
  EXPECT_EQ(parameters.bcsr_block_columns, 4);
  EXPECT_EQ(parameters.sorted_columns_width, 5);
  EXPECT_EQ(parameters.sorted_columns_height, 6);
  EXPECT_EQ(parameters.staged_chunk_values, 7);
  EXPECT_EQ(parameters.staged_piece_chunks, 8);
  EXPECT_EQ(parameters.group_rows, 9);
}

TEST(PlanOptionsText, BlanksDoNotCount) {
  const PlanOptions options = parse_plan_options(" num_vectors = 8 ,\tformat=bittcf,  tuning_file=/tmp/a b ");
  EXPECT_EQ(options.hints.num_vectors, 8);
  EXPECT_EQ(options.format, Format::BitTcf);
  EXPECT_EQ(options.tuning_file, "/tmp/a b");
  EXPECT_EQ(parse_plan_options(" \t ").hints.num_vectors, PlanOptions().hints.num_vectors);
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
  EXPECT_EQ(message_of("num_vectors=8,,"), "HERE: there is \"\"; expected name=value");
  EXPECT_EQ(message_of("num_vectors=8, ,format=csr"), "HERE: there is \"\"; expected name=value");
  EXPECT_EQ(message_of("num_vectors=8,format=csr, num_vectors =8"),
            "HERE: num_vectors is there twice; expected it once");
  EXPECT_EQ(message_of("num_vector=8").substr(0, 68),
            "HERE: there is no option \"num_vector\"; expected one of num_vectors, ");
  EXPECT_EQ(message_of("num_vectors=-1"), "HERE: num_vectors is \"-1\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("num_vectors=3000000000"),
            "HERE: num_vectors is \"3000000000\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("num_vectors=8x"), "HERE: num_vectors is \"8x\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("num_vectors="), "HERE: num_vectors is \"\"; expected a number from 0 to 2147483647");
  EXPECT_EQ(message_of("always_reorder=yes"), "HERE: always_reorder is \"yes\"; expected true or false");
  EXPECT_EQ(message_of("tuning=guess"), "HERE: tuning is \"guess\"; expected one of predict, measure, adaptive");
}

}  // namespace Tessera::Impl::Test
