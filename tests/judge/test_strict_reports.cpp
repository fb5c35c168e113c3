// SPDX-License-Identifier: Apache-2.0
// Faults that were reported in public, one run each: the verdict, and the sentence that names what was wrong. Each test
// case begins with the number that docs/rules.md gives the report.
#include <catch2/catch.hpp>

#include "judge/strict_support.h"
#include "sidecar/strict_rules.h"

namespace rlverify::judge::test {
namespace {

using rlverify::test::dump_path;
using rlverify::test::float_tensor;
using rlverify::test::int_tensor;
using rlverify::test::sidecar_path;
using rlverify::test::write_pt;

/// The verdict must be a failure for these causes, and the answer must hold the sentence.
void expect_failure(const Change& change, const std::string& errors, const std::vector<std::string>& says) {
  const Judged judged = judge_changed(change);
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kFailed);
  CHECK(judged.errors == errors);
  for (const std::string& text : says) {
    CAPTURE(text);
    CHECK(judged.says(text));
  }
}
void expect_pass(const Change& change, const std::string& milder) {
  const Judged judged = judge_changed(change);
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kPassed);
  CHECK(judged.errors.empty());
  CHECK(judged.milder == milder);
}

/// Sidecars of one sample, laid out for any context-parallel size with one TP rank, surveyed and judged.
struct Sample {
  std::int64_t total = 0;
  std::int64_t response = 0;
  std::vector<float> train;
  std::vector<float> rollout;
  std::vector<std::int32_t> mask;
};
struct SidecarJudgement {
  sidecar::SidecarSection section;
  std::string errors;
  std::string sentences;
};
std::vector<float> piece_of(const Sample& sample, const std::vector<float>& whole, std::int64_t cp, std::int64_t rank) {
  std::vector<float> piece;
  for (const sidecar::Range& range : sidecar::owned_ranges(sample.total, sample.response, cp, rank)) {
    const auto size = static_cast<std::int64_t>(whole.size());
    piece.insert(piece.end(), whole.begin() + std::min(range.begin, size), whole.begin() + std::min(range.end, size));
  }
  return piece;
}
SidecarJudgement judge_samples(const std::vector<Sample>& samples, std::int64_t cp, std::int64_t ranks_there) {
  sidecar::ExpectedRun expected;
  expected.layout = {1, cp};
  expected.ranks = cp;
  expected.steps = 1;
  expected.global_batch_size = static_cast<std::int64_t>(samples.size());
  expected.require_exact = true;
  std::vector<sidecar::SurveyedFile> files;
  for (std::int64_t rank = 0; rank < ranks_there; ++rank) {
    PtValue::List train, rollout, masks, totals, responses;
    for (const Sample& sample : samples) {
      train.emplace_back(float_tensor(piece_of(sample, sample.train, cp, rank)));
      rollout.emplace_back(float_tensor(piece_of(sample, sample.rollout, cp, rank)));
      masks.emplace_back(int_tensor(
          sample.mask.empty() ? std::vector<std::int32_t>(static_cast<std::size_t>(sample.response), 1) : sample.mask));
      totals.emplace_back(sample.total);
      responses.emplace_back(sample.response);
    }
    const std::string name = "rank0000" + std::to_string(rank) + ".call00000000.pt";
    const std::string bytes = write_pt(PtValue::Dict{{"schema_version", run::kSidecarSchema},
                                                     {"rank", rank},
                                                     {"call_index", 0},
                                                     {"tensor_parallel_size", 1},
                                                     {"context_parallel_size", cp},
                                                     {"train_log_probs", train},
                                                     {"rollout_log_probs", rollout},
                                                     {"loss_masks", masks},
                                                     {"total_lengths", totals},
                                                     {"response_lengths", responses}});
    files.push_back(sidecar::survey_sidecar(std::make_unique<core::MemorySource>("mismatch-sidecars/" + name, bytes),
                                            name, expected.layout));
    for (sidecar::Shard& shard : files.back().shards) {
      shard.file = static_cast<std::uint32_t>(files.size() - 1);
    }
  }
  const sidecar::MergedShards merged = sidecar::merge_shards(files);
  report::ValidationResult result;
  SidecarJudgement judgement;
  judgement.section = sidecar::measure_sidecars(files, merged, true);
  sidecar::strict_sidecar_rules(files, merged, expected, judgement.section, result.findings);
  const Judged judged = describe(result);
  judgement.errors = judged.errors;
  judgement.sentences = judged.sentences;
  return judgement;
}
Sample equal_sample(std::int64_t total, std::int64_t response) {
  Sample sample;
  sample.total = total;
  sample.response = response;
  for (std::int64_t i = 0; i < response; ++i) {
    sample.train.push_back(-0.25F - static_cast<float>(i));
  }
  sample.rollout = sample.train;
  return sample;
}

/// A record of any step, made from that of step 1.
std::string record_as(const TestRun& run, int step, const std::string& norm = "0.021",
                      const std::string& pid = "4100") {
  std::string record = step_record(run, 1);
  const auto put = [&record](const std::string& from, const std::string& to) {
    record.replace(record.find(from), from.size(), to);
  };
  put("step 1:", "step " + std::to_string(step) + ":");
  put("'train/step': 1", "'train/step': " + std::to_string(step));
  put("0.021", norm);
  put("pid=4100", "pid=" + pid);
  return record;
}
/// The run's manifest asks for `rounds` steps; nothing else is added.
Change rounds(int count) {
  return replace("manifest.json", "\"num_rollout\": 2", "\"num_rollout\": " + std::to_string(count));
}
Change append_records(std::vector<int> steps, const std::string& behind_first = "") {
  return [=](TestRun& run) {
    std::string text;
    for (const int step : steps) {
      std::string record = record_as(run, step);
      if (step == steps.front()) {
        record.insert(record.size() - 1, behind_first);
      }
      text += record;
    }
    run.files.at("run.log") += text;
  };
}
/// The answer without what the missing rounds' files add.
Judged judge_log(const Change& change) {
  return judge_changed(change);
}

}  // namespace

TEST_CASE("B11: a gradient norm that is NaN at every step") {
  expect_failure(all_of({replace("run.log", "'train/grad_norm': 0.020", "'train/grad_norm': nan"),
                         replace("run.log", "'train/grad_norm': 0.021", "'train/grad_norm': nan")}),
                 "RLV-170 RLV-183", {"train/grad_norm is not finite", "step 0", "step 1", "(2 times"});
}

TEST_CASE("B14: nothing is being trained") {
  const Change zero =
      all_of({replace("run.log", "'train/grad_norm': 0.020", "'train/grad_norm': 0.0"),
              replace("run.log", "'train/grad_norm': 0.021", "'train/grad_norm': 0.0"), [](TestRun& run) {
                for (const char* version : {"2", "3"}) {
                  const std::string name = std::string("weight-audit/weight_v00000") + version + ".json";
                  run.files[name] = run.files.at("weight-audit/weight_v000001.json");
                  run.replace(name, "weight_v000001", std::string("weight_v00000") + version);
                }
              }});
  expect_failure(zero, "RLV-180 RLV-183 RLV-186 RLV-187",
                 {"vacuous: no weight update in 2 steps", "the update from weight_v000001 changed nothing"});
  expect_pass(all_of({zero, replace("manifest.json", "\"require_updates\": true", "\"require_updates\": false")}),
              "RLV-186w RLV-187w");
}

TEST_CASE("B15: a rank may own no response token; its file may not be missing") {
  const SidecarJudgement two = judge_samples({equal_sample(16, 3)}, 2, 2);
  CAPTURE(two.sentences);
  CHECK(two.errors.empty());
  CHECK(two.section.element_count == 3);
  const SidecarJudgement four = judge_samples({equal_sample(64, 8)}, 4, 4);
  CHECK(four.errors.empty());
  CHECK(four.section.element_count == 8);
  const SidecarJudgement missing = judge_samples({equal_sample(16, 3)}, 2, 1);
  CAPTURE(missing.sentences);
  CHECK(missing.errors == "RLV-154 RLV-165");
  CHECK(missing.sentences.find("missing CP shard 1") != std::string::npos);
}

TEST_CASE("B16: seven log-probs for a response of eight tokens") {
  Sample sample = equal_sample(20, 8);
  sample.rollout.pop_back();
  const SidecarJudgement judged = judge_samples({equal_sample(20, 8), sample}, 1, 1);
  CAPTURE(judged.sentences);
  CHECK(judged.errors == "RLV-156");
  for (const char* text :
       {"rank 0, call 0, sample 1", "8 values", "response length 8, total length 20", "7 values in rollout"}) {
    CHECK(judged.sentences.find(text) != std::string::npos);
  }
}

TEST_CASE("B17: positions that the engine did not return stay 0.0") {
  Sample sample = equal_sample(8, 4);
  sample.train = {-0.4F, -10.8F, -9.2F, -1.1F};
  sample.rollout = {-0.4F, 0.0F, 0.0F, -1.1F};
  const SidecarJudgement judged = judge_samples({sample}, 1, 1);
  CAPTURE(judged.sentences);
  CHECK(judged.errors == "RLV-162");
  CHECK(judged.section.mismatch_count == 2);
  CHECK(judged.sentences.find("rollout is exactly 0.0 where train is not") != std::string::npos);
  sample.train = sample.rollout;
  CHECK(judge_samples({sample}, 1, 1).errors.empty());
}

TEST_CASE("B18: an engine writes null for a log-prob that is not finite") {
  const auto in_dump = [](const PtValue& element) {
    return dumps({3}, 0, [element](PtValue& payload) {
      payload["rollout_data"]["rollout_log_probs"].at(0) = PtValue::List{-0.5, element, -0.2};
    });
  };
  expect_failure(in_dump(PtValue()), "RLV-159",
                 {"sample 0 position 1: logprob is null (engine produced a non-finite value)"});
  expect_failure(in_dump("NaN"), "RLV-159", {"sample 0 position 1: logprob is the string 'NaN'"});
  const auto in_sidecar = [](const PtValue& element) {
    return sidecars({0}, 0, [element](PtValue& payload) {
      payload["rollout_log_probs"].at(0) = PtValue::List{-0.5, element, -0.2};
    });
  };
  expect_failure(in_sidecar(PtValue()), "RLV-151",
                 {"sample 0 position 1: logprob is null (engine produced a non-finite value)"});
  expect_failure(in_sidecar("NaN"), "RLV-151", {"sample 0 position 1: logprob is the string 'NaN'"});
}

TEST_CASE("B19: a mask without an active token") {
  std::vector<Sample> samples(8, equal_sample(20, 8));
  samples[3].mask.assign(8, 0);
  const SidecarJudgement one = judge_samples(samples, 1, 1);
  CAPTURE(one.sentences);
  CHECK(one.errors.empty());
  CHECK(one.section.sample_count == 8);
  CHECK(one.section.element_count == 56);
  for (Sample& sample : samples) {
    sample.mask.assign(8, 0);
  }
  const SidecarJudgement all = judge_samples(samples, 1, 1);
  CHECK(all.errors == "RLV-161");
  CHECK_FALSE(all.section.max_abs_diff.has_value());
  // The same for one step of a run.
  expect_failure(sidecars(all_ranks(), 1,
                          [](PtValue& payload) {
                            payload["loss_masks"].at(0) = int_tensor({0, 0, 0, 0, 0, 0});
                            payload["loss_masks"].at(1) = int_tensor({0, 0, 0, 0, 0, 0});
                          }),
                 "RLV-161", {"no active response tokens in the whole step"});
}

TEST_CASE("B20: empty, partial and contradicting evidence does not pass for one run") {
  Sample sample = equal_sample(20, 10);
  sample.rollout.resize(4);
  CHECK(judge_samples({sample}, 1, 1).errors == "RLV-156 RLV-161");
  expect_failure([](TestRun& run) { run.remove("mismatch-sidecars/"); }, "RLV-150", {"no mismatch sidecars"});
  expect_failure(
      [](TestRun& run) {
        PtValue payload = rlverify::test::sidecar_payload(0, 0);
        set_float(payload["train_log_probs"].at(0), 0, -0.5F);
        run.files["mismatch-sidecars/rank00000.call00000000.pt.copy.pt"] = write_pt(payload);
      },
      "RLV-153 RLV-166", {"replicas of a shard differ"});
}

TEST_CASE("B21: +0.0 and -0.0 are equal and not the same bits") {
  Sample sample = equal_sample(2, 1);
  sample.train = {0.0F};
  sample.rollout = {-0.0F};
  const SidecarJudgement judged = judge_samples({sample}, 1, 1);
  CAPTURE(judged.sentences);
  CHECK(judged.errors == "RLV-162");
  CHECK(judged.section.bitwise_mismatch_count == 1);
  CHECK(judged.section.mismatch_count == 0);
  CHECK(judged.section.max_abs_diff == 0.0);
  CHECK(judged.section.torch_equal);
  CHECK_FALSE(judged.section.bitwise_equal);
  CHECK(judged.sentences.find("only the sign of zero differs") != std::string::npos);
}

TEST_CASE("B22: differences that cancel are still differences") {
  Sample sample = equal_sample(8, 4);
  sample.rollout = {-0.5F, -0.5F, -0.5F, -0.5F};
  sample.train = {-0.4F, -0.6F, -0.5F, -0.5F};
  const SidecarJudgement judged = judge_samples({sample}, 1, 1);
  CHECK(judged.errors == "RLV-162");
  CHECK(judged.section.mismatch_count == 2);
  CHECK(judged.section.max_abs_diff.value() == Approx(0.1).epsilon(1e-6));
  CHECK(judged.section.mean_abs_diff.value() == Approx(0.05).epsilon(1e-6));
  // A log that says otherwise is contradicted, not believed.
  expect_failure(
      all_of(
          {sidecars(replicas_of(1), 1, [](PtValue& payload) { set_float(payload["train_log_probs"].at(1), 2, -0.5F); }),
           replace("run.log", "'train/loss': 0.002", "'train/train_rollout_logprob_diff': 0.0, 'train/loss': 0.002")}),
      "RLV-162 RLV-179 RLV-191", {"contradict"});
}

TEST_CASE("B23: a fallback deep inside a record, and one that is not denied") {
  expect_failure(replace_all(vllm(2), "\"strict_backend\": true", "\"strict_backend\": true, \"fallback_used\": true"),
                 "RLV-130", {"fallback reported at provenance.execution.fallback_used"});
  expect_failure(replace_all(vllm(2), "\"fallback\": false, ", ""), "RLV-131 RLV-135 RLV-137",
                 {"fallback=false not proven"});
  expect_failure(replace_all(megatron(2), "\"fallback\": false, ", ""), "RLV-131", {"fallback=false not proven"});
}

TEST_CASE("B24: the environment asks for a backend and another one runs") {
  const Change asks =
      replace("manifest.json", "\"env_vars\": {", "\"env_vars\": {\"VLLM_ATTENTION_BACKEND\": \"FLEX_ATTENTION\", ");
  const Change runs = replace_all(vllm(2), "\"actual_backend\": \"rlkernel.attention.deterministic.v1\"",
                                  "\"actual_backend\": \"ROCM_ATTN\"");
  expect_failure(all_of({asks, runs}), "RLV-132",
                 {"requested FLEX_ATTENTION, executed ROCM_ATTN", "readbacks/vllm-rollout-52002.json",
                  "manifest.json asks for it in runtime_env.env_vars.VLLM_ATTENTION_BACKEND"});
  expect_failure(runs, "RLV-132", {"requested rl_kernel, executed 'ROCM_ATTN'"});
  expect_pass(asks, "");
}

TEST_CASE("B25: a list of capture sizes that was silently cut") {
  const std::string cut = "'cudagraph_capture_sizes': [1, 2, 4, 8, 16, 24, 32, 40]";
  const Change sizes = all_of(
      {replace("manifest.json", "\"capture_sizes\": [1, 2]", "\"capture_sizes\": [1, 2, 4, 8, 16, 24, 32, 40, 42]"),
       replace("run.log", "sizes: [1,2]", "sizes: [1,2,4,8,16,24,32,40,42]")});
  expect_failure(
      all_of({sizes, replace("run.log", "'cudagraph_capture_sizes': [1, 2]", cut),
              log_line("WARNING cudagraph capture sizes were truncated to the largest of the default list")}),
      "RLV-141", {"missing capture size 42", "line 13 says: WARNING cudagraph capture sizes were truncated"});
  expect_pass(all_of({sizes, replace("run.log", "'cudagraph_capture_sizes': [1, 2]",
                                     "\"cudagraph_capture_sizes\" : [42,40 ,32,24,16,8,4,2,1]")}),
              "");
}

TEST_CASE("B26: graphs were asked for and the engine ran eagerly") {
  expect_failure(all_of({replace("run.log", "enforce_eager=False", "enforce_eager=True"),
                         replace("run.log",
                                 ", compilation_config={'cudagraph_mode': <CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>, "
                                 "'cudagraph_capture_sizes': [1, 2]}",
                                 "")}),
                 "RLV-139 RLV-140 RLV-141", {"manifest expects FULL_DECODE_ONLY, log shows eager"});
}

TEST_CASE("B27: numpy scalars in a record") {
  expect_pass(all_of({replace("run.log", "'train/grad_norm': 0.020", "'train/grad_norm': np.float32(0.1)"),
                      replace("run.log", "'train/loss': 0.001", "'train/loss': np.float64(-1e-07), 'n': np.int64(8)")}),
              "");
}

TEST_CASE("B28: output of two drivers in one log") {
  expect_failure([](TestRun& run) { run.files.at("run.log") += record_as(run, 1, "0.5", "97"); }, "RLV-175",
                 {"step 1 recorded twice with different values (lines 10, 13; pid 4100, 97)"});
}

TEST_CASE("B29: Ray folds lines that differ in numbers only") {
  const Judged judged = judge_log(all_of({rounds(7), append_records({2, 6}, " [repeated 4x across cluster]")}));
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kFailed);
  CHECK(judged.says("steps 3,4,5 missing"));
  CHECK(judged.says("log shows Ray dedup at line 13"));
}

TEST_CASE("B30: the steps are counted from 0 again after a resume") {
  expect_failure(
      [](TestRun& run) {
        run.files.at("run.log") += "restarting\n" + record_as(run, 0, "0.3") + record_as(run, 1, "0.4");
      },
      "RLV-175", {"step 0 recorded twice with different values (lines 7, 14;", "step 1 recorded twice"});
  expect_pass(
      [](TestRun& run) { run.files.at("run.log") += "restarting\n" + step_record(run, 0) + step_record(run, 1); },
      "RLV-176n");
  // The number of steps stays the manifest's.
  const Judged more = judge_log(
      all_of({rounds(4), [](TestRun& run) { run.files.at("run.log") += step_record(run, 0) + step_record(run, 1); }}));
  CHECK(more.says("steps 2,3 missing"));
}

TEST_CASE("B31: NaN in the manifest has a line and a column") {
  expect_failure(replace("manifest.json", "\"top_p\": 0.95", "\"top_p\": NaN"), "RLV-106",
                 {"manifest.json line 8 column", "NaN"});
}

TEST_CASE("B32: parallel sizes that nobody knows, and ranks that are not there") {
  expect_failure(replace("manifest.json", "\"pp\": 1,", "\"pp\": 1, \"ep\": 8, \"etp\": 1,"), "RLV-107",
                 {"doesn't know: ep", "doesn't know: etp"});
  expect_failure(
      [](TestRun& run) {
        run.remove("mismatch-sidecars/rank00006");
        run.remove("mismatch-sidecars/rank00007");
      },
      "RLV-165", {"expected ranks 0-7, found 0-5", "none of rank 6, 7"});
}

TEST_CASE("B33: the two sides pad the vocabulary differently") {
  expect_failure(all_of({replace_all(megatron(0), "\"cp_rank\": 0,", "\"cp_rank\": 0, \"padded_vocab_size\": 16,"),
                         replace_all(vllm(0), "\"cp_rank\": 0,", "\"cp_rank\": 0, \"padded_vocab_size\": 12,")}),
                 "RLV-136", {"padded_vocab_size", "training 16", "rollout 12"});
}

TEST_CASE("B36: a run that stopped early has one cause") {
  const Judged judged =
      judge_changed(all_of({rounds(9), replace("manifest.json", "\"returncode\": 0", "\"returncode\": 137"),
                            append_records({2, 3}), [](TestRun& run) {
                              run.remove("mismatch-sidecars/");
                              run.remove("weight-audit/");
                              run.remove("train-data/");
                            }}));
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kFailed);
  CHECK(judged.errors == "RLV-103");
  CHECK(judged.milder == "RLV-199n");
  CHECK(judged.says("launcher exited 137 after step 3"));
  CHECK(judged.says("not evaluated"));
  // Also where so little is left that nothing could be judged.
  const Judged little = judge_changed(all_of({replace("manifest.json", "\"returncode\": 0", "\"returncode\": 137"),
                                              [](TestRun& run) { run.remove("readbacks/"); }}));
  CHECK(little.exit_code == core::ExitCode::kFailed);
  CHECK(little.errors == "RLV-103");
}

TEST_CASE("B37: a numpy scalar is a number or a named refusal; code in a file is neither run nor passed over") {
  // The rank is pushed by a global instead of a number; pairs of "push None" and "pop" keep the length of the archive.
  const auto with_global = [](const std::string& global) {
    return [global](TestRun& run) {
      const std::string code = "c" + global + "\n";
      const std::string placeholder(code.size() + 1, 'x');
      std::string text = "X" + std::string(4, '\0') + placeholder;
      text[1] = static_cast<char>(placeholder.size());
      PtValue payload = rlverify::test::sidecar_payload(0, 0);
      payload["rank"] = placeholder;
      std::string bytes = write_pt(payload);
      const std::size_t place = bytes.find(text);
      REQUIRE(place != std::string::npos);
      std::string opcodes = code;
      while (opcodes.size() < text.size()) {
        opcodes += "N0";
      }
      REQUIRE(opcodes.size() == text.size());
      run.files.at(sidecar_path(0, 0)) = bytes.replace(place, text.size(), opcodes);
    };
  };
  const Judged scalar = judge_changed(with_global("numpy._core.multiarray\nscalar"));
  CAPTURE(scalar.sentences);
  CHECK(scalar.exit_code == core::ExitCode::kFailed);
  CHECK(scalar.errors == "RLV-151");
  CHECK(scalar.says("numpy"));
  const Judged judged = judge_changed(with_global("posix\nsystem"));
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kFailed);
  CHECK(judged.errors == "RLV-151");
  CHECK(judged.says("posix"));
}

}  // namespace rlverify::judge::test
