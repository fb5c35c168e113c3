// SPDX-License-Identifier: Apache-2.0
// Weight audits from raw JSON, and the canonical digest (vector of spec/run-artifacts.md section 8).
#include <catch2/catch.hpp>
#include <string>

#include "run/weight_audit.h"

namespace rlverify::run {
namespace {

constexpr const char* kLmHead = "ee4ac73c2bd27756ab82780f27c73a7bc4d3f0bb6acb37e008bc27eccd7e588b";
constexpr const char* kNorm = "54114f538801f6678fbd079c23daf4084457385ab206deba2abd70d219cde832";
constexpr const char* kTotal = "17ff108519dbf20d0fd9e992f0159125199d4d4ab452913a03abd59d02223c4e";

WeightAudit read(const std::string& text, const std::string& name = "weight_v000001.json") {
  return read_weight_audit(core::MemorySource("weight-audit/" + name, text), name);
}

}  // namespace

TEST_CASE("The digest of the spec's vector, whatever the order of tensors") {
  AuditTensor head{"lm_head.weight", kLmHead, "torch.float32", {1, 2}, true};
  AuditTensor norm{"model.norm.weight", kNorm, "torch.bfloat16", {2}, true};
  CHECK(audit_digest({head, norm}) == kTotal);
  CHECK(audit_digest({norm, head}) == kTotal);
  head.shape = {2, 1};
  CHECK(audit_digest({head, norm}) != kTotal);
}

TEST_CASE("Names beyond ASCII are escaped as Python's json.dumps escapes them") {
  // hashlib.sha256(json.dumps({"\u00e9\U0001f642\"\\\n\x7f": {"dtype": "torch.int8", "sha256": "", "shape": []}},
  // sort_keys=True).encode()).hexdigest()
  CHECK(audit_digest({AuditTensor{"\xC3\xA9\xF0\x9F\x99\x82\"\\\n\x7F", "", "torch.int8", {}, false}}) ==
        "02f8277993cc1e80436c731b61b342a14e882d0ccf9d380335ab9031835cc793");
}

TEST_CASE("The form with all tensors") {
  const WeightAudit audit =
      read(std::string(R"({"version": "weight_v000001", "scope": "all_exported_parameters", "sha256": ")") + kTotal +
           R"(", "tensor_count": 2, "tensors": {"model.norm.weight": {"sha256": ")" + kNorm +
           R"(", "shape": [2], "dtype": "torch.bfloat16"}, "lm_head.weight": {"sha256": ")" + kLmHead +
           R"(", "shape": [1, 2], "dtype": "torch.float32"}}})");
  CHECK_FALSE(audit.problem);
  CHECK(audit.sha256 == kTotal);
  CHECK(audit.version == "weight_v000001");
  CHECK(audit.scope == "all_exported_parameters");
  CHECK(audit.tensor_count == 2);
  CHECK(audit.has_tensors);
  REQUIRE(audit.tensors.size() == 2);
  CHECK(audit.tensors[0].name == "model.norm.weight");
  CHECK(audit.tensors[1].well_formed);
  CHECK(audit_digest(audit.tensors) == audit.sha256);
}

TEST_CASE("The older form names one tensor") {
  const WeightAudit audit =
      read(std::string(R"({"version": "v1", "tensor": "model.layers.0.mlp.down_proj.weight", "sha256": ")") + kNorm +
           R"(", "shape": [2], "dtype": "torch.bfloat16"})");
  CHECK_FALSE(audit.has_tensors);
  REQUIRE(audit.tensors.size() == 1);
  CHECK(audit.tensors[0].name == "model.layers.0.mlp.down_proj.weight");
  CHECK(audit.tensors[0].well_formed);
}

TEST_CASE("Entries that are not what they should be are not well formed") {
  const std::string good = std::string(R"({"sha256": ")") + kNorm + R"(", "shape": [2], "dtype": "torch.bfloat16"})";
  CHECK(read(R"({"tensors": {"a": )" + good + "}}").tensors.at(0).well_formed);
  for (const char* const entry : {"1", "{}", R"({"sha256": "abc", "shape": [2], "dtype": "torch.bfloat16"})",
                                  R"({"sha256": 5, "shape": [2], "dtype": "torch.bfloat16"})"}) {
    CAPTURE(entry);
    CHECK_FALSE(read(std::string(R"({"tensors": {"a": )") + entry + "}}").tensors.at(0).well_formed);
  }
  for (const char* const shape : {"2", "[-1]", "[2.0]", "[true]", "null"}) {
    std::string bad = good;
    bad.replace(bad.find("[2]"), 3, shape);
    CAPTURE(shape);
    CHECK_FALSE(read(R"({"tensors": {"a": )" + bad + "}}").tensors.at(0).well_formed);
  }
}

TEST_CASE("The key of a digest is Python's: None when absent, none when it can't be hashed, NaN like no other") {
  CHECK(read("{}").sha256_key == read(R"({"sha256": null})").sha256_key);
  CHECK(read(R"({"sha256": 1})").sha256_key == read(R"({"sha256": true})").sha256_key);
  CHECK(read(R"({"sha256": "a"})").sha256_key != read(R"({"sha256": "b"})").sha256_key);
  CHECK_FALSE(read(R"({"sha256": []})").sha256_key);
  CHECK(read(R"({"sha256": NaN})", "a.json").sha256_key != read(R"({"sha256": NaN})", "b.json").sha256_key);
}

TEST_CASE("What is no JSON object") {
  CHECK(read("{\"a\": ").problem);
  CHECK(read("").problem);
  CHECK_FALSE(read("[]").is_object);
  CHECK_FALSE(read("[]").problem);
  CHECK(read(R"({"sha256": "a", "sha256": "b"})").observations.size() == 1);
  CHECK(read(R"({"sha256": "a", "sha256": "b"})").sha256 == "b");
}

}  // namespace rlverify::run
