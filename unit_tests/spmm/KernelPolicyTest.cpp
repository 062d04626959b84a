// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <string>

#include "KernelPolicy.hpp"

namespace Tessera::Impl::Test {
namespace {

using Impl::KernelPolicy;
using Impl::PolicyError;

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const PolicyError& error) {
    return error.what();
  }
  return "no error";
}

TEST(KernelPolicy, ReplacesWhatItNames) {
  int piece = 8, width = 0, steps = 64;
  KernelPolicy("width=128,piece=32").replace({{"piece", piece}, {"width", width}, {"steps", steps}});
  EXPECT_EQ(piece, 32);
  EXPECT_EQ(width, 128);
  EXPECT_EQ(steps, 64);
  KernelPolicy().replace({{"piece", piece}});
  KernelPolicy("").replace({{"piece", piece}});
  EXPECT_EQ(piece, 32);
}

TEST(KernelPolicy, WhatIsTakenIsNotReplacedAgain) {
  int piece = 8, rows = 4;
  KernelPolicy policy("rows=2,piece=16");
  policy.take({{"rows", rows, 1, 4}});
  EXPECT_EQ(rows, 2);
  policy.replace({{"piece", piece}});
  EXPECT_EQ(piece, 16);
}

TEST(KernelPolicy, RejectsWhatAKernelDoesNotHave) {
  int piece = 8, width = 0;
  const auto replace = [&](const char* text) {
    return error_of([&] { KernelPolicy(text).replace({{"piece", piece, 4, 512}, {"width", width}}); });
  };
  EXPECT_EQ(replace("piece=32,stages=4"), "policy stages: the kernel has no such number; expected piece, width");
  EXPECT_EQ(replace("piece=2"), "policy piece=2: expected 4 to 512");
  EXPECT_EQ(replace("piece=513"), "policy piece=513: expected 4 to 512");
  EXPECT_EQ(replace("width=0"), "policy width=0: expected 1 to 1073741824");
  EXPECT_EQ(error_of([] { KernelPolicy("piece=4").replace({}); }),
            "policy piece: the kernel has no such number; expected none");
}

TEST(KernelPolicy, RejectsWhatIsNoListOfNumbers) {
  for (const char* text : {"piece", "piece=", "=4", "piece=4x", "piece=4,,width=8", "piece=99999999999", " piece=4 "}) {
    EXPECT_NE(error_of([&] { static_cast<void>(KernelPolicy(text)); }).find("expected NAME=NUMBER"), std::string::npos)
        << text;
  }
  EXPECT_EQ(error_of([] { static_cast<void>(KernelPolicy("width=8,piece=many")); }),
            "policy 'piece=many': expected NAME=NUMBER, several with commas between them");
}

}  // namespace
}  // namespace Tessera::Impl::Test
