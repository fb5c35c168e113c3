// SPDX-License-Identifier: Apache-2.0
// Digests: the recipe against its published vector, audits of both forms and records against snapshots, and what `seal`
// keeps.
#include <fmt/format.h>

#include <random>

#include "compare/weights_support.h"
#include "core/json_reader.h"
#include "core/sha256.h"

using namespace rlverify;
using namespace compare::test;
using compare::WeightComparison;

namespace {

constexpr const char* kV1 = "weight_v000001";
const NamedBytes kHead{"lm_head.weight", "F32", {1, 2}, raw<float>({1, -2})};
const NamedBytes kNorm{"model.norm.weight", "BF16", {2}, raw<std::uint16_t>({0x3F80, 0x4000})};
constexpr const char* kHeadDigest = "ee4ac73c2bd27756ab82780f27c73a7bc4d3f0bb6acb37e008bc27eccd7e588b";
constexpr const char* kNormDigest = "54114f538801f6678fbd079c23daf4084457385ab206deba2abd70d219cde832";
constexpr const char* kTotal = "17ff108519dbf20d0fd9e992f0159125199d4d4ab452913a03abd59d02223c4e";

std::string entry(const std::string& sha256, const std::string& shape, const std::string& dtype) {
  return fmt::format(R"({{"sha256": "{}", "shape": {}, "dtype": "{}"}})", sha256, shape, dtype);
}

std::string audit_json(const std::string& head_digest = kHeadDigest, const std::string& total = kTotal) {
  return fmt::format(
      R"({{"version": "weight_v000001", "scope": "all_exported_parameters", "sha256": "{}", "tensor_count": 2, "tensors": {{"model.norm.weight": {}, "lm_head.weight": {}}}}})",
      total, entry(kNormDigest, "[2]", "torch.bfloat16"), entry(head_digest, "[1, 2]", "torch.float32"));
}

std::string sampled_json(const std::string& digest) {
  return fmt::format(
      R"({{"version": "weight_v000001", "tensor": "model.norm.weight", "sha256": "{}", "shape": [2], "dtype": "torch.bfloat16"}})",
      digest);
}

compare::SealedWeights seal(const compare::WeightVersions& weights) {
  core::ThreadPool pool(2);
  core::Findings findings;
  compare::WeightVersion version = weights.versions.at(0);
  auto sealed = compare::seal_weights(version, pool, findings);
  CHECK(findings.list().empty());
  return sealed;
}

}  // namespace

TEST_CASE("the digest vector of the recipe", "[weights][digests]") {
  const WeightRun run("run");
  run.snapshot(kV1, {kNorm, kHead});
  const auto sealed = seal(run.weights());
  CHECK(sealed.version == kV1);
  CHECK(sealed.digests.sha256 == kTotal);
  CHECK(sealed.digests.tensor_count == 2U);
  REQUIRE(sealed.digests.tensors.size() == 2);
  CHECK(sealed.digests.tensors[0].name == "lm_head.weight");
  CHECK(sealed.digests.tensors[0].sha256 == kHeadDigest);
  CHECK(sealed.digests.tensors[0].dtype == "torch.float32");
  CHECK(sealed.digests.tensors[1].sha256 == kNormDigest);
  CHECK(sealed.digests.tensors[1].shape == std::vector<std::int64_t>{2});
  CHECK(sealed.coverage.bytes == 12);
  // A file is listed with its size and the digest of its header only.
  REQUIRE(sealed.files.size() == 1);
  const std::string file = tensor::test::safetensors({kNorm, kHead});
  CHECK(sealed.files[0].bytes == file.size());
  const std::string header = file.substr(0, file.size() - 12);
  CHECK(sealed.files[0].header_sha256 ==
        core::hex(core::sha256(std::as_bytes(std::span(header.data(), header.size())))));
}

TEST_CASE("399 tensors have the same digests from .pt, one .safetensors and five shards", "[weights][digests]") {
  std::mt19937 random(3);
  std::vector<NamedBytes> tensors;
  const auto add = [&](const std::string& name, const std::vector<std::uint64_t>& shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) {
      count *= size;
    }
    std::string bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
      bytes += tensor::test::le(random() & 0x3FFFU, 2);
    }
    tensors.push_back({name, "BF16", shape, bytes});
  };
  // Qwen3-8B with its sizes divided by 64: hidden 64, intermediate 192, heads 2 of 32, vocabulary 2374.
  add("model.embed_tokens.weight", {2374, 64});
  for (int layer = 0; layer < 36; ++layer) {
    const std::string prefix = fmt::format("model.layers.{}.", layer);
    add(prefix + "self_attn.q_proj.weight", {64, 64});
    add(prefix + "self_attn.k_proj.weight", {16, 64});
    add(prefix + "self_attn.v_proj.weight", {16, 64});
    add(prefix + "self_attn.o_proj.weight", {64, 64});
    add(prefix + "self_attn.q_norm.weight", {2});
    add(prefix + "self_attn.k_norm.weight", {2});
    add(prefix + "mlp.gate_proj.weight", {192, 64});
    add(prefix + "mlp.up_proj.weight", {192, 64});
    add(prefix + "mlp.down_proj.weight", {64, 192});
    add(prefix + "input_layernorm.weight", {64});
    add(prefix + "post_attention_layernorm.weight", {64});
  }
  add("model.norm.weight", {64});
  add("lm_head.weight", {2374, 64});
  REQUIRE(tensors.size() == 399);

  const WeightRun one("one");
  const WeightRun pt("pt");
  const WeightRun sharded("sharded");
  one.snapshot(kV1, tensors);
  pt.file(kV1, "model.pt", tensor::test::state_dict(tensors));
  std::vector<std::pair<std::string, std::string>> map;
  for (std::size_t shard = 0; shard < 5; ++shard) {
    std::vector<NamedBytes> part;
    const std::string file = fmt::format("model-{:05d}-of-00005.safetensors", shard + 1);
    for (std::size_t i = tensors.size(); i-- > 0;) {
      if (i % 5 == shard) {
        part.push_back(tensors[i]);
        map.emplace_back(tensors[i].name, file);
      }
    }
    sharded.file(kV1, file, tensor::test::safetensors(part));
  }
  sharded.file(kV1, "model.safetensors.index.json", tensor::test::index_json(map));

  const auto expected = seal(one.weights());
  CHECK(expected.digests.tensors.size() == 399);
  for (const WeightRun* run : {&pt, &sharded}) {
    const auto sealed = seal(run->weights());
    CHECK(sealed.digests.sha256 == expected.digests.sha256);
    for (std::size_t i = 0; i < 399; ++i) {
      REQUIRE(sealed.digests.tensors.at(i).name == expected.digests.tensors[i].name);
      REQUIRE(sealed.digests.tensors[i].sha256 == expected.digests.tensors[i].sha256);
      REQUIRE(sealed.digests.tensors[i].shape == expected.digests.tensors[i].shape);
    }
    CHECK(compare::test::compare(one, *run).equal == true);
  }
  CHECK(seal(sharded.weights()).files.size() == 5);
}

TEST_CASE("a snapshot against an audit, and audits against each other", "[weights][digests]") {
  const WeightRun snapshot("snapshot");
  const WeightRun audit("audit");
  const WeightRun other("other");
  snapshot.snapshot(kV1, {kHead, kNorm});
  audit.audit(kV1, audit_json());
  const WeightComparison equal = compare::test::compare(snapshot, audit);
  CHECK(equal.equal == true);
  CHECK(equal.versions.at(0).by_digest);
  CHECK(equal.coverage.tensors == 2);
  CHECK(equal.coverage.bytes == 12);
  CHECK(equal.findings.list().empty());
  CHECK(compare::test::compare(audit, audit).equal == true);

  // Another digest in the audit; its total fits.
  const std::string changed = std::string(kHeadDigest).replace(0, 1, "0");
  std::vector<run::AuditTensor> tensors = {{"lm_head.weight", changed, "torch.float32", {1, 2}, true},
                                           {"model.norm.weight", kNormDigest, "torch.bfloat16", {2}, true}};
  other.audit(kV1, audit_json(changed, run::audit_digest(tensors)));
  for (const WeightRun* reference : {&snapshot, &audit}) {
    const WeightComparison different = compare::test::compare(*reference, other);
    CHECK(different.equal == false);
    CHECK(different.versions.at(0).different_tensors == std::vector<std::string>{"lm_head.weight"});
    CHECK(different.versions[0].outcomes[0].reference == kHeadDigest);
    CHECK(different.versions[0].outcomes[0].candidate == changed);
    CHECK(has_finding(different, "RLV-301"));
  }
}

TEST_CASE("the reference is hashed once for all candidates", "[weights][digests]") {
  const WeightRun snapshot("snapshot");
  const WeightRun audit("audit");
  snapshot.snapshot(kV1, {kHead, kNorm});
  audit.audit(kV1, audit_json());
  core::ThreadPool pool(2);
  auto reference = snapshot.weights();
  auto candidate = audit.weights();
  CHECK(compare::bytes_to_compare(reference, candidate) > 0);
  CHECK(compare::compare_weights(reference, candidate, pool).coverage.bytes == 12);
  REQUIRE(reference.versions[0].computed);
  CHECK(compare::bytes_to_compare(reference, candidate) == 0);
  const WeightComparison again = compare::compare_weights(reference, candidate, pool);
  CHECK(again.equal == true);
  CHECK(again.coverage.bytes == 0);
}

TEST_CASE("an audit of one sampled tensor compares that tensor and says so", "[weights][digests]") {
  const WeightRun snapshot("snapshot");
  const WeightRun sampled("sampled");
  snapshot.snapshot(kV1, {kHead, kNorm});
  sampled.audit(kV1, sampled_json(kNormDigest));
  const WeightComparison equal = compare::test::compare(snapshot, sampled);
  CHECK(equal.equal == true);
  CHECK(equal.coverage.tensors == 1);
  CHECK(finding(equal, "RLV-316").severity == core::Severity::kWarning);
  sampled.audit(kV1, sampled_json(kHeadDigest));
  CHECK(compare::test::compare(snapshot, sampled).versions.at(0).different_tensors ==
        std::vector<std::string>{"model.norm.weight"});
  snapshot.snapshot(kV1, {kHead});
  CHECK(compare::test::compare(snapshot, sampled).versions.at(0).different_tensors ==
        std::vector<std::string>{"model.norm.weight"});
}

TEST_CASE("digests that contradict themselves or their snapshot are errors", "[weights][digests]") {
  const WeightRun snapshot("snapshot");
  const WeightRun audit("audit");
  snapshot.snapshot(kV1, {kHead, kNorm});
  audit.audit(kV1, audit_json(kHeadDigest, kHeadDigest));
  CHECK(finding(compare::test::compare(audit, audit), "RLV-318").what == "the weight digests contradict themselves");
  audit.audit(kV1, audit_json("nonsense"));
  const WeightComparison unusable = compare::test::compare(snapshot, audit);
  CHECK(finding(unusable, "RLV-313").place.tensor == "lm_head.weight");
  CHECK_FALSE(unusable.equal.has_value());
  audit.audit(kV1, "{");
  CHECK(has_finding(compare::test::compare(audit, snapshot), "RLV-313"));
  audit.audit(kV1, audit_json());
  // The snapshot's own audit is of other weights: seen as soon as the snapshot is hashed.
  const std::string changed = std::string(kHeadDigest).replace(0, 1, "0");
  const std::vector<run::AuditTensor> tensors = {{"lm_head.weight", changed, "torch.float32", {1, 2}, true},
                                                 {"model.norm.weight", kNormDigest, "torch.bfloat16", {2}, true}};
  snapshot.audit(kV1, audit_json(changed, run::audit_digest(tensors)));
  const WeightComparison stale = compare::test::compare(snapshot, audit);
  CHECK(stale.equal == true);
  CHECK(finding(stale, "RLV-318").what == "the weight audit doesn't describe the snapshot");
}

TEST_CASE("records: versions with digests, old weights at a new version, shifted experts", "[weights][digests][B07]") {
  const std::string a = std::string(64, 'a');
  const std::string b = std::string(64, 'b');
  const std::string c = std::string(64, 'c');
  const auto version = [](const std::string& expert0, const std::string& expert1) {
    const std::vector<run::AuditTensor> tensors = {{"experts.0.w", expert0, "torch.float32", {2}, true},
                                                   {"experts.1.w", expert1, "torch.float32", {2}, true}};
    return fmt::format(R"({{"sha256": "{}", "tensor_count": 2, "tensors": {{"experts.0.w": {}, "experts.1.w": {}}}}})",
                       run::audit_digest(tensors), entry(expert0, "[2]", "torch.float32"),
                       entry(expert1, "[2]", "torch.float32"));
  };
  const auto record = [](const std::string& json, const std::string& side) {
    const core::JsonDocument document = core::read_json(core::MemorySource("r", json), core::JsonMode::kStrict);
    return compare::weights_of_record(document.root(), side, side + ".json");
  };
  const std::string trainer = fmt::format(R"({{"weight_v000000": {}, "weight_v000001": {}, "weight_v000002": {}}})",
                                          version(a, a), version(b, a), version(c, b));
  const std::string rollout = fmt::format(R"({{"weight_v000000": {}, "weight_v000001": {}, "weight_v000002": {}}})",
                                          version(a, a), version(a, a), version(c, c));
  const WeightComparison result = compare::test::compare(record(trainer, "trainer"), record(rollout, "rollout"));
  CHECK(result.findings.list().at(0).what == "rollout weights at version 1 equal version 0");
  CHECK(result.versions.at(0).outcomes.at(0).hint == "candidate expert 1 equals reference expert 0 (shift -1)");
  CHECK(result.versions.at(1).different_tensors == std::vector<std::string>{"experts.0.w"});
  CHECK(result.versions.at(2).equal == true);
  CHECK(record("{}", "x").versions.empty());
}

TEST_CASE("a digest of zeros is recognised", "[weights][digests]") {
  const WeightRun snapshot("snapshot");
  const WeightRun zero("zero");
  snapshot.snapshot(kV1, {kNorm});
  const std::string zeros(4, '\0');
  const std::string digest = core::hex(core::sha256(std::as_bytes(std::span(zeros.data(), zeros.size()))));
  const std::vector<run::AuditTensor> tensors = {{"model.norm.weight", digest, "torch.bfloat16", {2}, true}};
  zero.audit(kV1, fmt::format(R"({{"sha256": "{}", "tensors": {{"model.norm.weight": {}}}}})",
                              run::audit_digest(tensors), entry(digest, "[2]", "torch.bfloat16")));
  CHECK(compare::test::compare(snapshot, zero).versions.at(0).outcomes.at(0).hint ==
        "the candidate's tensor is all zero");
}

TEST_CASE("weights that rotted are damaged, whether compared or sealed", "[weights][digests]") {
  const std::vector<NamedBytes> tensors = {{"a", "F32", {2}, raw<float>({1, 2})}, {"b", "F32", {1}, raw<float>({3})}};
  const std::string bytes = tensor::test::state_dict(tensors);
  std::string rotten = bytes;
  rotten[rotten.find(raw<float>({1, 2}))] ^= 1;
  const WeightRun whole("whole");
  const WeightRun damaged("damaged");
  whole.file("weight_v000001", "model.pt", bytes);
  damaged.file("weight_v000001", "model.pt", rotten);
  const compare::WeightComparison result = compare::test::compare(whole, damaged);
  CHECK_FALSE(result.equal.has_value());
  CHECK_THAT(finding(result, "RLV-220").found, Catch::EndsWith("the file is damaged"));
  CHECK(result.versions[0].outcomes[0].verdict == compare::TensorVerdict::kNotJudged);
  compare::WeightVersions weights = damaged.weights();
  core::ThreadPool pool(2);
  core::Findings findings;
  (void)compare::seal_weights(weights.versions[0], pool, findings);
  CHECK_THAT(rlverify::test::finding(findings, "RLV-220").expected, Catch::StartsWith("\"top/data/0\" with CRC "));
}

TEST_CASE("non-finite weights are found while hashing, too", "[weights][digests][B08]") {
  const WeightRun snapshot("snapshot");
  const WeightRun audit("audit");
  snapshot.snapshot(kV1, {{"w", "F32", {2}, raw<float>({1, std::numeric_limits<float>::quiet_NaN()})}});
  audit.audit(kV1, audit_json());
  const WeightComparison result = compare::test::compare(snapshot, audit);
  CHECK(finding(result, "RLV-306").what == "non-finite weights: 1 elements in tensor w");
  CHECK(finding(result, "RLV-306").found == "NaN or infinity: reference 1, candidate unknown");
  core::ThreadPool pool(1);
  core::Findings findings;
  auto weights = snapshot.weights();
  (void)compare::seal_weights(weights.versions[0], pool, findings);
  CHECK(findings.list().at(0).code == "RLV-306");
}
