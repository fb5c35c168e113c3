// SPDX-License-Identifier: Apache-2.0
// Strict rules on sidecars, on train dumps, and on the log's numbers against the sidecars'.
#include <catch2/catch.hpp>
#include <limits>

#include "judge/strict_support.h"

namespace rlverify::judge::test {
namespace {

using rlverify::test::double_tensor;
using rlverify::test::dump_path;
using rlverify::test::dump_payload;
using rlverify::test::float_tensor;
using rlverify::test::int_tensor;
using rlverify::test::long_tensor;
using rlverify::test::sidecar_path;
using rlverify::test::sidecar_payload;
using rlverify::test::write_pt;

std::function<void(PtValue&)> set_field(const std::string& key, const PtValue& value) {
  return [=](PtValue& payload) { payload[key] = value; };
}
/// Masks positions of one sample's response.
std::function<void(PtValue&)> mask(std::size_t sample, std::vector<std::int32_t> values) {
  return [=](PtValue& payload) { payload["loss_masks"].at(sample) = int_tensor(values); };
}
/// One side's element in sidecars and dumps of both kinds.
Change in_sidecars_and_dumps(std::size_t sample, std::size_t index, float value) {
  return all_of(
      {sidecars(replicas_of(1), 1, both_sides(sample, index, value)), dumps(replicas_of(1), 1, [=](PtValue& payload) {
         set_float(payload["rollout_data"]["log_probs"].at(sample), index, value);
         set_float(payload["rollout_data"]["rollout_log_probs"].at(sample), index, value);
       })});
}
Change metric(const std::string& name, const std::string& value) {
  return replace_all("run.log", "'train/" + name + "': 0.0", "'train/" + name + "': " + value);
}
constexpr const char* kCount = "train_current_rollout_logprob_mismatch_count";
constexpr const char* kMax = "train_current_rollout_logprob_max_abs_diff";
constexpr const char* kMean = "train_rollout_logprob_abs_diff";

/// Form 2 of a dump: whole responses of both samples of a round.
PtValue whole_samples(int call) {
  const auto piece = [call](int cp_rank, const char* field, int sample) {
    PtValue payload = dump_payload(cp_rank * 4, call);
    const std::string bytes = payload["rollout_data"][field].at(static_cast<std::size_t>(sample)).tensor().bytes;
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  PtValue::List samples;
  for (int sample = 0; sample < 2; ++sample) {
    PtValue::Dict columns = {{"data_parallel_rank", 0}, {"sample_index", call * 2 + sample}};
    for (const char* field : {"log_probs", "rollout_log_probs"}) {
      // Rank 4 (context-parallel rank 1) owns the first positions of the response, rank 0 the last ones.
      std::vector<float> whole = piece(1, field, sample);
      const std::vector<float> rest = piece(0, field, sample);
      whole.insert(whole.end(), rest.begin(), rest.end());
      columns.emplace_back(field, float_tensor(whole));
    }
    samples.emplace_back(columns);
  }
  return PtValue::Dict{{"format_version", 2}, {"rollout_id", call}, {"rank", 0}, {"samples", samples}};
}
/// The run with one dump of form 2 for each round.
void use_form_2(TestRun& run) {
  run.remove("train-data/");
  for (int call = 0; call < 2; ++call) {
    run.files[dump_path(0, call)] = write_pt(whole_samples(call));
  }
}
/// Splits round 0 into one call for each sample (the order of the samples turned round), round 1 stays one call.
void use_dynamic_batches(TestRun& run) {
  for (int rank = 0; rank < 8; ++rank) {
    for (int call = 0; call < 3; ++call) {
      PtValue payload = sidecar_payload(rank, call == 2 ? 1 : 0);
      payload["call_index"] = call;
      for (const char* field :
           {"train_log_probs", "rollout_log_probs", "loss_masks", "total_lengths", "response_lengths"}) {
        if (call < 2) {
          const PtValue kept = payload[field].at(call == 0 ? 1 : 0);
          payload[field] = PtValue::List{kept};
        }
      }
      run.files[sidecar_path(rank, call)] = write_pt(payload);
    }
  }
}

}  // namespace

TEST_CASE("Sidecars: all ranks, calls and samples") {
  check({
      {"none", [](TestRun& run) { run.remove("mismatch-sidecars/"); }, "RLV-150", "no mismatch sidecars"},
      {"a replica missing", [](TestRun& run) { run.remove("mismatch-sidecars/rank00002"); }, "RLV-165",
       "none of rank 2"},
      {"a rank too many",
       [](TestRun& run) {
         for (int call = 0; call < 2; ++call) {
           PtValue payload = sidecar_payload(0, call);
           payload["rank"] = 8;
           run.files[sidecar_path(8, call)] = write_pt(payload);
         }
       },
       "RLV-165", "expected ranks 0-7, found 0-8"},
      {"a call missing on one rank", [](TestRun& run) { run.remove(sidecar_path(2, 1)); }, "RLV-167",
       "different numbers of calls"},
      {"a hole in the calls",
       [](TestRun& run) {
         for (int rank = 0; rank < 8; ++rank) {
           PtValue payload = sidecar_payload(rank, 1);
           payload["call_index"] = 2;
           run.remove(sidecar_path(rank, 1));
           run.files[sidecar_path(rank, 2)] = write_pt(payload);
         }
       },
       "RLV-167", "calls of a rank are not contiguous"},
      {"another number of samples on one rank",
       sidecars({2}, 1,
                [](PtValue& payload) {
                  for (const char* field :
                       {"train_log_probs", "rollout_log_probs", "loss_masks", "total_lengths", "response_lengths"}) {
                    const PtValue first = payload[field].at(0);
                    payload[field] = PtValue::List{first};
                  }
                }),
       "RLV-167", "different numbers of samples"},
      {"twice under another name",
       [](TestRun& run) { run.files["mismatch-sidecars/copy.pt"] = run.files.at(sidecar_path(2, 1)); }, "RLV-166",
       "copy.pt"},
      {"payload of another rank", sidecars({2}, 1, set_field("rank", 3)), "RLV-166 RLV-167",
       "rank00003.call00000001.pt"},
      {"last calls missing",
       [](TestRun& run) {
         for (int rank = 0; rank < 8; ++rank) {
           run.remove(sidecar_path(rank, 1));
         }
       },
       "RLV-163 RLV-164", "another number of samples"},
      {"one loss computed twice",
       [](TestRun& run) {
         for (int rank = 0; rank < 8; ++rank) {
           PtValue payload = sidecar_payload(rank, 1);
           payload["call_index"] = 2;
           run.files[sidecar_path(rank, 2)] = write_pt(payload);
         }
       },
       "RLV-163 RLV-164", "6"},
      {"not a file of torch", [](TestRun& run) { run.files[sidecar_path(2, 1)] = "junk"; }, "RLV-151",
       "mismatch-sidecars/rank00002.call00000001.pt"},
      {"parallel size", sidecars({2}, 1, set_field("tensor_parallel_size", 8)), "RLV-151", "tensor_parallel_size"},
      {"rank as boolean", sidecars({1}, 1, set_field("rank", true)), "RLV-151", "rank"},
      {"length as float", sidecars({1}, 1, [](PtValue& payload) { payload["total_lengths"].at(0) = 17.0; }), "RLV-151",
       "total_lengths"},
  });
}

TEST_CASE("Sidecars: values that log-probs can have") {
  const float infinity = std::numeric_limits<float>::infinity();
  check({
      {"differ in bits",
       sidecars(replicas_of(1), 1, [](PtValue& payload) { set_float(payload["train_log_probs"].at(1), 2, -0.5F); }),
       "RLV-162 RLV-179 RLV-191", "rank 4, call 1, sample 1, position 2"},
      {"replicas differ", sidecars({6}, 1, both_sides(1, 2, -0.5F)), "RLV-153 RLV-191", "replicas of a shard differ"},
      {"positive", in_sidecars_and_dumps(1, 2, 0.25F), "RLV-168", "no probability is above 1"},
      {"not finite", in_sidecars_and_dumps(1, 2, -infinity), "RLV-159", "not finite"},
      {"not a number", in_sidecars_and_dumps(0, 2, std::numeric_limits<float>::quiet_NaN()), "RLV-159", "not finite"},
      {"overflow",
       sidecars(replicas_of(1), 1, [](PtValue& payload) { set_float(payload["rollout_log_probs"].at(1), 2, -1e30F); }),
       "RLV-160 RLV-162 RLV-179 RLV-191", "overflows"},
      {"no prompt", sidecars(all_ranks(), 1, [](PtValue& payload) { payload["total_lengths"].at(0) = 6; }),
       "RLV-158 RLV-169", "without a prompt"},
      {"lengths of the shards",
       sidecars(replicas_of(1), 1, [](PtValue& payload) { payload["total_lengths"].at(0) = 18; }), "RLV-155 RLV-158",
       "disagree about its lengths"},
      {"mask of another length", sidecars(replicas_of(1), 1, mask(0, {1, 1, 1, 1, 1})), "RLV-151", "loss_masks"},
      {"numbers of no float kind",
       sidecars(all_ranks(), 1,
                [](PtValue& payload) {
                  for (const char* field : {"train_log_probs", "rollout_log_probs"}) {
                    for (std::size_t sample = 0; sample < 2; ++sample) {
                      const std::size_t count = payload[field].at(sample).tensor().bytes.size() / 4;
                      payload[field].at(sample) = long_tensor(std::vector<std::int64_t>(count, -1));
                    }
                  }
                }),
       "RLV-157", "no floating-point numbers"},
      {"two dtypes",
       sidecars(all_ranks(), 1,
                [](PtValue& payload) {
                  for (std::size_t sample = 0; sample < 2; ++sample) {
                    const std::size_t count = payload["rollout_log_probs"].at(sample).tensor().bytes.size() / 4;
                    payload["rollout_log_probs"].at(sample) = double_tensor(std::vector<double>(count, -1.0));
                  }
                }),
       "RLV-157", "differ in dtype"},
      {"nothing active in a step",
       all_of({sidecars(all_ranks(), 1, mask(0, {0, 0, 0, 0, 0, 0})),
               sidecars(all_ranks(), 1,
                        [](PtValue& payload) {
                          payload["loss_masks"].at(0) = int_tensor({0, 0, 0, 0, 0, 0});
                          payload["loss_masks"].at(1) = int_tensor({0, 0, 0, 0, 0, 0});
                        })}),
       "RLV-161", "step 1: no active response tokens in the whole step"},
      {"mask differs between replicas", sidecars({5}, 1, mask(0, {0, 1, 1, 1, 1, 1})), "RLV-153", "replicas"},
  });
  check_passes({
      {"zero on both sides", in_sidecars_and_dumps(1, 2, 0.0F), ""},
      {"masked tokens", sidecars(all_ranks(), 1, mask(0, {0, 0, 1, 1, 1, 1})), ""},
      {"a sample without active tokens", sidecars(all_ranks(), 1, mask(0, {0, 0, 0, 0, 0, 0})), ""},
      {"anything where masked",
       all_of({sidecars(all_ranks(), 1, mask(0, {0, 1, 1, 1, 1, 1})),
               sidecars(replicas_of(1), 1,
                        [infinity](PtValue& payload) {
                          payload["loss_masks"].at(0) = int_tensor({0, 1, 1, 1, 1, 1});
                          both_sides(0, 0, infinity)(payload);
                        })}),
       ""},
  });
}

namespace {

/// The payload's file with CRCs, and the first bit of the first `bytes` in it turned.
std::string rotten(PtValue payload, const std::string& bytes) {
  rlverify::test::PtStyle style;
  style.with_crc = true;
  std::string file = write_pt(payload, "archive", style);
  file.at(file.find(bytes)) ^= 1;
  return file;
}

}  // namespace

TEST_CASE("Sidecars and dumps that rotted are damaged; the public rules don't look") {
  PtValue sidecar = sidecar_payload(4, 0);
  PtValue dump = dump_payload(4, 0);
  const std::string bytes = sidecar["train_log_probs"].at(0).tensor().bytes;
  TestRun run = passing_run();
  run.files[sidecar_path(4, 0)] = rotten(sidecar, bytes);
  CHECK(judge(run).says("RLV-152"));
  CHECK(judge(run).says(": the file is damaged"));
  CHECK(judge(run).errors.find("RLV-152") == 0);
  const TemporaryFolder folder;
  run.write(folder.file("run"));
  core::ThreadPool pool(1);
  const run::RunDirectory read = run::read_run_directory(folder.file("run"));
  CHECK_FALSE(describe(judge_run(read, report::RuleSet::kReference, pool, false)).says("damaged"));
  run = passing_run();
  run.files[dump_path(4, 0)] = rotten(dump, bytes);
  CHECK(judge(run).errors == "RLV-190");
  CHECK(judge(run).says(": the file is damaged"));
}

TEST_CASE("Sidecars: micro-batches of dynamic size") {
  const Judged judged = judge_changed(use_dynamic_batches);
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kPassed);
  CHECK(judged.sentences.empty());
  // The samples are still held against the dumps, each against the shard that holds it.
  const Judged other = judge_changed(all_of({use_dynamic_batches, dumps({5}, 0, [](PtValue& payload) {
                                               set_float(payload["rollout_data"]["log_probs"].at(1), 1, -0.5F);
                                             })}));
  CAPTURE(other.sentences);
  CHECK(other.errors == "RLV-191");
}

TEST_CASE("Dumps: complete, named rightly, and equal to the sidecars") {
  const auto in_data = [](const std::function<void(PtValue&)>& edit) {
    return dumps({3}, 1, [edit](PtValue& payload) { edit(payload["rollout_data"]); });
  };
  check({
      {"unreadable", [](TestRun& run) { run.files[dump_path(3, 1)] = "junk"; }, "RLV-190", "train-data/1.rank3.pt"},
      {"train side", in_data([](PtValue& data) { set_float(data["log_probs"].at(1), 0, -0.5F); }), "RLV-191",
       "log_probs of a train dump differ"},
      {"rollout side", in_data([](PtValue& data) { set_float(data["rollout_log_probs"].at(1), 0, -0.5F); }), "RLV-191",
       "rollout_log_probs of a train dump differ"},
      {"sign of zero",
       all_of({in_sidecars_and_dumps(1, 2, 0.0F), dumps({5}, 1,
                                                        [](PtValue& payload) {
                                                          set_float(payload["rollout_data"]["rollout_log_probs"].at(1),
                                                                    2, 0.0F);
                                                          set_float(payload["rollout_data"]["log_probs"].at(1), 2,
                                                                    -0.0F);
                                                        })}),
       "RLV-191", "log_probs"},
      {"samples exchanged", in_data([](PtValue& data) {
         for (const char* field : {"log_probs", "rollout_log_probs"}) {
           std::swap(data[field].at(0), data[field].at(1));
         }
       }),
       "RLV-191", "log_probs"},
      {"one value short", in_data([](PtValue& data) { data["log_probs"].at(1) = float_tensor({}); }), "RLV-191",
       "another number"},
      {"one missing", [](TestRun& run) { run.remove(dump_path(3, 1)); }, "RLV-193", "missing train dump 1.rank3.pt"},
      {"a rank's missing",
       [](TestRun& run) {
         run.remove(dump_path(3, 1));
         run.remove(dump_path(3, 0));
       },
       "RLV-193", "missing train dump 0.rank3.pt"},
      {"a copy", [](TestRun& run) { run.files["train-data/copy.pt"] = run.files.at(dump_path(3, 1)); }, "RLV-193",
       "name and content disagree"},
      {"content of another rank",
       [](TestRun& run) { std::swap(run.files.at(dump_path(3, 1)), run.files.at(dump_path(4, 1))); }, "RLV-193",
       "name and content disagree"},
      {"a stranger",
       [](TestRun& run) {
         run.files["train-data/x.pt"] = write_pt(PtValue::Dict{{"rollout_data", PtValue::Dict{}}});
       },
       "RLV-193", "x.pt"},
      {"form 2: a value",
       [](TestRun& run) {
         use_form_2(run);
         PtValue payload = whole_samples(1);
         set_float(payload["samples"].at(1)["rollout_log_probs"], 5, -0.5F);
         run.files[dump_path(0, 1)] = write_pt(payload);
       },
       "RLV-191", "rollout_log_probs"},
      {"form 2: a rollout missing",
       [](TestRun& run) {
         use_form_2(run);
         run.remove(dump_path(0, 1));
       },
       "RLV-193", "missing train dump of rollout 1"},
      {"null", in_data([](PtValue& data) {
         data["rollout_log_probs"].at(1) = PtValue::List{-0.5, PtValue(), -0.25};
       }),
       "RLV-159", "sample 1 position 1: logprob is null"},
  });
  check_passes({
      {"no dumps", [](TestRun& run) { run.remove("train-data/"); }, ""},
      {"form 2", use_form_2, ""},
      {"another dtype", in_data([](PtValue& data) { data["log_probs"].at(1) = double_tensor({-1.0}); }), "RLV-192n"},
      {"no log-probs kept", in_data([](PtValue& data) {
         data.erase("log_probs");
         data.erase("rollout_log_probs");
       }),
       "RLV-192n"},
      {"another number of samples", in_data([](PtValue& data) {
         for (const char* field : {"log_probs", "rollout_log_probs"}) {
           const PtValue first = data[field].at(0);
           data[field] = PtValue::List{first};
         }
       }),
       "RLV-192n"},
      {"differs where masked",
       all_of({sidecars(all_ranks(), 1, mask(0, {0, 1, 1, 1, 1, 1})),
               dumps(replicas_of(1), 1,
                     [](PtValue& payload) { set_float(payload["rollout_data"]["log_probs"].at(0), 0, -0.5F); })}),
       ""},
  });
}

TEST_CASE("A contradiction of log and sidecars says what each holds") {
  const Judged judged = judge_changed(
      sidecars(replicas_of(1), 0, [](PtValue& payload) { payload["train_log_probs"].at(0).tensor().bytes[0] ^= 1; }));
  CHECK(judged.says("expected 1 mismatch, as the sidecars hold, found 0.0 in the log"));
  CHECK(judged.says("expected means above 0: 1 value differs in the sidecars, found 0.0 in every step of the log"));
}

TEST_CASE("A run that can't be judged is told without the names of exceptions") {
  const Judged judged = judge_changed(replace("manifest.json", "\"batching\"", "\"x\""));
  CHECK(judged.says("manifest.json lacks 'batching'"));
  CHECK_FALSE(judged.says("KeyError"));
}

TEST_CASE("The log's numbers against the sidecars'") {
  check({
      {"tokens of the run", replace_all("run.log", "numel': 6.0", "numel': 5.0"), "RLV-164", "24 in the sidecars"},
      {"tokens of the steps",
       [](TestRun& run) {
         std::string& log = run.files.at("run.log");
         const std::size_t first = log.find("numel': 6.0");
         log.replace(first, 11, "numel': 5.0");
         log.replace(log.find("numel': 6.0", first), 11, "numel': 7.0");
       },
       "RLV-164", "step 1"},
      {"mismatches that aren't there", all_of({metric(kCount, "1.0"), metric(kMax, "0.5")}), "RLV-179",
       "contradict each other about mismatches"},
      {"largest difference alone", metric(kMax, "0.5"), "RLV-179", "largest difference contradict"},
      {"mean difference alone", metric(kMean, "0.5"), "RLV-179", "mean difference"},
  });
  const auto masked_difference = [](PtValue& payload) {
    payload["loss_masks"].at(0) = int_tensor({0, 1, 1, 1, 1, 1});
    set_float(payload["train_log_probs"].at(0), 0, -0.5F);
  };
  check_passes({
      {"float32 rounding", replace_all("run.log", "numel': 6.0", "numel': 6.00001"), ""},
      {"mismatches at masked tokens",
       all_of({sidecars(replicas_of(0), 1, mask(0, {0, 1, 1, 1, 1, 1})), sidecars(replicas_of(1), 1, masked_difference),
               metric(kCount, "0.25"), metric(kMax, "0.5")}),
       "RLV-174w"},
  });
}

}  // namespace rlverify::judge::test
