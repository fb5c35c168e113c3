// SPDX-License-Identifier: Apache-2.0
// What lies within a tolerance, rules by name, and rules that are refused.
#include <catch2/catch.hpp>
#include <limits>

#include "diff/diff_support.h"

namespace rlverify::diff::test {
namespace {

std::uint64_t outside(const std::vector<float>& reference, const std::vector<float>& candidate,
                      const Tolerance& tolerance) {
  const std::string left = raw(reference);
  const std::string right = raw(candidate);
  return count_outside(tensor::DType::kFloat32, 0, reference.size(), std::as_bytes(std::span(left)),
                       std::as_bytes(std::span(right)), tolerance)
      .elements;
}

std::string refusal(const std::string& json) {
  const TemporaryFolder folder;
  const std::string path = folder.write("rules.json", json);
  try {
    (void)Tolerances::read(path);
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bounds of a tolerance belong to it") {
  CHECK(outside({1.0F}, {1.5F}, {0.5, 0, 0}) == 0);
  CHECK(outside({1.0F}, {1.5F}, {0.49, 0, 0}) == 1);
  CHECK(outside({-4.0F}, {-5.0F}, {0, 0.25, 0}) == 0);
  CHECK(outside({-4.0F}, {-5.0F}, {0.0, 0.24, 0}) == 1);
  CHECK(outside({-4.0F}, {-5.0F}, {0.04, 0.24, 0}) == 0);
  CHECK(outside({1.0F}, {std::nextafter(1.0F, 2.0F)}, {0, 0, 1}) == 0);
  CHECK(outside({1.0F}, {1.0F + 0x1p-22F}, {0, 0, 1}) == 1);
}

TEST_CASE("integers that are one double are told apart") {
  const std::vector<std::int64_t> left = {std::int64_t{1} << 60};
  const std::vector<std::int64_t> right = {(std::int64_t{1} << 60) + 100};
  const auto count = [&](const Tolerance& tolerance) {
    return count_outside(tensor::DType::kInt64, 0, 1, std::as_bytes(std::span(left)), std::as_bytes(std::span(right)),
                         tolerance)
        .elements;
  };
  CHECK(count({1, 0, 0}) == 1);
  CHECK(count({0, 1e-30, 0}) == 1);
  CHECK(count({0, 0, 99}) == 1);
  CHECK(count({100, 0, 0}) == 0);
  CHECK(count({0, 0, 100}) == 0);
}

TEST_CASE("zeros of both signs are near, NaN and infinity are never") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tolerance wide = {1e30, 1e30, 1U << 30U};
  CHECK(outside({0.0F}, {-0.0F}, {1e-30, 0, 0}) == 0);
  CHECK(outside({0.0F}, {-0.0F}, {}) == 1);
  CHECK(outside({kNan}, {1.0F}, wide) == 1);
  CHECK(outside({1.0F}, {kInfinity}, wide) == 1);
  CHECK(outside({kInfinity}, {-kInfinity}, wide) == 1);
  CHECK(outside({kNan, kInfinity}, {kNan, kInfinity}, {}) == 0);
}

TEST_CASE("a tolerated difference is counted and passes") {
  const std::vector<float> reference = {1, 2, 3, 4};
  const Pair pair({float_tensor("x", {4}, reference)}, {float_tensor("x", {4}, {1, 2.5F, 3, 4.125F})});
  DiffOptions options;
  options.tolerances = Tolerances(Tolerance{0.5, 0, 0});
  const ModelDiff within = pair.diff(options);
  CHECK(within.answer() == Answer::kWithinTolerance);
  CHECK(within.exit_code() == core::ExitCode::kPassed);
  CHECK(within.elements_different == 2);
  CHECK(within.elements_outside == 0);
  CHECK(find(within.findings, "RLV-406") != nullptr);
  CHECK(find(within.findings, "RLV-401") == nullptr);
  options.tolerances = Tolerances(Tolerance{0.125, 0, 0});
  const ModelDiff outside_one = pair.diff(options);
  CHECK(outside_one.answer() == Answer::kDifferent);
  CHECK(outside_one.elements_outside == 1);
  const OutsideCount& found = tensor_of(outside_one, "x").outside;
  REQUIRE(found.first);
  CHECK(found.first->element_index == 1);
  const core::Finding* finding = find(outside_one.findings, "RLV-401");
  REQUIRE(finding != nullptr);
  CHECK(finding->expected == "2.0 (0x40000000)");
  CHECK(finding->found == "2.5 (0x40200000)");
}

TEST_CASE("the first element outside may lie behind others that differ") {
  const Pair pair({float_tensor("x", {4}, {1, 1, 1, 1})}, {float_tensor("x", {4}, {1.0001F, 1, 3, 1})});
  DiffOptions options;
  options.tolerances = Tolerances(Tolerance{0.01, 0, 0});
  const ModelDiff diff = pair.diff(options);
  const TensorDiff& tensor = tensor_of(diff, "x");
  CHECK(tensor.difference.first->element_index == 0);
  CHECK(tensor.outside.first->element_index == 2);
  CHECK(tensor.outside.first->ulp_distance > 16);
}

TEST_CASE("the first rule that matches counts") {
  const TemporaryFolder folder;
  const Tolerances rules = Tolerances::read(
      folder.write("t.json", R"([{"pattern": "norm", "ulp": 2}, {"pattern": "^layers", "atol": 1e-3, "rtol": 0.5}])"));
  CHECK(rules.find("layers.0.norm")->ulp == 2);
  CHECK(rules.find("layers.0.mlp")->atol == 1e-3);
  CHECK(rules.find("layers.0.mlp")->rtol == 0.5);
  CHECK_FALSE(rules.find("lm_head"));
  const Pair pair({float_tensor("lm_head", {1}, {1})}, {float_tensor("lm_head", {1}, {1})});
  DiffOptions options;
  options.tolerances = rules;
  CHECK_THROWS_WITH(pair.diff(options), Catch::Contains("no rule matches the name \"lm_head\""));
  CHECK_THROWS_AS(pair.diff(options), core::UsageError);
}

TEST_CASE("rules of another form are refused with their place") {
  CHECK(contains(refusal("{}"), "rules.json:1:1: a tolerances file is a list"));
  CHECK(contains(refusal("[\n {\"pattern\": \"a\", \"atoll\": 1}]"), "rules.json:2:"));
  CHECK(contains(refusal(R"([{"pattern": "a", "atoll": 1}])"), "no \"atoll\""));
  CHECK(contains(refusal(R"([{"atol": 1}])"), "needs a pattern"));
  CHECK(contains(refusal(R"([{"pattern": "a", "atol": -1}])"), "atol must be"));
  CHECK(contains(refusal(R"([{"pattern": "a", "rtol": "1"}])"), "rtol must be"));
  CHECK(contains(refusal(R"([{"pattern": "a", "ulp": 1.5}])"), "ulp must be"));
  CHECK(contains(refusal(R"([{"pattern": "a(b"}])"), "no regular expression"));
  CHECK(contains(refusal("[1]"), "a rule is an object"));
  CHECK(refusal(R"([{"pattern": "a", "ulp": 1}])").empty());
  const TemporaryFolder folder;
  CHECK_THROWS_AS(Tolerances::read(folder.write("t.json", "[{]")), core::ArtifactError);
  CHECK_THROWS_AS(Tolerances::read(folder.file("none.json")), core::ArtifactError);
}

TEST_CASE("a pattern that is none names the character") {
  CHECK_THROWS_WITH(NamePattern("--tensor", "ab[c"),
                    Catch::Contains("--tensor: \"ab[c\"") && Catch::Contains("at character 3"));
  const NameFilter filter = {NamePattern("--tensor", "layers"), NamePattern("--ignore", "norm$")};
  CHECK(filter.selects("layers.0.weight"));
  CHECK_FALSE(filter.selects("layers.0.norm"));
  CHECK_FALSE(filter.selects("lm_head"));
}

}  // namespace rlverify::diff::test
