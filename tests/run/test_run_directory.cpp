// SPDX-License-Identifier: Apache-2.0
// Where things are in a run directory, and that one bad file is remembered in its place and ends nothing.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "core/test_support.h"
#include "run/run_directory.h"
#include "support/test_run.h"

namespace rlverify::run {
namespace {

using core::test::TemporaryFolder;
using rlverify::test::passing_run;
using rlverify::test::TestRun;
namespace fs = std::filesystem;

RunDirectory read(const TemporaryFolder& folder, const TestRun& run) {
  run.write(folder.file("run"));
  return read_run_directory(folder.file("run"));
}

}  // namespace

TEST_CASE("Everything of a whole run is found, sorted by name") {
  const TemporaryFolder folder;
  const RunDirectory run = read(folder, passing_run());
  CHECK(run.manifest.root().get("run_id").text() == "small-run");
  REQUIRE(run.log);
  CHECK(run.log->records.size() == 6);
  CHECK(run.has_ray_status);
  CHECK(run.ray_status.state == JobState::kSucceeded);
  CHECK(run.readbacks.size() == 16);
  CHECK(run.readbacks[0].name == "readbacks/megatron-training-41000.json");
  CHECK(run.weight_audits.size() == 3);
  CHECK(run.sidecar_files.names == passing_run().names("mismatch-sidecars"));
  CHECK(run.dump_files.names == passing_run().names("train-data"));
  CHECK(run.bytes_read > 20'000);
  CHECK(run.file_path("a", "b") == folder.file("run") + "/a/b");
}

TEST_CASE("Trailing slashes are dropped from the path") {
  const TemporaryFolder folder;
  passing_run().write(folder.file("run"));
  CHECK(read_run_directory(folder.file("run") + "//").path == folder.file("run"));
}

TEST_CASE("Only *.json and *.pt count, hidden ones included, temporary ones not") {
  const TemporaryFolder folder;
  TestRun run = passing_run();
  run.files["readbacks/megatron-training-1.json.tmp"] = "{";
  run.files["mismatch-sidecars/.rank00000.call00000000.pt.41733.tmp"] = "x";
  run.files["mismatch-sidecars/.hidden.pt"] = "x";
  run.files["mismatch-sidecars/notes.txt"] = "x";
  const RunDirectory directory = read(folder, run);
  CHECK(directory.readbacks.size() == 16);
  CHECK(directory.sidecar_files.names.size() == 17);
  CHECK(directory.sidecar_files.names[0] == ".hidden.pt");
}

TEST_CASE("What is missing is missing, not an error") {
  const TemporaryFolder folder;
  TestRun run = passing_run();
  run.files = {{"empty", ""}};
  const RunDirectory directory = read(folder, run);
  CHECK_FALSE(directory.manifest.present);
  CHECK(directory.manifest.problem);
  CHECK_FALSE(directory.manifest.root().present());
  CHECK_FALSE(directory.log);
  CHECK(directory.log_problem);
  CHECK_FALSE(directory.has_ray_status);
  CHECK(directory.readbacks.empty());
  CHECK_FALSE(directory.readback_files.problem);
}

TEST_CASE("Faults stay with their file") {
  const TemporaryFolder folder;
  TestRun run = passing_run();
  run.files["readbacks/vllm-rollout-52000.json"] = "{\"framework\": ";
  run.files["weight-audit/weight_v000002.json"] = "[";
  const RunDirectory directory = read(folder, run);
  CHECK(directory.readbacks.size() == 16);
  CHECK(directory.readbacks[8].problem);
  CHECK(directory.readbacks[8].problem->file == "readbacks/vllm-rollout-52000.json");
  CHECK(directory.weight_audits[1].problem);
  CHECK(directory.log);
}

TEST_CASE("A file where a folder should be is as good as no folder, as for the public validator") {
  const TemporaryFolder folder;
  TestRun run = passing_run();
  run.remove("train-data/");
  run.files["train-data"] = "text";
  const RunDirectory directory = read(folder, run);
  CHECK(directory.dump_files.names.empty());
  CHECK_FALSE(directory.dump_files.problem);
}

TEST_CASE("Links on disk are followed; dangling ones are there and unreadable") {
  const TemporaryFolder folder;
  passing_run().write(folder.file("run"));
  fs::rename(folder.file("run/run.log"), folder.file("elsewhere"));
  fs::create_symlink(folder.file("elsewhere"), folder.file("run/run.log"));
  fs::remove(folder.file("run/ray-status.txt"));
  fs::create_symlink("nowhere", folder.file("run/ray-status.txt"));
  const RunDirectory directory = read_run_directory(folder.file("run"));
  CHECK(directory.log);
  CHECK(directory.has_ray_status);
  CHECK(directory.ray_status_problem);
}

TEST_CASE("A path that is no directory is bad input") {
  const TemporaryFolder folder;
  folder.write("file", "x");
  CHECK_THROWS_AS(read_run_directory(folder.file("file")), core::InputError);
  CHECK_THROWS_AS(read_run_directory(folder.file("nothing")), core::InputError);
}

TEST_CASE("A pipe in the place of an artifact is refused, not waited for") {
  const TemporaryFolder folder;
  passing_run().write(folder.file("run"));
  fs::remove(folder.file("run/run.log"));
  REQUIRE(::mkfifo(folder.file("run/run.log").c_str(), 0600) == 0);
  CHECK(read_run_directory(folder.file("run")).log_problem);
}

}  // namespace rlverify::run
