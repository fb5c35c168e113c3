// SPDX-License-Identifier: Apache-2.0
// Weights of two runs: every public report on weights as an input and its right answer, and what may not make a
// difference.
#include "compare/weights_support.h"

using namespace rlverify;
using namespace compare::test;
using compare::TensorVerdict;
using compare::WeightComparison;

namespace {

const NamedBytes kEmbedding{"model.language_model.embed_tokens.weight", "F32", {2, 2}, raw<float>({1, 2, 3, 4})};
const NamedBytes kNorm{"model.norm.weight", "F32", {2}, raw<float>({1, 1.5F})};

NamedBytes named(NamedBytes tensor, const std::string& name) {
  tensor.name = name;
  return tensor;
}
NamedBytes with(NamedBytes tensor, const std::string& bytes) {
  tensor.bytes = bytes;
  return tensor;
}

constexpr const char* kV1 = "weight_v000001";
constexpr const char* kV2 = "weight_v000002";
constexpr const char* kV3 = "weight_v000003";

}  // namespace

TEST_CASE("equal weights in other containers, shards and orders are equal", "[weights]") {
  const WeightRun one("one");
  const WeightRun two("two");
  const WeightRun three("three");
  one.snapshot(kV1, {kEmbedding, kNorm});
  two.file(kV1, "model.pt", tensor::test::state_dict({kNorm, kEmbedding}));
  three.file(kV1, "a.safetensors", tensor::test::safetensors({kNorm}));
  three.file(kV1, "b.safetensors", tensor::test::safetensors({kEmbedding}, R"({"format":"pt"})"));
  for (const WeightRun* candidate : {&one, &two, &three}) {
    const WeightComparison result = compare::test::compare(one, *candidate);
    CHECK(result.equal == true);
    CHECK(result.findings.list().empty());
    REQUIRE(result.versions.size() == 1);
    CHECK(result.versions[0].version == kV1);
    CHECK(result.versions[0].different_tensors.empty());
    CHECK(result.coverage.tensors == 2);
    CHECK(result.coverage.elements == 6);
    CHECK(result.coverage.bytes == 24);
  }
}

TEST_CASE("versions come newest first, and a difference names tensor, element and values", "[weights]") {
  const WeightRun one("one");
  const WeightRun two("two");
  for (const char* version : {kV1, kV2}) {
    const float scale = version == kV1 ? 1.0F : 2.0F;
    one.snapshot(version, {with(kEmbedding, raw<float>({scale, 2, 3, 4})), kNorm});
    two.snapshot(version, {with(kEmbedding, raw<float>({scale, 2, version == kV1 ? 3.0F : 3.5F, 4})), kNorm});
  }
  const WeightComparison result = compare::test::compare(one, two);
  CHECK(result.equal == false);
  REQUIRE(result.versions.size() == 2);
  CHECK(result.versions[0].version == kV2);
  CHECK(result.versions[0].equal == false);
  CHECK(result.versions[0].different_tensors == std::vector<std::string>{kEmbedding.name});
  CHECK(result.versions[1].equal == true);
  const compare::TensorOutcome& outcome = result.versions[0].outcomes.at(0);
  CHECK(outcome.first_index == "[1, 0]");
  CHECK(outcome.reference == "3.0 (0x40400000)");
  CHECK(outcome.candidate == "3.5 (0x40600000)");
  const core::Finding found = finding(result, "RLV-301");
  CHECK(found.place.tensor == kEmbedding.name);
  CHECK(found.expected == "3.0 (0x40400000) at [1, 0]");
  CHECK(contains(found.found, "1 of 4 elements differ"));
  CHECK(result.updates == 1);
  CHECK(result.ever_changed);
}

TEST_CASE("a missing shard is never a pass, though the rest is equal", "[weights][B01]") {
  const WeightRun one("one");
  const WeightRun two("two");
  const std::string third = "model-00003-of-00003.safetensors";
  for (const WeightRun* run : {&one, &two}) {
    run->file("weight_v0", "model-00001-of-00003.safetensors", tensor::test::safetensors({kEmbedding}));
    run->file("weight_v0", "model-00002-of-00003.safetensors", tensor::test::safetensors({kNorm}));
    run->file("weight_v0", "model.safetensors.index.json",
              tensor::test::index_json({{kEmbedding.name, "model-00001-of-00003.safetensors"},
                                        {kNorm.name, "model-00002-of-00003.safetensors"},
                                        {"x", third}}));
  }
  one.file("weight_v0", third, tensor::test::safetensors({named(kNorm, "x")}));
  const WeightComparison result = compare::test::compare(one, two);
  CHECK_FALSE(result.equal.has_value());
  CHECK_FALSE(result.versions.at(0).equal.has_value());
  CHECK(finding(result, "RLV-221").found == "index names missing shard `model-00003-of-00003.safetensors` (1 tensors)");
  CHECK(result.findings.has_error(core::Section::kWeights));
  CHECK(result.versions[0].outcomes.at(0).verdict == TensorVerdict::kNotJudged);
  // Both sides lack it: still nothing to pass.
  const WeightComparison both = compare::test::compare(two, two);
  CHECK_FALSE(both.equal.has_value());
}

TEST_CASE("a cut-off file is an error with both lengths", "[weights][B02]") {
  const WeightRun one("one");
  const WeightRun two("two");
  const std::string whole = tensor::test::safetensors({{"w", "U8", {128}, std::string(128, 'x')}});
  one.file(kV1, "model.safetensors", whole);
  two.file(kV1, "model.safetensors", whole.substr(0, whole.size() - 64));
  const WeightComparison result = compare::test::compare(one, two);
  CHECK_FALSE(result.equal.has_value());
  const core::Finding found = finding(result, "RLV-220");
  CHECK(contains(found.expected, std::to_string(whole.size())));
  CHECK(contains(found.found, std::to_string(whole.size() - 64) + " bytes; the first affected tensor is \"w\""));
}

TEST_CASE("an output matrix that the candidate leaves out passes only where config.json ties it", "[weights][B04]") {
  const WeightRun one("one");
  const WeightRun two("two");
  one.snapshot(kV1, {kEmbedding, named(kEmbedding, "lm_head.weight")});
  two.snapshot(kV1, {kEmbedding});
  const WeightComparison untied = compare::test::compare(one, two);
  CHECK(untied.equal == false);
  CHECK(finding(untied, "RLV-302").what == "missing tensor lm_head.weight");
  CHECK(untied.versions[0].different_tensors == std::vector<std::string>{"lm_head.weight"});
  CHECK(contains(finding(untied, "RLV-302").hint, kEmbedding.name));

  two.file(kV1, "config.json", R"({"tie_word_embeddings": false})");
  CHECK(compare::test::compare(one, two).equal == false);

  two.file(kV1, "config.json", R"({"tie_word_embeddings": true})");
  const WeightComparison tied = compare::test::compare(one, two);
  CHECK(tied.equal == true);
  CHECK(finding(tied, "RLV-311").what ==
        "lm_head tied to model.language_model.embed_tokens.weight, absent in candidate");
  CHECK(finding(tied, "RLV-311").severity == core::Severity::kNote);
  CHECK_FALSE(tied.findings.has_error());
  CHECK(finding(compare::test::compare(two, one), "RLV-311").what ==
        "lm_head tied to model.language_model.embed_tokens.weight, absent in reference");

  // Tied, but not with these elements: the tensor is missing.
  one.snapshot(kV1, {kEmbedding, named(with(kEmbedding, raw<float>({1, 2, 3, 5})), "lm_head.weight")});
  CHECK(compare::test::compare(one, two).equal == false);
}

TEST_CASE("experts that hold another expert's weights are told with the shift", "[weights][B05]") {
  const WeightRun one("one");
  const WeightRun two("two");
  std::vector<NamedBytes> reference;
  std::vector<NamedBytes> candidate;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "model.layers.0.mlp.experts." + std::to_string(i) + ".down_proj.weight";
    reference.push_back({name, "F32", {2}, raw<float>({static_cast<float>(i), 1})});
    candidate.push_back({name, "F32", {2}, raw<float>({static_cast<float>(i % 4), 1})});
  }
  one.snapshot(kV1, reference);
  two.snapshot(kV1, candidate);
  const WeightComparison result = compare::test::compare(one, two);
  CHECK(result.versions.at(0).different_tensors.size() == 4);
  CHECK(result.versions[0].different_tensors[0] == reference[4].name);
  CHECK(result.versions[0].outcomes[0].hint == "candidate expert 4 equals reference expert 0 (shift -4)");
  CHECK(result.versions[0].outcomes[3].hint == "candidate expert 7 equals reference expert 3 (shift -4)");
  CHECK(finding(result, "RLV-312").what == "candidate expert 4 equals reference expert 0 (shift -4)");
  CHECK(contains(finding(result, "RLV-301").what, "4 tensors with other elements of 8"));
}

TEST_CASE("views and transposed views are their values", "[weights][B06]") {
  using namespace tensor::test;
  const WeightRun one("one");
  const WeightRun two("two");
  one.file(kV1, "m.pt",
           pt_zip("}(" + text("w") + tensor_v2(storage("FloatStorage", "0", 6), 0, {3, 2}, {1, 3}) + "u",
                  {{"0", raw<float>({1, 2, 3, 4, 5, 6})}}));
  two.snapshot(kV1, {{"w", "F32", {3, 2}, raw<float>({1, 4, 2, 5, 3, 6})}});
  CHECK(compare::test::compare(one, two).equal == true);
}

TEST_CASE("a candidate that goes back to old weights is the cause, its differences follow", "[weights][B07]") {
  const WeightRun trainer("trainer");
  const WeightRun rollout("rollout");
  const auto values = [](float value) { return std::vector<NamedBytes>{with(kNorm, raw<float>({value, 1}))}; };
  for (int i = 0; i < 3; ++i) {
    const std::string version = "weight_v00000" + std::to_string(i);
    trainer.snapshot(version, values(static_cast<float>(i)));
    rollout.snapshot(version, values(0));
  }
  const WeightComparison result = compare::test::compare(trainer, rollout);
  CHECK(result.equal == false);
  CHECK(result.findings.list().at(0).code == "RLV-310");
  CHECK(result.findings.list()[0].what == "rollout weights at version 1 equal version 0");
  CHECK(result.findings.list()[1].what == "rollout weights at version 2 equal version 1");
  CHECK(finding(result, "RLV-301").because_of == "RLV-310");
}

TEST_CASE("non-finite weights fail even where both sides are equal", "[weights][B08]") {
  const WeightRun one("one");
  const NamedBytes block{"w.weight", "F8_E4M3", {128, 128}, std::string(128 * 128, '\x7f')};
  one.snapshot(kV1, {block, {"w.scale", "F32", {1}, raw<float>({0})}});
  const WeightComparison result = compare::test::compare(one, one);
  CHECK(result.equal == true);
  CHECK(finding(result, "RLV-306").what == "non-finite weights: 16384 elements in tensor w.weight");
  CHECK(finding(result, "RLV-306").severity == core::Severity::kError);
}

TEST_CASE("runs whose weights never change are vacuous", "[weights][B14]") {
  const WeightRun one("one");
  const WeightRun two("two");
  for (const WeightRun* run : {&one, &two}) {
    for (const char* version : {kV1, kV2, kV3}) {
      run->snapshot(version, {kNorm});
    }
  }
  const WeightComparison warned = compare::test::compare(one, two);
  CHECK(warned.equal == true);
  CHECK_FALSE(warned.ever_changed);
  CHECK(finding(warned, "RLV-308").what == "vacuous: no weight update in 2 steps");
  CHECK_FALSE(warned.findings.has_error());
  two.manifest(R"({"algorithm": {"require_updates": true}})");
  CHECK(finding(compare::test::compare(one, two), "RLV-307").severity == core::Severity::kError);
  // One step that changed nothing among others is told, too.
  for (const WeightRun* run : {&one, &two}) {
    run->snapshot(kV1, {with(kNorm, raw<float>({7, 7}))});
  }
  const WeightComparison partly = compare::test::compare(one, two);
  CHECK(finding(partly, "RLV-309").what == "one weights at version 3 equal version 2");
  CHECK_FALSE(has_finding(partly, "RLV-307"));
}

TEST_CASE("missing, added, reshaped and retyped tensors are different, each with its code", "[weights]") {
  const WeightRun one("one");
  const WeightRun two("two");
  one.snapshot(kV1, {{"gone", "U8", {1}, "x"},
                     {"reshaped", "F32", {2, 1}, raw<float>({1, 2})},
                     {"retyped", "F32", {2}, raw<float>({1, 2})},
                     {"zeroed", "F32", {1}, raw<float>({1})}});
  two.snapshot(kV1, {{"new", "U8", {1}, "x"},
                     {"reshaped", "F32", {1, 2}, raw<float>({1, 2})},
                     {"retyped", "BF16", {2}, raw<std::uint16_t>({0x3F80, 0x4000})},
                     {"zeroed", "F32", {1}, raw<float>({0})}});
  const WeightComparison result = compare::test::compare(one, two);
  CHECK(result.versions.at(0).different_tensors ==
        std::vector<std::string>{"gone", "new", "reshaped", "retyped", "zeroed"});
  CHECK(finding(result, "RLV-302").place.tensor == "gone");
  CHECK(finding(result, "RLV-303").place.tensor == "new");
  CHECK(finding(result, "RLV-304").expected == "[2, 1]");
  CHECK(finding(result, "RLV-305").found == "torch.bfloat16");
  CHECK(finding(result, "RLV-305").hint == "the same numbers in another dtype");
  CHECK(result.versions[0].outcomes[3].hint == "the same numbers in another dtype");
  CHECK(result.versions[0].outcomes[4].hint == "the candidate's tensor is all zero");
}

TEST_CASE("a version or all weights on one side only", "[weights]") {
  const WeightRun one("one");
  const WeightRun two("two");
  const WeightRun none("none");
  one.snapshot(kV1, {kNorm});
  one.snapshot(kV2, {kEmbedding});
  two.snapshot(kV1, {kNorm});
  const WeightComparison result = compare::test::compare(one, two);
  CHECK(result.equal == false);
  CHECK(result.versions.at(0).equal == false);
  CHECK(result.versions.at(1).equal == true);
  CHECK(finding(result, "RLV-314").found == "two lacks it");
  const WeightComparison empty = compare::test::compare(one, none);
  CHECK_FALSE(empty.equal.has_value());
  CHECK_FALSE(empty.versions.at(0).equal.has_value());
  CHECK(finding(empty, "RLV-315").what == "none has no weights to compare");
  CHECK(empty.findings.has_error(core::Section::kWeights));
}

TEST_CASE("weights given by --weights: versions below a directory, or one model", "[weights]") {
  const WeightRun one("one");
  const WeightRun two("two");
  one.snapshot(kV1, {kNorm});
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("v2"));
  std::filesystem::create_directories(folder.file("v10"));
  folder.write("v2/m.safetensors", tensor::test::safetensors({kNorm}));
  folder.write("v10/m.safetensors", tensor::test::safetensors({kEmbedding}));
  const auto versions = two.weights(folder.file("") + "/");
  REQUIRE(versions.versions.size() == 2);
  CHECK(versions.versions[0].name == "v2");
  CHECK(versions.versions[1].name == "v10");
  // A single model stands for the only version of the other side.
  const WeightComparison single = compare::test::compare(one.weights(), two.weights(folder.file("v2")));
  CHECK(single.equal == true);
  CHECK(single.versions.at(0).version == kV1);
  CHECK_THROWS_AS(two.weights(folder.file("nowhere")), core::InputError);
  const TemporaryFolder empty;
  CHECK_THROWS_AS(two.weights(empty.file("")), core::InputError);
}

TEST_CASE("a tensor that can't be read while it is compared is not judged", "[weights]") {
  const WeightRun one("one");
  const WeightRun two("two");
  // Larger than what is read whole at opening, so that its elements are read later.
  const NamedBytes large{"w", "U8", {2U << 20U}, std::string(2U << 20U, 'x')};
  one.snapshot(kV1, {large});
  two.snapshot(kV1, {large});
  auto candidate = two.weights();
  auto reference = one.weights();
  // The file shrinks between the look at the folder and the reading: at the latest when its header is read.
  std::filesystem::resize_file(two.path("weight-updates/" + std::string(kV1) + "/model.safetensors"), 1000);
  const WeightComparison result = compare::test::compare(reference, candidate);
  CHECK_FALSE(result.equal.has_value());
  CHECK(result.findings.has_error(core::Section::kWeights));
}
