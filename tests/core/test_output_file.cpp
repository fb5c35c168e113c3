// SPDX-License-Identifier: Apache-2.0
// A document appears whole or not at all, and every way of failing names the file and the reason.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "core/output_file.h"
#include "core/signals.h"
#include "test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using Catch::Matchers::Contains;

namespace {

/// Runs `action` in a child process and gives its exit status; 99 for an exception that is no Error.
template <typename Action>
int status_in_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = action();
    } catch (const Error& error) {
      status = static_cast<int>(error.exit_code());
    } catch (...) {
      status = 99;
    }
    ::_exit(status);
  }
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 1000 + WTERMSIG(state);
}

}  // namespace

TEST_CASE("commit puts the whole document in place, and only commit does") {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", "old");
  {
    OutputFile output(path);
    output.write("new ");
    output.write(std::string(1'000'000, 'x'));
    output.write("");
    output.write(" end");
    CHECK(file_text(path) == "old");
    CHECK(folder.file_count() == 2);
    output.commit();
    CHECK(file_text(path) == "new " + std::string(1'000'000, 'x') + " end");
  }
  CHECK(folder.file_count() == 1);
  {
    OutputFile output(folder.file("other.json"));
    output.write("half");
    CHECK(folder.file_count() == 2);
  }
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a new file has the permissions that the umask leaves") {
  const TemporaryFolder folder;
  const mode_t old_mask = ::umask(027);
  OutputFile output(folder.file("a"));
  output.commit();
  ::umask(old_mask);
  struct stat status {};
  REQUIRE(::stat(folder.file("a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0640U);
}

TEST_CASE("a link keeps being one: the file it leads to is replaced") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  folder.write("real/report.json", "old");
  std::filesystem::create_symlink("real/report.json", folder.file("link.json"));
  OutputFile output(folder.file("link.json"));
  output.write("new");
  output.commit();
  CHECK(std::filesystem::is_symlink(folder.file("link.json")));
  CHECK(file_text(folder.file("real/report.json")) == "new");
}

TEST_CASE("a device is written to and not replaced") {
  OutputFile output("/dev/null");
  output.write("text");
  output.commit();
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("what can't be opened names the file and the reason") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(OutputFile(folder.file("none/report.json")),
                    Contains(folder.file("none/report.json") + ": No such file or directory"));
  CHECK_THROWS_WITH(OutputFile(folder.file(".")), Contains("Is a directory"));
  CHECK_THROWS_AS(OutputFile(folder.file(".")), OutputError);
}

TEST_CASE("a full disk is an error that names the file, and nothing is left behind") {
  const TemporaryFolder folder;
  OutputFile device("/dev/full");
  device.write("text");
  CHECK_THROWS_WITH(device.commit(), "can't write /dev/full: No space left on device");
  CHECK_THROWS_WITH(OutputFile("/dev/full").write(std::string(1'000'000, 'x')), Contains("No space left on device"));

  // A limit on file sizes stands for a disk that fills up while the temporary file is written.
  const std::string path = folder.write("report.json", "old");
  const int status = status_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    OutputFile output(path);
    output.write(std::string(1'000'000, 'x'));
    output.commit();
    return 0;
  });
  CHECK(status == static_cast<int>(ExitCode::kInternal));
  CHECK(file_text(path) == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("an interruption leaves no partial file") {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", "old");
  for (const auto& [signal_number, expected] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const int number = signal_number;
    const int status = status_in_child([&] {
      install_signal_handlers();
      OutputFile output(path);
      output.write(std::string(1'000'000, 'x'));
      std::raise(number);
      check_interrupted();
      output.commit();
      return 0;
    });
    CHECK(status == expected);
    CHECK(file_text(path) == "old");
    CHECK(folder.file_count() == 1);
  }
}

TEST_CASE("standard output: a closed pipe is told, a full disk is an error") {
  const auto write_with_stdout = [](int descriptor) {
    return status_in_child([&] {
      install_signal_handlers();
      ::dup2(descriptor, STDOUT_FILENO);
      return write_standard_output(std::string(1'000'000, 'x')) ? 20 : 21;
    });
  };
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  CHECK(write_with_stdout(ends[1]) == 21);
  ::close(ends[1]);

  const TemporaryFolder folder;
  FILE* file = std::fopen(folder.file("out").c_str(), "w");
  REQUIRE(file != nullptr);
  CHECK(write_with_stdout(::fileno(file)) == 20);
  std::fclose(file);
  CHECK(file_text(folder.file("out")).size() == 1'000'000);

  FILE* full = std::fopen("/dev/full", "w");
  REQUIRE(full != nullptr);
  CHECK(write_with_stdout(::fileno(full)) == static_cast<int>(ExitCode::kInternal));
  std::fclose(full);
}
