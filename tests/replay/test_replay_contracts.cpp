// SPDX-License-Identifier: Apache-2.0
// On dumps whose sides were made by a known contract, that contract is named and no other; what gives the same bits is
// listed as a tie.
#include <algorithm>
#include <cstring>

#include "replay/replay_support.h"

using namespace rlverify::replay;
using namespace rlverify::replay::test;
using rlverify::core::ExitCode;

namespace {

std::string name_of(ContractId id) {
  return std::string(rlverify::kernels::contract(id).name);
}

using Words = std::vector<std::string>;

/// Tiles of at most 512 columns: the ROCm kernel's wider chunk makes no difference to 16-bit storage.
const Words kWs2 = {"rl_kernel_ws2 file real plain", "rl_kernel_ws2_rocm file real plain"};

/// Makes -inf of all but `count` columns of every row; the target is one of those that stay.
void keep_columns(Dump& dump, std::int64_t count) {
  for (Sample& sample : dump.samples) {
    const auto bytes = static_cast<std::size_t>(dump.element_bytes());
    const std::string infinity = dump.type == StorageType::kFloat32 ? std::string("\0\0\x80\xff", 4) : "\x80\xff";
    for (std::size_t row = 0; row < sample.targets.size(); ++row) {
      const std::int64_t step = dump.real / count;
      sample.targets[row] = sample.targets[row] / step * step;
      for (std::int64_t column = 0; column < dump.padded; ++column) {
        const std::size_t at = (row * static_cast<std::size_t>(dump.padded) + static_cast<std::size_t>(column)) * bytes;
        if (column % step != 0 || column / step >= count) {
          sample.logits.replace(at, bytes, infinity);
        }
      }
      sample.targets[row] = std::min(sample.targets[row], (count - 1) * step);
    }
  }
}

/// The contracts that replay tries on the dump and that give the maker's bits on every row, as follows() words them.
Words with_the_bits_of(const rlverify::kernels::Contract& maker, const Dump& dump) {
  Words words;
  for (const auto& entry : rlverify::kernels::contracts()) {
    const bool tried =
        !rlverify::kernels::is_alias(entry.id, dump.type) && (maker.needs_retained_set || !entry.needs_retained_set);
    bool same = tried;
    for (const Sample& sample : dump.samples) {
      const std::vector<float> values = dump.values(sample, {entry.id, dump.temperature});
      same = same && std::memcmp(values.data(), sample.train.data(), values.size() * sizeof(float)) == 0;
    }
    if (same) {
      words.push_back(name_of(entry.id) + " file real plain");
    }
  }
  return words;
}

}  // namespace

TEST_CASE("each contract is named on its own dump, and nothing else but what has its bits") {
  int wrong = 0;
  for (const StorageType type : {StorageType::kBFloat16, StorageType::kFloat32}) {
    for (const std::int64_t ranks : {1, 4}) {
      for (const auto& entry : rlverify::kernels::contracts()) {
        // A retained set leaves the padding out as it is.
        Dump dump = normal_dump(11, 80, 2304, entry.needs_retained_set ? 2304 : 2200, type);
        dump.ranks = ranks;
        dump.temperature = 0.7;
        if (entry.needs_retained_set) {
          keep_columns(dump, 120);
        }
        dump.set({entry.id, 0.7}, {entry.id, 0.7});
        const ReplayResult result = replayed(dump, ranks > 1);
        const Words expected = with_the_bits_of(entry, dump);
        INFO(entry.name << " at " << ranks << ", " << rlverify::kernels::storage_name(type));
        CHECK(follows(result, Side::kTrain) == expected);
        CHECK(follows(result, Side::kRollout) == expected);
        CHECK(result.side(Side::kTrain).verdict == SideVerdict::kExact);
        CHECK(result.exit_code() == ExitCode::kPassed);
        CHECK((find(result.findings, "RLV-512") != nullptr) == (expected.size() > 1));
        CHECK(result.direct.tally.compared == 160);
        CHECK(result.direct.tally.differing == 0);
        wrong += follows(result, Side::kTrain) == expected ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the ties of dense logits are known: one computation under two names") {
  Dump dump = normal_dump(11, 80, 2304, 2200);
  dump.ranks = 4;
  dump.temperature = 0.7;
  const auto named = [&](ContractId id, double temperature) {
    dump.temperature = temperature;
    dump.set({id, temperature}, {id, temperature});
    return follows(replayed(dump, true), Side::kTrain);
  };
  // The same operations with the sign turned twice.
  CHECK(named(ContractId::kMegatronCe, 0.7) == Words{"megatron_ce file real plain", "vime_default file real plain"});
  // miles rounds the scaled logits back to bfloat16, which is nothing at temperature 1.
  CHECK(named(ContractId::kMilesFused, 0.7) == Words{"miles_fused file real plain"});
  CHECK(named(ContractId::kMilesFused, 1.0) ==
        Words{"miles_fused file real plain", "megatron_ce_fused file real plain"});
  // The file's storage is the system's: rl_kernel_ws2 is the variant of that storage.
  CHECK(named(ContractId::kRlKernelWs2Bits16, 1.0) == kWs2);
  CHECK(named(ContractId::kRlKernelWs2F32, 1.0) == Words{"rl_kernel_ws2_f32 file real plain"});
  CHECK(named(ContractId::kVerlFusedPhantom, 1.0) == Words{"verl_fused_phantom file real plain"});
}

TEST_CASE("contracts over a retained set are tried where one is kept, or by name") {
  Dump dump = normal_dump(19, 40, 2304, 2304, StorageType::kFloat32);
  const auto tried = [](const ReplayResult& result, const std::string& name) {
    return std::any_of(result.contracts.begin(), result.contracts.end(),
                       [&name](const ContractNote& note) { return note.contract == name; });
  };
  CHECK_FALSE(tried(replayed(dump), "rl_kernel_sparse_nucleus"));
  ReplayOptions options;
  options.contracts = {ContractId::kRlKernelSparseNucleus};
  CHECK(tried(replayed(dump, false, options), "rl_kernel_sparse_nucleus"));
  keep_columns(dump, 60);
  dump.set({ContractId::kRlKernelSparseNucleus}, {ContractId::kRlKernelSparseNucleus});
  const ReplayResult result = replayed(dump);
  CHECK(tried(result, "rl_kernel_sparse_nucleus"));
  CHECK(follows(result, Side::kTrain) == Words{"rl_kernel_sparse_nucleus file real plain"});
}

TEST_CASE("two contracts part, and the first place has both values") {
  Dump dump = normal_dump(5, 64, 2048, 2048);
  dump.set({ContractId::kRlKernelWs2}, {ContractId::kVllmGather});
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == kWs2);
  CHECK(follows(result, Side::kRollout) == Words{"vllm_gather file real plain"});
  CHECK(result.exit_code() == ExitCode::kFailed);
  CHECK(result.common.empty());
  const auto finding_510 = finding(result.findings, "RLV-510");
  CHECK(finding_510.expected.find("train: rl_kernel_ws2 or rl_kernel_ws2_rocm at temperature 1") == 0);
  CHECK(finding_510.found.find("rollout: vllm_gather at temperature 1") == 0);
  REQUIRE(result.direct.first);
  const Sample& sample = dump.samples.at(static_cast<std::size_t>(result.direct.first->place.sample));
  const auto index = static_cast<std::size_t>(result.direct.first->place.index);
  CHECK(static_cast<float>(result.direct.first->train) == sample.train[index]);
  CHECK(static_cast<float>(result.direct.first->rollout) == sample.rollout[index]);
  CHECK(result.direct.first->place.token == sample.targets[index]);
  CHECK(result.direct.first->place.position == result.direct.first->place.index);
  for (std::size_t before = 0; before < index; ++before) {
    CHECK(sample.train[before] == sample.rollout[before]);
  }
  const SideResult& train = result.side(Side::kTrain);
  CHECK(train.rows[train.followed.front()].at_parting == result.direct.first->train);
}

TEST_CASE("a side at another temperature is found") {
  Dump dump = normal_dump(7, 48, 1024, 1000);
  dump.temperature = 0.6;
  dump.set({ContractId::kVllmGather, 0.6}, {ContractId::kVllmGather, 1.0});
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == Words{"vllm_gather file real plain"});
  CHECK(follows(result, Side::kRollout) == Words{"vllm_gather one real plain"});
  CHECK(result.exit_code() == ExitCode::kFailed);
  CHECK(finding(result.findings, "RLV-516").what == "the rollout side leaves out the temperature");
  CHECK(finding(result.findings, "RLV-510").found.find("rollout: vllm_gather at temperature 1,") == 0);
}

TEST_CASE("logits that were scaled already follow the file's temperature as they stand") {
  Dump dump = normal_dump(8, 48, 1024, 1024);
  dump.set({ContractId::kVllmGather, 1.0}, {ContractId::kVllmGather, 1.0});
  dump.temperature = 0.6;
  PtValue payload = dump.payload();
  payload["logits_are_temperature_scaled"] = true;
  const TemporaryFolder folder;
  const ReplayResult result = replay(folder.write("in.pt", rlverify::test::write_pt(payload)), {});
  CHECK(follows(result, Side::kRollout) == Words{"vllm_gather file real plain"});
  CHECK(result.exit_code() == ExitCode::kPassed);
}

TEST_CASE("padding that one side sums is found") {
  Dump dump = normal_dump(9, 48, 1024, 1000);
  dump.set({ContractId::kVimeDefault, 1.0, true}, {ContractId::kVllmGather});
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == Words{"megatron_ce file padded plain", "vime_default file padded plain"});
  CHECK(follows(result, Side::kRollout) == Words{"vllm_gather file real plain"});
  CHECK(finding(result.findings, "RLV-514").what == "the train side sums the padding columns");
  CHECK(finding(result.findings, "RLV-514").found == "padded vocabulary (1024 columns)");
}

TEST_CASE("padding of -inf makes no difference, and both vocabularies are listed") {
  Dump dump = normal_dump(10, 32, 1024, 1000);
  for (Sample& sample : dump.samples) {
    sample = dump.masked(sample);
  }
  dump.set({ContractId::kVllmGather}, {ContractId::kVllmGather});
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == Words{"vllm_gather file real plain", "vllm_gather file padded plain"});
  CHECK(result.exit_code() == ExitCode::kPassed);
}

TEST_CASE("a side that was rounded to bfloat16 is found") {
  Dump dump = normal_dump(12, 64, 1024, 1024);
  dump.set({ContractId::kVllmGather}, {ContractId::kVllmGather, 1.0, false, true});
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == Words{"vllm_gather file real plain"});
  const Words rollout = follows(result, Side::kRollout);
  CHECK(std::count(rollout.begin(), rollout.end(), "vllm_gather file real bf16") == 1);
  CHECK(std::all_of(rollout.begin(), rollout.end(),
                    [](const std::string& words) { return words.find(" bf16") != std::string::npos; }));
  CHECK(result.exit_code() == ExitCode::kFailed);
  CHECK(finding(result.findings, "RLV-513").what == "the log-probs of the rollout side were rounded to bfloat16");
}

TEST_CASE("a few values that differ don't hide the contract, and the sides' difference is told") {
  Dump dump = normal_dump(13, 100, 2048, 2048);
  dump.set({ContractId::kRlKernelWs2}, {ContractId::kRlKernelWs2});
  float& value = dump.samples[1].rollout[3];
  value = std::nextafter(value, 0.0F);
  const ReplayResult result = replayed(dump);
  CHECK(result.side(Side::kTrain).verdict == SideVerdict::kExact);
  CHECK(result.side(Side::kRollout).verdict == SideVerdict::kNamed);
  CHECK(follows(result, Side::kRollout) == kWs2);
  CHECK(result.exit_code() == ExitCode::kPassed);
  const auto told = finding(result.findings, "RLV-517");
  CHECK(told.place.sample == 1);
  CHECK(told.place.position == 3);
  CHECK(told.hint.find("1 of 200 values differ") == 0);
}

TEST_CASE("a side of noise follows nothing, and the nearest is told with its value") {
  Dump dump = normal_dump(14, 40, 1024, 1024);
  dump.set({ContractId::kVllmGather}, {ContractId::kVllmGather});
  for (float& value : dump.samples[0].rollout) {
    value -= 0.01F;
  }
  for (float& value : dump.samples[1].rollout) {
    value += 0.02F;
  }
  const ReplayResult result = replayed(dump);
  CHECK(result.side(Side::kRollout).verdict == SideVerdict::kNone);
  CHECK(result.exit_code() == ExitCode::kFailed);
  const auto none = finding(result.findings, "RLV-511");
  CHECK(none.what == "the rollout side follows no contract");
  CHECK(none.hint.find("80 of 80 values differ") != std::string::npos);
  CHECK(none.place.position == 0);
}

TEST_CASE("only the contract that is asked for is tried") {
  Dump dump = normal_dump(15, 40, 1024, 1024);
  dump.set({ContractId::kRlKernelWs2}, {ContractId::kVllmGather});
  ReplayOptions options;
  options.contracts = {ContractId::kVllmGather};
  const ReplayResult result = replayed(dump, false, options);
  CHECK(result.side(Side::kTrain).verdict == SideVerdict::kNone);
  CHECK(follows(result, Side::kRollout) == Words{"vllm_gather file real plain"});
  for (const Row& row : result.side(Side::kTrain).rows) {
    CHECK(row.hypothesis.contract == "vllm_gather");
  }
}

TEST_CASE("pieces of rows give the bits of the whole sample") {
  // 32 MiB hold 64 of these rows, so the sample is cut in the middle.
  Dump dump = normal_dump(16, 70, 131072, 131072, StorageType::kBFloat16, 1);
  dump.ranks = 4;
  dump.set({ContractId::kMegatronCe}, {ContractId::kMilesFused});
  const ReplayResult result = replayed(dump, true);
  CHECK(follows(result, Side::kTrain) == Words{"megatron_ce file real plain", "vime_default file real plain"});
  CHECK(follows(result, Side::kRollout) == Words{"miles_fused file real plain", "megatron_ce_fused file real plain"});
}

TEST_CASE("a contract that the shapes don't allow is named and the others go on") {
  Dump dump = normal_dump(17, 20, 1000, 1000);
  dump.ranks = 3;
  const ReplayResult result = replayed(dump);
  CHECK(follows(result, Side::kTrain) == Words{"vllm_gather file real plain"});
  CHECK(find(result.findings, "RLV-508") != nullptr);
  CHECK(result.unavailable.size() == 7);
}

TEST_CASE("a backend that is not there is no silent CPU run") {
  if (rlverify::kernels::backend_status(rlverify::kernels::Backend::kCuda).available) {
    WARN("skipped: there is a CUDA device");
    return;
  }
  ReplayOptions options;
  options.execution.backend = rlverify::kernels::Backend::kCuda;
  CHECK_THROWS_AS(replayed(normal_dump(18, 4, 64, 64), false, options), rlverify::core::DeviceError);
}
