// SPDX-License-Identifier: Apache-2.0
// Which files belong together, what is missing, and what doesn't fit.
#include "replay/inputs.h"
#include "replay/replay_support.h"

using namespace rlverify::replay;
using namespace rlverify::replay::test;
using rlverify::core::ExitCode;
using rlverify::test::write_pt;

namespace {

Dump two_ranks() {
  Dump dump = normal_dump(61, 12, 64, 60);
  dump.ranks = 2;
  dump.set({ContractId::kMegatronCe}, {ContractId::kMegatronCe});
  return dump;
}

std::string input_path(std::int64_t rank, std::int64_t call) {
  return "logp-inputs/" + rlverify::run::rank_call_name(rank, call);
}

void write_sidecar(const TemporaryFolder& folder, const PtValue& payload, std::int64_t rank, std::int64_t call) {
  std::filesystem::create_directories(folder.file("mismatch-sidecars"));
  folder.write("mismatch-sidecars/" + rlverify::run::rank_call_name(rank, call), write_pt(payload));
}

}  // namespace

TEST_CASE("slices of the vocabulary are joined by rank and call") {
  const TemporaryFolder folder;
  Dump dump = two_ranks();
  dump.write(folder, true);
  dump.call = 1;
  dump.write(folder, true);
  const FoundInputs found = find_inputs(folder.file(""), "");
  CHECK(found.files == 4);
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].names == std::vector<std::string>{input_path(0, 0), input_path(1, 0)});
  CHECK(found.groups[1].call == 1);
  CHECK(replay(folder.file(""), {}).exit_code() == ExitCode::kPassed);
  // One slice brings the others beside it.
  const ReplayResult one = replay(folder.file(input_path(1, 1)), {});
  CHECK(one.files == 2);
  CHECK(one.exit_code() == ExitCode::kPassed);
}

TEST_CASE("a missing rank is a finding, and the other calls are judged") {
  const TemporaryFolder folder;
  Dump dump = two_ranks();
  dump.write(folder, true);
  dump.call = 7;
  dump.write(folder, true);
  std::filesystem::remove(folder.file(input_path(1, 7)));
  const ReplayResult result = replay(folder.file(""), {});
  const auto missing = finding(result.findings, "RLV-502");
  CHECK(missing.place.rank == 1);
  CHECK(missing.place.call == 7);
  CHECK(missing.expected == "rank00001.call00000007.pt, one of 2 ranks");
  CHECK(result.side(Side::kTrain).verdict == SideVerdict::kExact);
  CHECK(result.exit_code() == ExitCode::kFailed);
}

TEST_CASE("ranks that disagree are not joined") {
  for (const bool targets : {false, true}) {
    const TemporaryFolder folder;
    const Dump dump = two_ranks();
    dump.write(folder, true);
    PtValue other = dump.payload(1, true);
    if (targets) {
      other["targets"].at(1) = rlverify::test::long_tensor(std::vector<std::int64_t>(12, 3));
    } else {
      other["temperature"] = 0.5;
    }
    folder.write(input_path(1, 0), write_pt(other));
    const ReplayResult result = replay(folder.file(""), {});
    CHECK(finding(result.findings, "RLV-505").place.rank == 1);
    CHECK(result.exit_code() == ExitCode::kFailed);
  }
}

TEST_CASE("log-probs beside the inputs are the same on all tensor-parallel ranks") {
  const TemporaryFolder folder;
  const Dump dump = two_ranks();
  dump.write(folder, true);
  PtValue other = dump.payload(1, true);
  other["train_log_probs"].at(1) = rlverify::test::float_tensor(std::vector<float>(12, 0.0F));
  folder.write(input_path(1, 0), write_pt(other));
  const ReplayResult result = replay(folder.file(""), {});
  CHECK(finding(result.findings, "RLV-505").what == "the tensor-parallel ranks of a call have other log-probs");
  CHECK(finding(result.findings, "RLV-505").place.sample == 1);
  CHECK(result.exit_code() == ExitCode::kFailed);
}

TEST_CASE("one rank and call twice, a damaged file, an unfinished one") {
  const TemporaryFolder folder;
  const Dump dump = normal_dump(62, 8, 64, 64);
  dump.write(folder);
  folder.write("logp-inputs/copy.pt", write_pt(dump.payload()));
  folder.write("logp-inputs/damaged.pt", "abc");
  folder.write("logp-inputs/.rank00009.call00000000.pt", "unfinished");
  rlverify::test::PtStyle style;
  style.with_crc = true;
  PtValue payload = dump.payload();
  payload["call_index"] = 5;
  std::string rotten = write_pt(payload, "archive", style);
  rotten.at(rotten.find("archive/data/0") + 14) ^= 1;
  folder.write(input_path(0, 5), rotten);
  const ReplayResult result = replay(folder.file(""), {});
  CHECK(result.files == 4);
  const auto broken = finding(result.findings, "RLV-501");
  CHECK(broken.place.file == "logp-inputs/damaged.pt");
  const auto& findings = result.findings.list();
  CHECK(findings.size() == 3);
  CHECK(std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.code == "RLV-501" && finding.expected.find("\"archive/data/0\" with CRC ") == 0;
  }));
  CHECK(result.side(Side::kTrain).verdict == SideVerdict::kExact);
  CHECK(result.exit_code() == ExitCode::kFailed);
}

TEST_CASE("the sidecar of the rank and call has the log-probs, its mask says which count") {
  Dump dump = normal_dump(63, 6, 256, 256);
  const Dump right = dump;
  for (Sample& sample : dump.samples) {
    sample.train[5] = -1.0F;  // inactive below
  }
  const TemporaryFolder folder;
  PtValue payload = dump.payload();
  payload.erase("train_log_probs");
  payload.erase("rollout_log_probs");
  std::filesystem::create_directories(folder.file("logp-inputs"));
  folder.write(input_path(0, 0), write_pt(payload));
  SECTION("beside the inputs") {
    write_sidecar(folder, dump.sidecar(0, {1, 1, 1, 1, 1, 0}), 0, 0);
    const ReplayResult result = replay(folder.file(""), {});
    CHECK(result.exit_code() == ExitCode::kPassed);
    CHECK(result.direct.tally.compared == 10);
    CHECK(replay(folder.file(input_path(0, 0)), {}).exit_code() == ExitCode::kPassed);
  }
  SECTION("an active value counts, and its place is in response coordinates") {
    write_sidecar(folder, dump.sidecar(), 0, 0);
    const ReplayResult result = replay(folder.file(""), {});
    REQUIRE(result.direct.first);
    CHECK(result.direct.first->place.position == 5);
  }
  SECTION("named on the command line") {
    ReplayOptions options;
    options.sidecar = folder.write("side.pt", write_pt(right.sidecar()));
    CHECK(replay(folder.file(""), options).exit_code() == ExitCode::kPassed);
    options.sidecar = folder.write("other.pt", write_pt(right.sidecar(4)));
    CHECK_THROWS_AS(replay(folder.file(""), options), rlverify::core::UsageError);
  }
  SECTION("nowhere") {
    const ReplayResult result = replay(folder.file(""), {});
    CHECK(finding(result.findings, "RLV-504").what == "no log-probs of the train side");
    CHECK(result.exit_code() == ExitCode::kNothingComparable);
  }
}

TEST_CASE("a sidecar that doesn't fit is a finding and its inputs are left out") {
  const Dump dump = normal_dump(64, 6, 64, 64);
  const TemporaryFolder folder;
  dump.write(folder);
  PtValue payload = dump.sidecar();
  SECTION("other lengths") {
    payload["total_lengths"].at(0) = 4;
    payload["response_lengths"].at(0) = 2;
    payload["loss_masks"].at(0) = rlverify::test::int_tensor({1, 1});
  }
  SECTION("another rank") {
    payload["rank"] = 3;
  }
  SECTION("fewer samples") {
    payload = normal_dump(64, 6, 64, 64, StorageType::kBFloat16, 1).sidecar();
  }
  SECTION("another schema") {
    payload["schema_version"] = "other";
  }
  write_sidecar(folder, payload, 0, 0);
  const ReplayResult result = replay(folder.file(""), {});
  CHECK(find(result.findings, "RLV-506") != nullptr);
  CHECK(result.exit_code() == ExitCode::kFailed);
}

TEST_CASE("one side without log-probs is no pass") {
  const Dump dump = normal_dump(65, 6, 64, 64);
  const TemporaryFolder folder;
  PtValue payload = dump.payload();
  payload.erase("rollout_log_probs");
  const ReplayResult result = replay(folder.write("in.pt", write_pt(payload)), {});
  CHECK(finding(result.findings, "RLV-504").what == "no log-probs of the rollout side");
  CHECK(result.side(Side::kTrain).verdict == SideVerdict::kExact);
  CHECK(result.exit_code() == ExitCode::kFailed);
}

TEST_CASE("a directory without inputs has nothing to compare, a path that is not there is bad input") {
  const TemporaryFolder folder;
  CHECK(replay(folder.file(""), {}).exit_code() == ExitCode::kNothingComparable);
  CHECK_THROWS_AS(replay(folder.file("missing"), {}), rlverify::core::ArtifactError);
}

TEST_CASE("hidden states are multiplied with the weights of their version") {
  Dump dump = normal_dump(66, 80, 96, 90, StorageType::kBFloat16, 1);
  const auto hidden_bytes = rlverify::kernels::normal_logits(5, 80, 16, 16, 1.0F, StorageType::kBFloat16);
  const auto weight_bytes = rlverify::kernels::normal_logits(6, 96, 16, 16, 0.5F, StorageType::kBFloat16);
  Sample& sample = dump.samples[0];
  rlverify::kernels::LogpInput input = dump.input(sample, {});
  input.logits = nullptr;
  input.hidden = hidden_bytes.data();
  input.weight = weight_bytes.data();
  input.hidden_size = 16;
  rlverify::kernels::compute_logp(ContractId::kRlKernelWs2, input, {}, {sample.train.data(), nullptr});
  rlverify::kernels::compute_logp(ContractId::kVllmGather, input, {}, {sample.rollout.data(), nullptr});
  const auto matrix = [](const std::vector<unsigned char>& bytes, std::int64_t rows) {
    PtTensor tensor = rlverify::test::vector_tensor("BFloat16Storage", std::string(bytes.begin(), bytes.end()), 0);
    tensor.shape = {rows, 16};
    return tensor;
  };
  PtValue payload = dump.payload();
  payload.erase("logits");
  payload["hidden"] = PtValue::List{matrix(hidden_bytes, 80)};
  payload["weight_version"] = "weight_v000002";
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("logp-inputs"));
  std::filesystem::create_directories(folder.file("weight-updates/weight_v000002"));
  folder.write(input_path(0, 0), write_pt(payload));
  const auto write_weights = [&](const char* name, std::int64_t rows) {
    const std::vector<unsigned char> cut(weight_bytes.begin(), weight_bytes.begin() + rows * 32);
    folder.write("weight-updates/weight_v000002/model.pt", write_pt(PtValue::Dict{{name, matrix(cut, rows)}}));
  };
  // Tiles of two columns: one lane adds them in every storage variant.
  const std::vector<std::string> named = {"rl_kernel_ws2 file real plain", "rl_kernel_ws2_f32 file real plain",
                                          "rl_kernel_ws2_rocm file real plain"};
  const auto check_named = [&folder, &named] {
    const ReplayResult result = replay(folder.file(""), {});
    CHECK(follows(result, Side::kTrain) == named);
    CHECK(follows(result, Side::kRollout) == std::vector<std::string>{"vllm_gather file real plain"});
    return result;
  };
  SECTION("lm_head") {
    write_weights("lm_head.weight", 96);
    CHECK(find(check_named().findings, "RLV-507") == nullptr);
  }
  SECTION("by number, tied, without padding rows") {
    write_weights("model.embed_tokens.weight", 90);
    payload["weight_version"] = 2;
    folder.write(input_path(0, 0), write_pt(payload));
    CHECK(finding(check_named().findings, "RLV-507").expected == "96 rows");
  }
  SECTION("another version, a path, no weights, too few rows") {
    for (const char* version : {"weight_v000003", "../weight-updates/weight_v000002", ""}) {
      write_weights("lm_head.weight", 96);
      payload["weight_version"] = version;
      folder.write(input_path(0, 0), write_pt(payload));
      const ReplayResult result = replay(folder.file(""), {});
      CHECK(find(result.findings, "RLV-503") != nullptr);
      CHECK(result.exit_code() == ExitCode::kFailed);
    }
    payload["weight_version"] = "weight_v000002";
    folder.write(input_path(0, 0), write_pt(payload));
    write_weights("other.weight", 96);
    CHECK(find(replay(folder.file(""), {}).findings, "RLV-503") != nullptr);
    write_weights("lm_head.weight", 50);
    CHECK(finding(replay(folder.file(""), {}).findings, "RLV-503").found == "[50, 16] torch.bfloat16");
  }
}
