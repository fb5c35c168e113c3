// SPDX-License-Identifier: Apache-2.0
// What the tests of documents share: a passing and a failing result filled by hand, documents from raw text, and the
// published examples where they are at hand.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "core/json_reader.h"
#include "report/validation_result.h"

namespace rlverify::report::test {

/// Content of a file, or nothing when it can't be read.
inline std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A file of the shared acceptance folder (published documents), where it is present.
inline std::optional<std::string> shared_file(const std::string& name) {
  const char* folder = std::getenv("RLVERIFY_SHARED");
  return file_text((folder != nullptr ? std::string(folder) : std::string(RLVERIFY_SOURCE_DIR) + "/../shared") + "/" +
                   name);
}

inline core::JsonDocument json(std::string_view text) {
  return core::read_json(core::MemorySource("test.json", text), core::JsonMode::kStrict);
}

/// A result and the manifest that its values point into.
struct Filled {
  std::unique_ptr<core::JsonDocument> manifest;
  ValidationResult result;
};

inline readback::FrameworkSummary framework(std::int64_t processes, std::int64_t attention, std::int64_t ffn,
                                            std::int64_t logp) {
  readback::FrameworkSummary summary;
  summary.readback_count = processes;
  const char* const backends[] = {"rlkernel.attention.deterministic.v1", "rlkernel.ffn.qwen3.deterministic.v1",
                                  "rlkernel.linear_logp.bitwise.v1"};
  const std::int64_t calls[] = {attention, ffn, logp};
  for (std::size_t i = 0; i < summary.modules.size(); ++i) {
    readback::ModuleSummary& module = summary.modules[i];
    module.case_id = "R/R";
    module.expected_implementation = "rl_kernel";
    module.installed_processes = processes;
    module.call_count = calls[i];
    module.implementations = {"rl_kernel"};
    module.backend_ids = {backends[i]};
  }
  return summary;
}

/// The run of tests/data/report/validation_passed.json.
inline Filled passing(const std::string& run_directory = "/runs/pcp2-ipc-r3") {
  Filled filled;
  filled.manifest = std::make_unique<core::JsonDocument>(
      json(R"({"run_id": "pcp2-ipc-r3", "group": "consistency", "sizes": [1, 2, 3, 4, 5, 6, 7, 8]})"));
  const core::Value manifest = filled.manifest->root();
  ValidationResult& result = filled.result;
  result.run_directory = run_directory;
  result.run_id = manifest.get("run_id");
  result.group = manifest.get("group");
  result.cudagraph.launcher_marker = result.cudagraph.engine_mode = result.cudagraph.not_eager =
      result.cudagraph.capture_sizes = true;
  result.cudagraph.expected_capture_sizes = manifest.get("sizes");
  result.readbacks.megatron_training = framework(8, 2304, 2304, 48);
  result.readbacks.vllm_rollout = framework(11, 5472, 5480, 8);
  result.pcp.required = true;
  result.pcp.cp_rank_worker_counts = {4, 4};
  result.pcp.expected_workers_per_cp_rank = 4;
  result.scalars.bitwise_zero = true;
  for (std::int64_t step = 0; step < 2; ++step) {
    result.scalars.rows.push_back({step, 0.0, 4096.0, 0.0, 0.0, 0.0, 512.0});
  }
  result.scalars.total_active_token_exposure = 8192.0;
  for (const char* rank : {"00000", "00001", "00002", "00003", "00004", "00005", "00006", "00007"}) {
    for (const char* call : {"00000000", "00000001"}) {
      result.sidecars.artifacts.push_back(std::string("rank") + rank + ".call" + call + ".pt");
    }
  }
  result.sidecars.require_exact = result.sidecars.torch_equal = result.sidecars.bitwise_equal = true;
  result.sidecars.sample_count = 16;
  result.sidecars.element_count = 8192;
  result.sidecars.max_abs_diff = result.sidecars.mean_abs_diff = result.sidecars.mismatch_kl =
      result.sidecars.mismatch_k3_kl = 0.0;
  result.offline.artifact_count = result.offline.comparable_artifact_count = 16;
  result.coverage = {{core::Section::kLaunch, 2, 0, 0, 4000},      {core::Section::kLog, 1, 0, 0, 90000},
                     {core::Section::kBackends, 19, 0, 0, 60000},  {core::Section::kWeights, 3, 1197, 0, 9000},
                     {core::Section::kLogProbs, 16, 96, 8192, 99}, {core::Section::kDumps, 16, 64, 8192, 99}};
  return filled;
}

inline core::Finding finding(core::Section section, std::string code, std::string what, core::FindingPlace place,
                             std::string expected, std::string found) {
  core::Finding out;
  out.code = std::move(code);
  out.section = section;
  out.what = std::move(what);
  out.place = std::move(place);
  out.expected = std::move(expected);
  out.found = std::move(found);
  return out;
}

inline core::FindingPlace in_field(const std::string& file, const std::string& field) {
  core::FindingPlace place;
  place.file = file;
  place.field = field;
  return place;
}

inline void add_failing_findings(core::Findings& findings) {
  core::FindingPlace step_one;
  step_one.file = "run.log";
  step_one.line = 7;
  step_one.step = 1;
  findings.add(finding(core::Section::kLaunch, "RLV-901", "has the wrong value",
                       in_field("manifest.json", "topology.tp"), "4", "3"));
  findings.add(finding(core::Section::kLaunch, "RLV-901", "has the wrong value",
                       in_field("manifest.json", "topology.cp"), "4", "3"));
  findings.add(finding(core::Section::kBackends, "RLV-902", "no readback", {}, "at least one file", ""));
  findings.add(finding(core::Section::kScalars, "RLV-903", "no finite number", step_one, "a finite number", "nan"));
  findings.add(finding(core::Section::kLogProbs, "RLV-904", "no files", in_field("mismatch-sidecars", ""), "", ""));
  core::Finding warning = finding(core::Section::kLogProbs, "RLV-905", "a temporary file is left", {}, "", "");
  warning.severity = core::Severity::kWarning;
  findings.add(warning);
}

/// The run of tests/data/report/validation_failed.json.
inline Filled failing() {
  Filled filled;
  filled.manifest = std::make_unique<core::JsonDocument>(
      json("{\"run_id\": \"l\xC3\xA4uft \xF0\x9F\x99\x82 \\ud800 \\\"q\\\"\\\\\x7F\\n\"}"));
  ValidationResult& result = filled.result;
  result.run_directory = "/runs/x";
  result.run_id = filled.manifest->root().get("run_id");
  result.cudagraph.engine_mode = result.cudagraph.not_eager = true;
  readback::FrameworkSummary megatron;
  megatron.readback_count = 1;
  for (readback::ModuleSummary& module : megatron.modules) {
    module.case_id = "P/P";
    module.expected_implementation = "production";
  }
  megatron.modules[2].native_marker_present = true;
  result.readbacks.megatron_training = megatron;
  result.scalars.rows.push_back({0, 1e16, std::int64_t{4096}, 5e-07, 0.0001, 1250000000000000.0, std::int64_t{512}});
  readback::ScalarRow empty_row;
  empty_row.step = 1;
  result.scalars.rows.push_back(empty_row);
  result.sidecars.bitwise_mismatch_count = 3;
  result.sidecars.mismatch_count = 2;
  result.offline.artifact_count = 16;
  result.offline.comparable_artifact_count = 15;
  add_failing_findings(result.findings);
  return filled;
}

}  // namespace rlverify::report::test
