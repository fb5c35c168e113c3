// SPDX-License-Identifier: Apache-2.0
// A run without tensors from any bytes - manifest, two readbacks, weight audits, log and status, separated by NUL bytes
// - judged by both rule sets and written as documents. A run that can't be judged gets the short form; nothing may
// throw, and every document must be valid against its schema.
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/thread_pool.h"
#include "judge/judge.h"
#include "report/document.h"
#include "report/schema_check.h"
#include "report/validation_document.h"

namespace {

using namespace rlverify;

std::vector<std::string_view> split(std::string_view bytes) {
  std::vector<std::string_view> parts;
  while (parts.size() < 6) {
    const std::size_t end = parts.size() == 5 ? std::string_view::npos : bytes.find('\0');
    parts.push_back(bytes.substr(0, end));
    bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
  }
  return parts;
}

run::JsonArtifact json(const std::string& name, std::string_view text) {
  run::JsonArtifact artifact;
  artifact.name = name;
  artifact.present = true;
  try {
    artifact.document = core::read_json(core::MemorySource(name, text), core::JsonMode::kLenient);
  } catch (const core::ArtifactError& error) {
    artifact.problem = error.problem();
  }
  return artifact;
}

run::RunDirectory run_of(std::string_view bytes) {
  const auto parts = split(bytes);
  run::RunDirectory run;
  run.path = "/runs/fuzz";
  run.manifest = json("manifest.json", parts[0]);
  run.readbacks.push_back(json("readbacks/megatron-training-1.json", parts[1]));
  run.readbacks.push_back(json("readbacks/vllm-rollout-2.json", parts[2]));
  run.readback_files.names = {"megatron-training-1.json", "vllm-rollout-2.json"};
  for (const char* const name : {"weight_v000001.json", "weight_v000002.json"}) {
    run.weight_audits.push_back(run::read_weight_audit(core::MemorySource(name, parts[3]), name));
    run.weight_audit_files.names.emplace_back(name);
  }
  run.log = run::read_run_log(core::MemorySource("run.log", parts[4]));
  run.has_ray_status = true;
  run.ray_status = run::read_ray_status(parts[5]);
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static core::ThreadPool pool(1);
  const run::RunDirectory run = run_of(std::string_view(reinterpret_cast<const char*>(data), size));
  for (const report::RuleSet rules : {report::RuleSet::kReference, report::RuleSet::kStrict}) {
    const report::ValidationResult result = judge::judge_run(run, rules, pool, false);
    // There are no sidecars here, so no run may pass.
    if (result.passed() || result.exit_code() == core::ExitCode::kPassed) {
      std::abort();
    }
    const report::Document document = report::validation_document(result);
    const report::Document findings = report::findings_document(result, "0");
    const bool written = !report::to_json(document.root(), report::KeyOrder::kSorted).empty() &&
                         !report::to_json(findings.root(), report::KeyOrder::kAsBuilt).empty() &&
                         !report::validation_text(result, {}).empty();
    // The schemas are parsed anew each time, which is slow under sanitizers: every sixteenth length is enough.
    const bool valid =
        size % 16 != 0 || (report::check_schema(document.root(), report::schema_text("validation")).empty() &&
                           report::check_schema(findings.root(), report::schema_text("findings")).empty());
    if (!written || !valid) {
      std::abort();
    }
  }
  return 0;
}
