// SPDX-License-Identifier: Apache-2.0
// A small run's texts, changed by a test, read in memory, measured, and judged by the reference rules for readbacks,
// log and manifest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "readback/checks.h"
#include "readback/reference_rules.h"
#include "run/run_directory.h"
#include "support/finding_lookup.h"
#include "support/test_run.h"

namespace rlverify::readback::test {

using rlverify::test::TestRun;

/// The run as lib/run reads it from disk, without a disk.
inline run::RunDirectory read(const TestRun& texts) {
  run::RunDirectory run;
  run.path = "/runs/small-run";
  const auto json = [&texts](const std::string& path) {
    run::JsonArtifact artifact;
    artifact.name = path;
    artifact.present = true;
    artifact.document = core::read_json(core::MemorySource(path, texts.files.at(path)), core::JsonMode::kLenient);
    return artifact;
  };
  run.manifest = json("manifest.json");
  run.log = run::read_run_log(core::MemorySource("run.log", texts.files.at("run.log")));
  run.has_ray_status = texts.files.count("ray-status.txt") != 0;
  if (run.has_ray_status) {
    run.ray_status = run::read_ray_status(texts.files.at("ray-status.txt"));
  }
  for (const std::string& name : texts.names("readbacks")) {
    run.readbacks.push_back(json("readbacks/" + name));
  }
  for (const std::string& name : texts.names("weight-audit")) {
    run.weight_audits.push_back(
        run::read_weight_audit(core::MemorySource(name, texts.files.at("weight-audit/" + name)), name));
  }
  return run;
}

/// Everything measured, and what the reference rules found. `run` lives here, since sections point into it.
struct Judged {
  std::unique_ptr<run::RunDirectory> run;
  Frame frame;
  StepRecords steps;
  CudagraphSection cudagraph;
  ReadbackSection readbacks;
  ScalarSection scalars;
  PcpSection pcp;
  core::Findings findings;

  /// "RLV-120 RLV-137": each code once, sorted.
  [[nodiscard]] std::string codes() const { return rlverify::test::codes(findings); }
  /// All sentences of the findings, one a line.
  [[nodiscard]] std::string sentences() const {
    std::string text;
    for (const core::Finding& finding : findings.list()) {
      text +=
          finding.code + " " + finding.what + " | expected " + finding.expected + " | found " + finding.found + "\n";
    }
    return text;
  }
};

/// Throws CannotJudge where the rules do.
inline Judged judge(const TestRun& texts) {
  Judged judged;
  judged.run = std::make_unique<run::RunDirectory>(read(texts));
  const run::RunLog& log = *judged.run->log;
  judged.frame = read_frame(judged.run->manifest.root());
  judged.steps = step_records(log, public_accepts, Repeated::kLastCounts);
  judged.cudagraph = measure_cudagraph(judged.frame, log);
  judged.readbacks = measure_readbacks(judged.frame, judged.run->readbacks, log);
  judged.scalars = measure_scalars(judged.steps, judged.frame.global_batch_size);
  const RuleInput input = {judged.frame, *judged.run, log, judged.steps, judged.readbacks, judged.scalars};
  cudagraph_rules(judged.cudagraph, judged.findings);
  readback_rules(input, judged.findings);
  pcp_rules(input, judged.pcp, judged.findings);
  scalar_rules(input, judged.findings);
  status_rule(input, judged.findings);
  estimator_rule(judged.frame, judged.findings);
  update_rules(input, judged.findings);
  topology_rules(input, judged.findings);
  command_rules(input, judged.findings);
  memory_rule(input, judged.findings);
  log_rules(input, judged.findings);
  return judged;
}

/// The native arm: production everywhere (case P/P), the log attesting the native log-prob route.
inline TestRun native_run() {
  TestRun run = rlverify::test::passing_run();
  run.replace_all("manifest.json", "\"R/R\"", "\"P/P\"");
  run.replace("manifest.json",
              ",\n    \"--linear-logp-provider\", "
              "\"rl_engine.integrations.orchestrators.vime.providers.linear_logp_provider.provider\", "
              "\"--linear-logp-provider-mode\", \"strict\"",
              "");
  run.replace("run.log", "logp_case=R/R", "logp_case=P/P");
  for (const std::string& name : run.names("readbacks")) {
    const std::string path = "readbacks/" + name;
    run.replace_all(path, "\"R/R\"", "\"P/P\"");
    run.replace_all(path, "\"rl_kernel\"", "\"production\"");
    run.replace_all(path, "\"strict_backend\": true", "\"strict_backend\": false");
    run.replace_all(path, "\"deterministic_linear_logp\": true", "\"deterministic_linear_logp\": false");
    run.replace_all(path, "rlkernel.", "production.");
    if (name.rfind("megatron", 0) == 0) {
      std::string& text = run.files.at(path);
      const std::size_t begin = text.find(", \"logp\": {\"backend_id\"");
      const std::size_t end = text.find("}, \"plan\"");
      text.erase(begin, end - begin);
      run.replace(path, ", \"logp\": \"hook.l\"", "");
    }
  }
  return run;
}

}  // namespace rlverify::readback::test
