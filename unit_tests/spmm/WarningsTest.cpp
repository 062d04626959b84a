// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <tessera/Warnings.hpp>
#include <thread>
#include <vector>

#include "Warn.hpp"

namespace {

using Tessera::set_warning_handler;
using Tessera::WarningHandler;
using Tessera::Impl::warn;

/// Sets a handler, and restores the former handler in the destructor.
class ScopedHandler {
 public:
  explicit ScopedHandler(WarningHandler handler) : before_(set_warning_handler(handler)) {}
  ScopedHandler(const ScopedHandler&) = delete;
  ScopedHandler& operator=(const ScopedHandler&) = delete;
  ~ScopedHandler() { set_warning_handler(before_); }

 private:
  WarningHandler before_;
};

std::vector<std::string> texts;
void keep(std::string_view warning) { texts.emplace_back(warning); }

std::string printed_for(const char* warning) {
  testing::internal::CaptureStderr();
  warn(warning);
  return testing::internal::GetCapturedStderr();
}

TEST(WarningsTest, AreWrittenToStandardErrorByDefault) { EXPECT_EQ(printed_for("a plan"), "Tessera: a plan\n"); }

TEST(WarningsTest, GoToTheHandlerAlone) {
  const ScopedHandler handler(&keep);
  texts.clear();
  EXPECT_EQ(printed_for("one"), "");
  EXPECT_EQ(printed_for("another"), "");
  EXPECT_EQ(texts, (std::vector<std::string>{"one", "another"}));
}

TEST(WarningsTest, AreDroppedWithoutHandler) {
  const ScopedHandler handler(nullptr);
  EXPECT_EQ(printed_for("one"), "");
}

TEST(WarningsTest, FormerHandlerIsReturned) {
  const WarningHandler at_first = set_warning_handler(&keep);
  EXPECT_EQ(set_warning_handler(nullptr), &keep);
  EXPECT_EQ(set_warning_handler(at_first), nullptr);
  EXPECT_NE(at_first, nullptr);
  EXPECT_EQ(printed_for("one"), "Tessera: one\n");
}

std::atomic<int> counts[2];

TEST(WarningsTest, ThreadsMayWarnAndSetHandlers) {
  const WarningHandler handlers[2] = {[](std::string_view) { ++counts[0]; }, [](std::string_view) { ++counts[1]; }};
  const ScopedHandler scoped(handlers[0]);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&handlers, t] {
      for (int i = 0; i < 1000; ++i) {
        set_warning_handler(handlers[(i + t) % 2]);
        warn("one");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts[0] + counts[1], 4000);
}

}  // namespace
