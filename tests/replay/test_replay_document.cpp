// SPDX-License-Identifier: Apache-2.0
// The documents and the text of a replay and of the prior art: schema, order, determinism, words.
#include "replay/prior_art.h"
#include "replay/replay_support.h"
#include "report/prior_art_document.h"
#include "report/replay_document.h"
#include "report/schema_check.h"

using namespace rlverify;
using namespace rlverify::replay;
using namespace rlverify::replay::test;

namespace {

std::string violations(const report::Document& document, const char* schema) {
  std::string words;
  for (const report::SchemaViolation& violation : report::check_schema(document.root(), report::schema_text(schema))) {
    words += violation.pointer + ": " + violation.reason + "\n";
  }
  return words;
}

Dump parted() {
  Dump dump = normal_dump(81, 40, 1024, 1000);
  dump.temperature = 0.6;
  dump.set({ContractId::kVimeDefault, 0.6, true}, {ContractId::kVllmGather, 1.0});
  return dump;
}

}  // namespace

TEST_CASE("a replay's document follows the schema of findings and has every hypothesis of both sides") {
  const report::Document document = report::replay_document(replayed(parted()), "1.2.3");
  CHECK(violations(document, "findings").empty());
  const core::Value root = document.root();
  CHECK(root.get("verdict").text() == "failed");
  const core::Value train = root.get("tensors").at(0);
  CHECK(train.get("name").text() == "train_log_probs");
  CHECK(train.get("verdict").text() == "exact");
  // 17 contracts but for the storage variant that is rl_kernel_ws2 here, and the two that need a retained set.
  CHECK(train.get("hypotheses").size() == 14 * 2 * 2 * 2);
  CHECK(train.get("follows").at(0).get("vocabulary").text() == "padded");
  CHECK(train.get("backend").text() == "cpu");
  CHECK_FALSE(train.get("exactness").text().empty());
  CHECK(root.get("tensors").at(1).get("follows").at(0).get("temperature").text() == "1");
  CHECK(root.get("tensors").at(2).get("name").text() == "train_against_rollout");
  CHECK(root.get("coverage").path({"replay", "elements"}).integer() == 80);
}

TEST_CASE("documents of what could not be judged, and of no findings, follow the schema, too") {
  const TemporaryFolder folder;
  const report::Document nothing = report::replay_document(replay::replay(folder.file(""), {}), "1.2.3");
  CHECK(violations(nothing, "findings").empty());
  CHECK(nothing.root().get("verdict").text() == "not_judged");
  CHECK(nothing.root().get("tensors").size() == 0);
  const report::Document passed = report::replay_document(replayed(normal_dump(82, 30, 1024, 1024)), "1.2.3");
  CHECK(violations(passed, "findings").empty());
  CHECK(passed.root().get("verdict").text() == "passed");
  CHECK(passed.root().get("findings").size() == 0);
}

TEST_CASE("the same inputs give the same bytes") {
  const Dump dump = parted();
  const TemporaryFolder folder;
  dump.write(folder);
  const auto text = [&folder] {
    return report::to_json(report::replay_document(replay::replay(folder.file(""), {}), "1.2.3").root(),
                           report::KeyOrder::kAsBuilt);
  };
  CHECK(text() == text());
}

TEST_CASE("the text has the verdict first, then where it was computed, both sides and the first place") {
  const ReplayResult result = replayed(parted());
  const std::string text = report::replay_text(result, {false, 200, true});
  CHECK(text.find("FAILED the sides part\n") == 0);
  CHECK(text.find("\ncomputed 80 rows from 1 file on cpu (") != std::string::npos);
  CHECK(text.find("\nbits     the contract's order") != std::string::npos);
  CHECK(
      text.find("\ntrain    follows megatron_ce or vime_default at temperature 0.6, padded vocabulary (1024 columns): "
                "all 80 values\n") != std::string::npos);
  CHECK(text.find("\nrollout  follows vllm_gather at temperature 1, real vocabulary (1000 columns): all 80 values\n") !=
        std::string::npos);
  CHECK(text.find("the sides part first at logp-inputs/rank00000.call00000000.pt, sample 0, position 0, token ") !=
        std::string::npos);
  CHECK(text.find("0 of 80") != std::string::npos);
  const std::string narrow = report::replay_text(result, {true, 60, false});
  CHECK(narrow.find("\x1b[") != std::string::npos);
}

TEST_CASE("a passing text says so") {
  const std::string text = report::replay_text(replayed(normal_dump(83, 30, 1024, 1024)), {false, 200, true});
  CHECK(text.find("PASSED both sides follow the same contract, temperature and vocabulary\n") == 0);
  CHECK(text.find("the sides' 60 values have the same bits\n") != std::string::npos);
}

TEST_CASE("the prior-art document follows its schema, unavailable candidates included") {
  PriorArtOptions options;
  options.candidates = {"rl_kernel_ws2", "vime_default"};
  options.repeats = 2;
  const report::Document right =
      report::prior_art_document(run_prior_art(synthetic_logits(8, 1024, 1000, 1), options), "tiny");
  CHECK(violations(right, "logp_prior_art").empty());
  CHECK(right.root().get("kind").text() == "tiny_logprob_prior_art");
  CHECK(right.root().get("nccl_settings").at(2).get("NCCL_MAX_NCHANNELS").integer() == 1);
  const report::Document odd =
      report::prior_art_document(run_prior_art(synthetic_logits(8, 1001, 1001, 1), options), "tiny");
  CHECK(violations(odd, "logp_prior_art").empty());
  CHECK(odd.root().path({"candidates", "vime_default"}).size() == 1);
}
