// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers are killed while they write, or write at the same time: a file is always completely old or completely new.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "WrittenFiles.hpp"

namespace Tessera::Impl::Test {

/// A process that writes files until it is killed. The constructor waits until each file was written once.
class EndlessWriter {
 public:
  EndlessWriter(const std::string& kind, const std::string& path) {
    // The writer is in this program's folder.
    std::string program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("tessera_endless_writer");
    std::string kind_copy = kind, path_copy = path;
    char* arguments[] = {program.data(), kind_copy.data(), path_copy.data(), nullptr};
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const bool runs = posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char said = 0;
    const bool writes = runs && read(ends[0], &said, 1) == 1;
    close(ends[0]);
    if (!writes) throw std::runtime_error("it does not write: " + program);
  }
  ~EndlessWriter() { kill_it(); }
  EndlessWriter(const EndlessWriter&) = delete;
  EndlessWriter& operator=(const EndlessWriter&) = delete;

  /// Waits for the writer's temporary file, at most three seconds.
  void wait_until_it_writes(const std::string& path) const {
    const std::string temporary = path + ".tmp" + std::to_string(process_) + "-0";
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (!std::filesystem::exists(temporary) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  /// Kills the process and returns whether it was still writing.
  bool kill_it() {
    if (process_ == 0) return true;
    kill(process_, SIGKILL);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t process_ = 0;
};

class Interrupted : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kind, Interrupted, ::testing::Values("plan", "tuning", "binary"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Interrupted, AKilledWriterLeavesAWholeFile) {
  constexpr int kills = 12;
  const std::string kind = GetParam();
  const TemporaryFolder folder;
  const WrittenFiles files;
  Random random(1);
  int unfinished = 0;
  for (int round = 0; round < kills; ++round) {
    const std::string path = folder / ("file" + std::to_string(round % 4));
    const bool is_new = !std::filesystem::exists(path);
    const std::size_t before = folder.files();
    {
      EndlessWriter writer(kind, path);
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(30000)));
      ASSERT_TRUE(WrittenFiles::is_whole(kind, path)) << "while it is written";
      // Renaming takes much of the time, so at a random moment the file is seldom being written.
      if (round % 2 == 0) writer.wait_until_it_writes(path);
      ASSERT_TRUE(writer.kill_it());
    }
    ASSERT_TRUE(WrittenFiles::is_whole(kind, path)) << "round " << round;
    const std::size_t left = folder.files() - before - (is_new ? 1 : 0);
    ASSERT_LE(left, 1u) << "a writer has one file more, which it writes";
    unfinished += int(left);
    // The file that a killed writer left does not disturb the next writer.
    files.write(kind, path, round % 2);
    ASSERT_EQ(WrittenFiles::size_of(kind, path), std::size_t(WrittenFiles::sizes[round % 2]));
  }
  EXPECT_GT(unfinished, 0) << "no writer was killed while it wrote";
}

TEST_P(Interrupted, TwoWritersAtOnce) {
  const std::string kind = GetParam();
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  EndlessWriter first(kind, path), second(kind, path);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(WrittenFiles::is_whole(kind, path));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(first.kill_it());
  EXPECT_TRUE(second.kill_it());
  EXPECT_TRUE(WrittenFiles::is_whole(kind, path));
}

}  // namespace Tessera::Impl::Test
