// SPDX-License-Identifier: Apache-2.0
// Every embedded schema: what it says of itself, and that it refuses wrong documents at the right place.
#include <catch2/catch.hpp>
#include <map>

#include "report/planted_faults.h"

using namespace rlverify;
using report::test::PlantedDocument;

namespace {

constexpr std::size_t kLeastFaults = 15;

/// Walks a schema and notes what it doesn't say. Conditions (if, then, else, not, allOf) only narrow what was described
/// elsewhere.
class Undescribed {
 public:
  void walk(core::Value schema, const std::string& at, bool is_named, bool is_condition) {
    if (!schema.is_dict()) {
      return;
    }
    const bool described =
        schema.get("$ref") || schema.get("title") || schema.get("description") || schema.get("const");
    if (is_named && !is_condition && !described) {
      faults_ += at + ": no description\n";
    }
    const bool object = schema.get("type").text() == "object" || schema.get("properties");
    if (object && !is_condition && !schema.get("additionalProperties")) {
      faults_ += at + ": additionalProperties is not decided\n";
    }
    parts(schema, at, is_condition);
  }
  [[nodiscard]] const std::string& faults() const { return faults_; }

 private:
  void parts(core::Value schema, const std::string& at, bool is_condition) {
    for (const char* name : {"properties", "definitions"}) {
      const core::Value named = schema.get(name);
      for (std::size_t i = 0; i < named.size(); ++i) {
        walk(named.value_at(i), at + "/" + name + "/" + std::string(named.key_at(i).text()), true, is_condition);
      }
    }
    for (const char* name : {"if", "then", "else", "not"}) {
      walk(schema.get(name), at + "/" + name, false, true);
    }
    for (const char* name : {"allOf", "anyOf", "oneOf"}) {
      const core::Value list = schema.get(name);
      for (std::size_t i = 0; i < list.size(); ++i) {
        walk(list.at(i), at + "/" + name, false, true);
      }
    }
    for (const char* name : {"items", "additionalProperties"}) {
      walk(schema.get(name), at + "/" + name, false, is_condition);
    }
  }

  std::string faults_;
};

/// Checks every example against the subschema that it stands in; counts them.
class Examples {
 public:
  explicit Examples(core::Value root) : root_(root) {}

  void walk(core::Value schema, const std::string& at) {
    const core::Value examples =
        schema.is_dict() && schema.get("examples").is_list() ? schema.get("examples") : core::Value();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      report::Document alone;
      alone.set_root(alone.object(
          {{"definitions", alone.copy(root_.get("definitions"))}, {"allOf", alone.array({alone.copy(schema)})}}));
      INFO(at << " example " << i);
      const std::string text = report::to_json(alone.root(), report::KeyOrder::kAsBuilt);
      CHECK(report::test::words(report::check_schema(examples.at(i), text)) == "");
      ++count_;
    }
    for (std::size_t i = 0; i < schema.size(); ++i) {
      const bool is_dict = schema.is_dict();
      const std::string key = is_dict ? std::string(schema.key_at(i).text()) : std::to_string(i);
      if (key != "examples") {
        walk(is_dict ? schema.value_at(i) : schema.at(i), at + "/" + key);
      }
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  core::Value root_;
  std::size_t count_ = 0;
};

std::vector<PlantedDocument> all_planted() {
  std::vector<PlantedDocument> all = report::test::planted_artifacts();
  for (const auto& more : {report::test::planted_documents(), report::test::planted_validations()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

TEST_CASE("planted faults are seen where they are, at least 15 of each schema") {
  std::map<std::string, std::size_t> most;
  for (const PlantedDocument& planted : all_planted()) {
    report::test::check_planted(planted);
    most[planted.schema] = std::max(most[planted.schema], planted.faults.size());
  }
  for (const std::string& name : report::schema_names()) {
    INFO(name);
    CHECK(most[name] >= kLeastFaults);
  }
}

TEST_CASE("each schema is described in full and has an example of its own that fits") {
  for (const std::string& name : report::schema_names()) {
    INFO(name);
    const core::JsonDocument schema = report::test::json(report::schema_text(name));
    CHECK(schema.root().get("$schema").text() == "http://json-schema.org/draft-07/schema#");
    CHECK(schema.root().get("title").text() == report::schema_title(name));
    CHECK_FALSE(report::schema_title(name).empty());
    CHECK(schema.root().get("description").is_string());
    Undescribed undescribed;
    undescribed.walk(schema.root(), "#", false, false);
    CHECK(undescribed.faults() == "");
    const core::Value examples = schema.root().get("examples");
    CHECK(examples.size() >= 1);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      CHECK(report::test::words(report::check_schema(examples.at(i), report::schema_text(name))) == "");
      CHECK(report::schema_name_of(examples.at(i)) == name);
    }
  }
}

TEST_CASE("every example in a schema fits where it stands") {
  std::size_t count = 0;
  for (const std::string& name : report::schema_names()) {
    INFO(name);
    const core::JsonDocument schema = report::test::json(report::schema_text(name));
    Examples examples(schema.root());
    examples.walk(schema.root(), "#");
    count += examples.count();
  }
  CHECK(count > 60);
}

TEST_CASE("definitions that several schemas of one document share are the same") {
  const auto shared = [](const char* a, const char* b, const std::vector<std::string>& names) {
    const core::JsonDocument left = report::test::json(report::schema_text(a));
    const core::JsonDocument right = report::test::json(report::schema_text(b));
    for (const std::string& name : names) {
      INFO(name << " of " << a << " and " << b);
      const core::Value one = left.root().path({"definitions", name});
      REQUIRE(one.present());
      CHECK(report::to_json(one, report::KeyOrder::kSorted) ==
            report::to_json(right.root().path({"definitions", name}), report::KeyOrder::kSorted));
    }
  };
  const std::vector<std::string> sections = {"cudagraph",
                                             "framework",
                                             "module",
                                             "pcp_execution",
                                             "scalar_row",
                                             "runtime_scalar_logprob",
                                             "runtime_readbacks",
                                             "train_rollout_logprob",
                                             "offline_tensor_comparison"};
  shared("validation", "bundle", sections);
  shared("validation", "run_record", sections);
  shared("comparison", "bundle", {"record", "weights", "candidate", "status", "tokens", "step_records"});
  shared("sidecar", "logp_inputs", {"tensor", "scalar_tensor", "index", "log_probs"});
  shared("manifest", "readback", {"module_case"});
  shared("manifest", "weight_audit", {"sha256"});
}
