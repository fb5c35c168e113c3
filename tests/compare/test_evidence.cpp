// SPDX-License-Identifier: Apache-2.0
// What is read of a run: records of the log, names, attention cases, artifacts; and which paths are no runs.
#include <unistd.h>

#include "compare/artifacts.h"
#include "core/sha256.h"
#include "run_support.h"

namespace rlverify::compare::test {
namespace {

using rlverify::test::TestRun;
using rlverify::test::write_pt;

RunEvidence read(const std::string& path, const std::string& name = "") {
  core::ThreadPool pool(2);
  ReadOptions options;
  options.name = name;
  return read_evidence(path, options, pool);
}

TEST_CASE("Records of the log: the actor's, in log order, the training actor's perf") {
  TemporaryFolder folder;
  TestRun run = SmallRun::standard("r").files();
  run.files["run.log"] =
      "(Critic pid=2) critic-step 0: {'train/grad_norm': 9.0}\n"
      "(Actor pid=1) step 1: {'z': 1, 'a': (1, 2), 'n': np.int64(8), 'x': nan}\n"
      "(Actor pid=1) step 0: {'train/grad_norm': 0.5}\n"
      "(Actor pid=1) perf 0: {'perf/step_time': 2.5}\n"
      "(Manager pid=3) perf 0: {'perf/rollout_time': 1.5, 'perf/step_time': 7.0}\n"
      "(Manager pid=3) perf 1: {'perf/other': 1.5}\n";
  run.write(folder.file("run"));
  const RunEvidence evidence = read(folder.file("run/"));
  REQUIRE(evidence.steps.size() == 2);
  CHECK(evidence.steps[0].step == 0);
  CHECK(evidence.steps[0].record.get("train/grad_norm").real() == 0.5);
  CHECK(evidence.steps[1].record.key_at(0).text() == "z");
  CHECK(evidence.steps[1].record.get("n").integer() == 8);
  REQUIRE(evidence.perf.size() == 1);
  CHECK(evidence.perf[0].record.get("perf/step_time").real() == 2.5);
  CHECK(finding(evidence.findings, "RLV-347").place.line == 2U);
  CHECK(evidence.status == "SUCCEEDED");
  CHECK(evidence.name == "r");
}

TEST_CASE("The name of a run") {
  TemporaryFolder folder;
  TestRun run = SmallRun::standard("r").files();
  run.files["manifest.json"] = "{}";
  run.write(folder.file("dir-name"));
  CHECK(read(folder.file("dir-name")).name == "dir-name");
  CHECK(read(folder.file("dir-name///")).name == "dir-name");
  CHECK(read(folder.file("dir-name"), "given").name == "given");
}

TEST_CASE("Paths that are no runs say what they are") {
  TemporaryFolder folder;
  const auto message = [&folder](const std::string& inside) {
    try {
      static_cast<void>(read(folder.file(inside)));
    } catch (const core::Error& error) {
      CHECK(error.exit_code() == core::ExitCode::kBadInput);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message("absent").find("No such file") != std::string::npos);
  std::filesystem::create_directories(folder.file("model"));
  static_cast<void>(folder.write("model/model.safetensors", ""));
  CHECK(message("model").find("these are model directories, not runs: rlverify diff A B") == 0);
  CHECK(message("model").find("model holds tensor files and no manifest.json") != std::string::npos);
  std::filesystem::create_directories(folder.file("rocm"));
  static_cast<void>(folder.write("rocm/launch.json", "{}"));
  CHECK(message("rocm").find("ROCm arm directory (launch.json)") != std::string::npos);
  static_cast<void>(folder.write("other.json", R"({"schema_version": "something"})"));
  CHECK(message("other.json").find("neither a run directory nor a sealed record") != std::string::npos);
  static_cast<void>(folder.write("broken.json", "{"));
  CHECK(message("broken.json").find("broken.json") != std::string::npos);
}

TestRun with_cases() {
  TestRun run = SmallRun::standard("r").files();
  const std::string same = write_pt(PtValue::Dict{{"out", rlverify::test::float_tensor({1.0F, 2.0F})},
                                                  {"lse", rlverify::test::float_tensor({0.5F})}});
  for (const char* name : {"cp2.interleave1.queries21", "cp8.interleave16.queries3"}) {
    run.files["gpu-attention-cases/" + std::string(name) + ".eager.pt"] = same;
    run.files["gpu-attention-cases/" + std::string(name) + ".cuda_graph.pt"] = same;
  }
  return run;
}

AttentionCases cases_of(const TestRun& run, core::Findings& findings) {
  TemporaryFolder folder;
  run.write(folder.file("run"));
  core::ThreadPool pool(2);
  return read_attention_cases(run::read_run_directory(folder.file("run")), pool, findings).value();
}

TEST_CASE("Attention cases: sizes and equality") {
  core::Findings findings;
  const AttentionCases good = cases_of(with_cases(), findings);
  CHECK(good.cp == std::vector<std::int64_t>{2, 8});
  CHECK(good.interleave == std::vector<std::int64_t>{1, 16});
  CHECK(good.query_counts == std::vector<std::int64_t>{21, 3});
  CHECK(good.passed == 2);
  CHECK(good.mismatches == 0);
  CHECK(findings.list().empty());
}

TEST_CASE("Attention cases that fail") {
  const std::string graph = "gpu-attention-cases/cp2.interleave1.queries21.cuda_graph.pt";
  const auto fails = [&graph](const std::string& bytes) {
    TestRun run = with_cases();
    run.files[graph] = bytes;
    core::Findings findings;
    const AttentionCases cases = cases_of(run, findings);
    CHECK(cases.passed == 1);
    CHECK(cases.mismatches == 1);
    return finding(findings, "RLV-360");
  };
  const auto tensors = [](float value, const char* name) {
    return write_pt(PtValue::Dict{{"out", rlverify::test::float_tensor({1.0F, value})},
                                  {name, rlverify::test::float_tensor({0.5F})}});
  };
  CHECK(fails(tensors(-2.0F, "lse")).expected.find("2.0 (0x40000000) at [1]") == 0);
  CHECK(fails(tensors(2.0F, "other")).found == "nothing");
  CHECK(fails(write_pt(PtValue::Dict{{"out", rlverify::test::double_tensor({1.0, 2.0})},
                                     {"lse", rlverify::test::float_tensor({0.5F})}}))
            .expected.find("torch.float32") == 0);
  CHECK(fails("no zip").what == "can't be read");
  TestRun one = with_cases();
  one.files.erase(graph);
  core::Findings findings;
  CHECK(cases_of(one, findings).mismatches == 1);
  CHECK(finding(findings, "RLV-360").what == "an attention case has one file only");
}

TEST_CASE("Artifacts: what counts, and what was changed, removed or added") {
  TemporaryFolder folder;
  TestRun run = SmallRun::standard("r").files();
  run.files["run-validation.json"] = "{}";
  run.files["COMPLETE"] = "";
  run.files["rlverify-record.json"] = "{}";
  run.files[".hidden"] = "x";
  run.files["sub/COMPLETE"] = "counts: it lies deeper";
  run.write(folder.file("run"));
  const std::string path = folder.file("run");
  const std::vector<std::string> paths = list_artifacts(path, path + "/sub/record.json");
  const auto has = [&paths](const char* name) { return std::find(paths.begin(), paths.end(), name) != paths.end(); };
  CHECK(has("run.log"));
  CHECK(has("sub/COMPLETE"));
  for (const char* name : {"run-validation.json", "COMPLETE", "rlverify-record.json", ".hidden"}) {
    CHECK_FALSE(has(name));
  }
  core::ThreadPool pool(2);
  Artifacts artifacts = hash_artifacts(path, {"run.log", "sub/COMPLETE"}, {}, pool, nullptr);
  CHECK(artifacts.at("sub/COMPLETE").bytes == 22);
  const std::string digest = artifacts.at("run.log").sha256;
  static_cast<void>(folder.write("record.json", R"({"artifacts": {"run.log": {"bytes": )" +
                                                    std::to_string(artifacts.at("run.log").bytes) + R"(, "sha256": ")" +
                                                    digest + R"("}, "gone": {"bytes": 1, "sha256": "x"}}})"));
  const core::JsonDocument record =
      core::read_json(*core::open_file(folder.file("record.json")), core::JsonMode::kStrict);
  core::Findings findings;
  check_artifacts(record.root(), artifacts, {}, findings);
  CHECK(finding(findings, "RLV-366").place.file == "gone");
  CHECK(finding(findings, "RLV-367").place.file == "sub/COMPLETE");
  CHECK(find(findings, "RLV-365") == nullptr);
  artifacts.at("run.log").sha256[0] = digest[0] == '0' ? '1' : '0';
  core::Findings changed;
  check_artifacts(record.root(), artifacts, {}, changed);
  CHECK(finding(changed, "RLV-365").place.file == "run.log");
}

TEST_CASE("A tensor that was changed or added since the run was sealed") {
  TemporaryFolder folder;
  const std::string old_digest(64, 'a');
  static_cast<void>(folder.write(
      "record.json",
      R"({"artifacts": {}, "weights": {"weight_v000001": {"tensors": {"w": {"sha256": ")" + old_digest + R"("}}}}})"));
  const core::JsonDocument record =
      core::read_json(*core::open_file(folder.file("record.json")), core::JsonMode::kStrict);
  SealedWeights now;
  now.version = "weight_v000001";
  now.files.emplace_back();
  now.digests.tensors.resize(1);
  now.digests.tensors[0].name = "w";
  now.digests.tensors[0].sha256 = old_digest;
  core::Findings same;
  check_artifacts(record.root(), {}, {now}, same);
  CHECK(same.list().empty());
  now.digests.tensors[0].sha256 = std::string(64, 'b');
  core::Findings changed;
  check_artifacts(record.root(), {}, {now}, changed);
  const core::Finding found = finding(changed, "RLV-368");
  CHECK(found.place.tensor == "w");
  CHECK(found.expected == old_digest);
}

TEST_CASE("Artifacts: links are followed, a circle ends, a dangling one is an error") {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("run/a"));
  static_cast<void>(folder.write("elsewhere", "x"));
  std::filesystem::create_symlink(folder.file("elsewhere"), folder.file("run/a/link"));
  std::filesystem::create_directory_symlink(folder.file("run"), folder.file("run/a/circle"));
  CHECK(list_artifacts(folder.file("run"), "") == std::vector<std::string>{"a/link"});
  std::filesystem::create_symlink("nowhere", folder.file("run/dangling"));
  CHECK_THROWS_AS(list_artifacts(folder.file("run"), ""), core::InputError);
}

TEST_CASE("A run with a dangling dump and a folder instead of a file") {
  TestRun right = SmallRun::standard("candidate").files();
  Pair pair(SmallRun::standard("reference").files(), right);
  const std::string dump = pair.path("candidate/" + rlverify::test::dump_path(3, 0));
  std::filesystem::remove(dump);
  std::filesystem::create_symlink("nowhere", dump);
  const CandidateComparison result = pair.compare();
  CHECK(finding(pair.reading(), "RLV-325").place.file == dump);
  CHECK(result.tokens == true);  // the other ranks hold all samples; the finding still fails the run
}

TEST_CASE("Token digests follow rlverify.tokens.v1") {
  TemporaryFolder folder;
  SmallRun run = SmallRun::standard("r");
  run.steps.resize(1);
  run.steps[0][0].index = 9;  // order is by index, not by place in the list
  run.norms.resize(1);
  run.files().write(folder.file("run"));
  const RunEvidence evidence = read(folder.file("run"));
  REQUIRE(evidence.tokens.size() == 1);
  CHECK(evidence.tokens[0].indices == std::vector<std::int64_t>{1, 9});
  core::Sha256 hash;
  for (const std::size_t sample : {std::size_t{1}, std::size_t{0}}) {
    const std::vector<std::int64_t>& tokens = run.steps[0][sample].tokens;
    const auto count = static_cast<std::uint64_t>(tokens.size());
    hash.update(std::as_bytes(std::span(&count, 1)));
    hash.update(std::as_bytes(std::span(tokens)));
  }
  CHECK(evidence.tokens[0].sha256 == core::hex(hash.finish()));
}

}  // namespace
}  // namespace rlverify::compare::test
