// SPDX-License-Identifier: Apache-2.0
// Norms, backends, CUDA graphs, and the first divergence in causal order.
#include "run_support.h"

namespace rlverify::compare::test {
namespace {

using rlverify::test::TestRun;

SmallRun with_norms(std::string name, std::vector<std::string> norms) {
  SmallRun run = SmallRun::standard(std::move(name));
  run.norms = std::move(norms);
  return run;
}

CandidateComparison compare_norm_texts(std::vector<std::string> left, std::vector<std::string> right) {
  Pair pair(with_norms("reference", std::move(left)), with_norms("candidate", std::move(right)));
  return pair.compare();
}

TEST_CASE("Norms that look alike: 17 digits and the relative gap") {
  const CandidateComparison result = compare_norm_texts({"0.02259021205946512"}, {"0.022595004168846734"});
  CHECK(result.norms.at(0) == false);
  CHECK(result.log_probs == true);
  const core::Finding found = finding(result.findings, "RLV-340");
  CHECK(found.what == "gradient norms differ at step 0, relative gap 0.0212 %");
  CHECK(found.expected.find("0.02259021205946512") == 0);
  CHECK(found.found.find("0.022595004168846734") == 0);
  CHECK_FALSE(result.passed());
}

TEST_CASE("Norms in Python's other spellings") {
  CHECK(compare_norm_texts({"np.float32(0.5)", "1"}, {"0.5", "1.0"}).norms_equal() == true);
  CHECK(compare_norm_texts({"0.0", "1.0"}, {"-0.0", "1.0"}).norms.at(0) == false);
}

TEST_CASE("A norm that is not finite equals nothing") {
  const CandidateComparison both = compare_norm_texts({"nan", "nan"}, {"nan", "nan"});
  CHECK(both.norms.at(0) == false);
  CHECK(both.norms.at(1) == false);
  CHECK(finding(both.findings, "RLV-341").what == "grad_norm non-finite at steps 0..1 on both sides");
  CHECK_FALSE(both.passed());
  Pair pair(with_norms("reference", {"0.5", "inf"}), with_norms("candidate", {"0.5", "0.5"}));
  CHECK(finding(pair.compare().findings, "RLV-341").what == "grad_norm non-finite at step 1 on reference");
  CHECK(finding(pair.reading(), "RLV-347").place.field == "train/grad_norm");
}

TEST_CASE("A constant ratio of norms is a matter of reporting") {
  std::vector<std::string> left;
  std::vector<std::string> right;
  for (int step = 0; step < 10; ++step) {
    const double norm = 0.1 + 0.037 * step * step;
    char text[64];
    std::snprintf(text, sizeof(text), "%.17g", norm);
    left.emplace_back(text);
    std::snprintf(text, sizeof(text), "%.17g", norm * 1.5217);
    right.emplace_back(text);
  }
  const CandidateComparison result = compare_norm_texts(left, right);
  CHECK(finding(result.findings, "RLV-348").what == "ratio constant 1.5217 over 10 steps, weight digests equal");
  right[4] = "0.9";
  CHECK(find(compare_norm_texts(left, right).findings, "RLV-348") == nullptr);
}

TEST_CASE("Norms that are 0 everywhere are vacuous") {
  const CandidateComparison result = compare_norm_texts({"0.0", "0.0"}, {"0.0", "0.0"});
  CHECK(result.norms_equal() == true);
  CHECK(finding(result.findings, "RLV-344").severity == core::Severity::kWarning);
  CHECK(find(compare_norm_texts({"0.0", "0.1"}, {"0.0", "0.1"}).findings, "RLV-344") == nullptr);
}

TEST_CASE("A step that one side lacks is false, never absent") {
  const CandidateComparison result = compare_norm_texts({"0.5", "0.25"}, {"0.5"});
  CHECK(result.norms.at(0) == true);
  CHECK(result.norms.at(1) == false);
  CHECK(finding(result.findings, "RLV-342").what == "step 1 is recorded by reference alone");
  const CandidateComparison none = compare_norm_texts({"0.5"}, {});
  CHECK(none.norms.at(0) == false);
  CHECK_FALSE(none.norms_equal().has_value());
  CHECK(find(none.findings, "RLV-342") == nullptr);
  CHECK_FALSE(none.passed());
  CHECK(finding(none.findings, "RLV-345").what == "no step records of candidate: norms can't be compared");
}

TEST_CASE("Records that are no evidence") {
  TestRun right = with_norms("candidate", {"0.5", "0.25"}).files();
  right.files["run.log"] +=
      "(Other pid=97) x - step 0: {'train/grad_norm': 0.75}\n(Other pid=97) x - step 1: {'train/grad_norm': oops()}\n";
  Pair pair(with_norms("reference", {"0.5", "0.25"}).files(), right);
  const CandidateComparison result = pair.compare();
  CHECK(result.norms_equal() == true);                             // the first record counts ...
  const core::Finding twice = finding(pair.reading(), "RLV-343");  // ... and the run is still no clean evidence
  CHECK(twice.what == "step 0 is recorded twice with different values");
  CHECK(twice.found.find("pid 97") != std::string::npos);
  CHECK(find(pair.reading(), "RLV-346") != nullptr);
}

TEST_CASE("Backends of one arm must be the same") {
  TestRun right = SmallRun::standard("candidate").files();
  right.replace_all("readbacks/vllm-rollout-5200.json", "rlkernel.linear_logp.bitwise.v1",
                    "pytorch-vocab-parallel-logp-ws2");
  Pair pair(SmallRun::standard("reference").files(), right);
  const CandidateComparison result = pair.compare();
  CHECK(result.backends == false);
  const core::Finding found = finding(result.findings, "RLV-350");
  CHECK(found.severity == core::Severity::kError);
  CHECK(found.place.field.find("vllm/rollout logp") == 0);
  CHECK(found.expected.find("reference/readbacks/vllm-rollout-5200.json") != std::string::npos);
  CHECK(found.found.find("candidate/readbacks/vllm-rollout-5200.json") != std::string::npos);
  REQUIRE(result.first.has_value());
  CHECK(result.first->section == core::Section::kBackends);
  CHECK_FALSE(result.first->step.has_value());
}

TEST_CASE("Backends of other arms differ on purpose") {
  SmallRun native = SmallRun::standard("candidate");
  native.arm =
      R"({"attention_case": "P/P", "ffn_case": "R/R", "logp_case": "R/R", "group": "M011", "framework_use_rollout_logprobs": false})";
  TestRun right = native.files();
  right.replace_all("readbacks/megatron-training-4100.json", "rlkernel.attention.deterministic.v1",
                    "megatron.production.attention");
  Pair pair(SmallRun::standard("reference").files(), right);
  const CandidateComparison result = pair.compare();
  CHECK(result.backends == false);
  CHECK(result.backends_note_only);
  CHECK(finding(result.findings, "RLV-350").severity == core::Severity::kNote);
  CHECK(result.passed());
  CHECK_FALSE(result.first.has_value());
}

TEST_CASE("Padded vocabulary, fallback and platform are part of the backends") {
  const auto differs = [](std::string_view from, std::string_view to) {
    TestRun right = SmallRun::standard("candidate").files();
    right.replace_all("readbacks/vllm-rollout-5200.json", from, to);
    Pair pair(SmallRun::standard("reference").files(), right);
    return pair.compare().backends == false;
  };
  CHECK(differs("\"fallback\": false", "\"fallback\": true"));
  CHECK(differs("\"runtime_platform\": \"cuda\"", "\"runtime_platform\": \"rocm\""));
  CHECK(differs("\"triton_used\": false", "\"triton_used\": false, \"padded_vocab_size\": 152064"));
  CHECK(differs("\"execution_mode\": \"eager\"", "\"execution_mode\": \"compiled_cuda_graph\""));
  CHECK_FALSE(differs("\"call_count\": 4", "\"call_count\": 40"));
}

TEST_CASE("Without readbacks or engine lines there is no verdict, and no failure") {
  TestRun right = SmallRun::standard("candidate").files();
  right.remove("readbacks");
  right.replace("run.log",
                "enforce_eager=False, compilation_config={'cudagraph_mode': <CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>, "
                "'cudagraph_capture_sizes': [1, 2]}",
                "");
  Pair pair(SmallRun::standard("reference").files(), right);
  const CandidateComparison result = pair.compare();
  CHECK_FALSE(result.backends.has_value());
  CHECK_FALSE(result.graphs.has_value());
  CHECK(find(result.findings, "RLV-351") != nullptr);
  CHECK(find(result.findings, "RLV-356") != nullptr);
  CHECK(result.passed());
}

TEST_CASE("Fewer readbacks on a side are told, though what is there is equal") {
  TestRun left = SmallRun::standard("reference").files();
  left.files["readbacks/megatron-training-4101.json"] = rlverify::test::readback_text("megatron", 0);
  Pair pair(left, SmallRun::standard("candidate").files());
  const CandidateComparison result = pair.compare();
  CHECK(result.backends == true);
  CHECK(result.passed());
  const core::Finding found = finding(result.findings, "RLV-353");
  CHECK(found.severity == core::Severity::kNote);
  CHECK(found.expected == "3, as reference has");
  CHECK(found.found == "2");

  Pair alike(left, left);
  CHECK(find(alike.compare().findings, "RLV-353") == nullptr);
}

TEST_CASE("A readback that can't be read") {
  TestRun right = SmallRun::standard("candidate").files();
  right.files["readbacks/vllm-rollout-5201.json"] = "{";
  Pair pair(SmallRun::standard("reference").files(), right);
  static_cast<void>(pair.compare());
  CHECK(finding(pair.reading(), "RLV-352").place.file.find("candidate/readbacks/vllm-rollout-5201.json") !=
        std::string::npos);
}

TEST_CASE("Eager mode where graphs were asked for, and modes that differ") {
  SmallRun eager = SmallRun::standard("reference");
  eager.engine = "(VLLMEngine pid=5) engine args: enforce_eager=True\n";
  Pair pair(eager, SmallRun::standard("candidate"));
  const CandidateComparison result = pair.compare();
  CHECK(finding(result.findings, "RLV-357").what == "reference: manifest expects FULL_DECODE_ONLY, log shows eager");
  CHECK(result.graphs == false);
  const core::Finding found = finding(result.findings, "RLV-355");
  CHECK(found.severity == core::Severity::kError);
  CHECK(found.expected.find("eager in ") == 0);
  CHECK(found.found.find("FULL_DECODE_ONLY in ") == 0);
  CHECK_FALSE(result.passed());
}

TEST_CASE("Capture sizes: an error where the same were asked for, else a note") {
  SmallRun other = SmallRun::standard("candidate");
  other.engine =
      "(VLLMEngine pid=5) enforce_eager=False, compilation_config={'cudagraph_mode': <CUDAGraphMode.FULL_DECODE_ONLY: "
      "(2, 0)>, 'cudagraph_capture_sizes': [1, 2, 4]}\n";
  Pair same(SmallRun::standard("reference"), other);
  CHECK(finding(same.compare().findings, "RLV-355").severity == core::Severity::kError);
  other.capture_sizes = "[1, 2, 4]";
  Pair asked(SmallRun::standard("reference"), other);
  const CandidateComparison result = asked.compare();
  CHECK(finding(result.findings, "RLV-355").severity == core::Severity::kNote);
  CHECK(result.graphs_note_only);
  CHECK(result.passed());
}

TEST_CASE("The first divergence in causal order; what follows is a consequence") {
  SmallRun right = SmallRun::standard("candidate");
  right.norms = {"0.0225", "0.5"};
  right.steps[1][0].train[2] = -4.0F;
  TestRun files = right.files();
  files.replace("weight-audit/weight_v000003.json", std::string(64, '3'), std::string(64, '4'));
  Pair pair(SmallRun::standard("reference").files(), files);
  const CandidateComparison result = pair.compare();
  REQUIRE(result.first.has_value());
  CHECK(result.first->section == core::Section::kLogProbs);
  CHECK(result.first->step == 1);
  CHECK(result.first->code == "RLV-330");
  CHECK(result.first->before ==
        "everything before is bit-identical: backends, CUDA graphs, weights of 2 versions, tokens of 2 steps, "
        "log-probs of 1 step, norms of 1 step");
  CHECK(finding(result.findings, "RLV-330").because_of.empty());
  CHECK(finding(result.findings, "RLV-340").because_of == "RLV-330");
  // That an audit's total isn't that of its tensors is a fault of its own.
  CHECK(finding(result.findings, "RLV-318").because_of.empty());
}

TEST_CASE("Weights come before the log-probs that they cause") {
  SmallRun right = SmallRun::standard("candidate");
  right.steps[1][0].train[2] = -4.0F;
  TestRun files = right.files();
  files.replace("weight-audit/weight_v000002.json", std::string(64, '2'), std::string(64, '1'));
  Pair pair(SmallRun::standard("reference").files(), files);
  const CandidateComparison result = pair.compare();
  REQUIRE(result.first.has_value());
  CHECK(result.first->section == core::Section::kWeights);
  CHECK(result.first->version == "weight_v000002");
  CHECK(finding(result.findings, "RLV-330").because_of == result.first->code);
}

TEST_CASE("Versions and steps") {
  CHECK(step_of_version("weight_v000001") == 0);
  CHECK(step_of_version("weight_v000017") == 16);
  CHECK(step_of_version("model") == 0);
  CHECK(step_of_version("v1", 0) == 1);
}

TEST_CASE("Runs without anything in common have nothing to compare") {
  TestRun left;
  TestRun right;
  left.files["manifest.json"] = "{}";
  right.files["manifest.json"] = "{}";
  Pair pair(left, right);
  const CandidateComparison result = pair.compare();
  CHECK_FALSE(result.anything_compared());
  RunComparison runs;
  runs.candidates.push_back(result);
  CHECK(runs.exit_code() == core::ExitCode::kNothingComparable);
}

TEST_CASE("A manifest that can't be read is a finding, and the run goes by its directory") {
  TestRun right = SmallRun::standard("candidate").files();
  right.files["manifest.json"] = "{";
  Pair pair(SmallRun::standard("reference").files(), right);
  CHECK(pair.compare().name == "candidate");
  CHECK(finding(pair.reading(), "RLV-370").place.file.find("candidate/manifest.json") != std::string::npos);
}

}  // namespace
}  // namespace rlverify::compare::test
