// SPDX-License-Identifier: Apache-2.0
// Rules R1-R11, P1-P3 and G1-G4 of the public validator.
#include <fmt/format.h>

#include <algorithm>

#include "core/python_value.h"
#include "readback/reference_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

/// One operator record and where it stands.
struct Record {
  const run::JsonArtifact& file;
  core::Value value;
  std::string label;  ///< "megatron/training attention"
};

void add(core::Findings& findings, core::Finding finding, const Record& record, const char* field) {
  finding.place.file = record.file.name;
  finding.place.field = field;
  findings.add(std::move(finding));
}

void provenance_rules(const Record& record, core::Value provenance, bool expects_rl_kernel, core::Findings& findings) {
  const auto platform = platform_of(provenance);
  if (platform != "cuda") {
    add(findings,
        make_finding("RLV-126", Section::kBackends, record.label + ": wrong platform", "cuda",
                     platform.value_or("none")),
        record, "provenance.runtime_platform");
  }
  if (provenance.get("fallback").is_true()) {
    add(findings, make_finding("RLV-121", Section::kBackends, record.label + ": fallback reported", "false", "true"),
        record, "provenance.fallback");
  }
  if (expects_rl_kernel) {
    const core::Value id = record.value.get("backend_id");
    const std::string text = id.present() ? core::python_str(id) : "None";
    if (text.rfind("rlkernel.", 0) != 0) {
      add(findings,
          make_finding("RLV-127", Section::kBackends, record.label + ": backend is not RL-Kernel's", "rlkernel.*",
                       text),
          record, "backend_id");
    }
    return;
  }
  std::vector<std::string> ids;
  collect_backend_ids(record.value, ids);
  const bool named =
      std::any_of(ids.begin(), ids.end(), [](const std::string& id) { return id.rfind("rlkernel.", 0) == 0; });
  if (named || provenance.get("deterministic_linear_logp").is_true() ||
      provenance.path({"execution", "strict_backend"}).is_true()) {
    add(findings,
        make_finding("RLV-128", Section::kBackends, record.label + ": production was asked for and RL-Kernel ran",
                     "production", "rl_kernel"),
        record, "provenance");
  }
}

void record_rules(const Record& record, const ModuleSummary& module, core::Findings& findings) {
  const core::Value provenance = record.value.get("provenance");
  if (provenance.present() && !provenance.is_dict()) {
    throw CannotJudge("TypeError: provenance is not an object");
  }
  const core::Value implementation = record.value.get("implementation");
  if (!core::python_equal(implementation, std::string_view(module.expected_implementation))) {
    add(findings,
        make_finding("RLV-124", Section::kBackends, record.label + ": another implementation ran",
                     module.expected_implementation, core::python_str(implementation)),
        record, "implementation");
  }
  const core::Value case_id = record.value.get("case_id");
  if (!core::python_equal(case_id, std::string_view(module.case_id))) {
    add(findings,
        make_finding("RLV-124", Section::kBackends, record.label + ": another case ran", module.case_id,
                     core::python_str(case_id)),
        record, "case_id");
  }
  if (contains_triton(record.value)) {
    add(findings,
        make_finding("RLV-125", Section::kBackends, record.label + ": Triton took part", "no Triton", "triton"), record,
        "");
  }
  provenance_rules(record, provenance, module.expected_implementation == "rl_kernel", findings);
}

void production_logp_rules(const std::string& label, const ModuleSummary& module, bool has_record,
                           core::Findings& findings) {
  if (module.installed_processes != 0) {
    findings.add(make_finding("RLV-122", Section::kBackends,
                              label + ": a hook is installed where production must run untouched", "none",
                              fmt::format("in {} processes", module.installed_processes)));
  }
  if (has_record) {
    findings.add(make_finding("RLV-128", Section::kBackends,
                              label + ": an operator record where production must leave none", "no record",
                              "a record"));
  }
  if (!module.native_marker_present.value_or(false)) {
    findings.add(make_finding("RLV-129", Section::kBackends, label + ": the log attests no native route",
                              "the native marker or the sidecar route of the case in run.log", "neither"));
  }
}

void module_rules(const RuleInput& input, const Pair& pair, std::size_t index, const ModuleSummary& module,
                  core::Findings& findings) {
  const std::string label = fmt::format("{} {}", pair.name, kModules.at(index));
  const auto mine = readbacks_of(input.run.readbacks, pair);
  std::vector<Record> records;
  for (const run::JsonArtifact* file : mine) {
    const core::Value value = operator_record(file->root(), kModules.at(index));
    if (value.present()) {
      records.push_back({*file, value, label});
    }
  }
  if (module.native_marker_present.has_value()) {
    production_logp_rules(label, module, !records.empty(), findings);
    return;
  }
  if (module.installed_processes == 0) {
    findings.add(
        make_finding("RLV-122", Section::kBackends, label + ": no process installed the hook", "at least one", "none"));
  }
  if (module.call_count == 0) {
    findings.add(make_finding("RLV-123", Section::kBackends, label + ": never called", "at least one call", "0"));
  }
  for (const Record& record : records) {
    record_rules(record, module, findings);
  }
}

void pcp_worker(const run::JsonArtifact& file, core::Value execution, std::int64_t rollout_cp, std::int64_t rollout_tp,
                PcpSection& section, core::Findings& findings) {
  if (execution.present() && !execution.is_dict()) {
    throw CannotJudge("AttributeError: provenance.execution is no object");
  }
  bool good = true;
  const auto refuse = [&](const char* field, const std::string& expected) {
    const core::Value value = execution.get(field);
    core::Finding finding = make_finding("RLV-135", Section::kPcp, fmt::format("{} of a prefill worker differs", field),
                                         expected, value.present() ? core::python_repr(value) : "nothing");
    finding.place.file = file.name;
    finding.place.field = std::string("operators.attention.provenance.execution.") + field;
    findings.add(std::move(finding));
    good = false;
  };
  const auto check_int = [&](const char* field, std::int64_t wanted) {
    if (!core::python_equal(execution.get(field), wanted)) {
      refuse(field, fmt::format("{}", wanted));
    }
  };
  const auto check_text = [&](const char* field, std::string_view wanted) {
    if (!core::python_equal(execution.get(field), wanted)) {
      refuse(field, std::string(wanted));
    }
  };
  check_int("cp_world_size", rollout_cp);
  check_int("tp_world_size", rollout_tp);
  check_text("kv_storage", "token_sharded");
  check_text("attention_queries", "disjoint_cp_partitions");
  check_text("attention_merge", "rank_ordered_output_gather_no_reduction");
  // Python's 0 == False: a zero counts as false here, as it does for the public validator.
  if (!core::python_equal(execution.get("fallback"), std::int64_t{0})) {
    refuse("fallback", "false");
  }
  const core::Value rank = execution.get("cp_rank");
  const std::int64_t rank_value = core::python_is_int(rank) ? core::python_int(rank).value_or(-1) : -1;
  if (rank_value < 0 || rank_value >= rollout_cp) {
    refuse("cp_rank", fmt::format("0 to {}", rollout_cp - 1));
  }
  if (good) {
    ++section.cp_rank_worker_counts.at(static_cast<std::size_t>(rank_value));
  }
}

}  // namespace

core::Finding make_finding(const char* code, core::Section section, std::string what, std::string expected,
                           std::string found) {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, section, std::move(what));
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  return finding;
}

void cudagraph_rules(const CudagraphSection& section, core::Findings& findings) {
  const auto require = [&findings](bool holds, const char* code, const char* what, const char* expected) {
    if (!holds) {
      core::Finding finding = make_finding(code, Section::kCudagraph, what, expected, "no such line");
      finding.place.file = "run.log";
      findings.add(std::move(finding));
    }
  };
  require(section.launcher_marker, "RLV-138", "the launcher announced no capture sizes, or others",
          "the manifest's capture sizes");
  require(section.engine_mode, "RLV-139", "the engine reports another CUDA-graph mode", "FULL_DECODE_ONLY");
  require(section.not_eager, "RLV-140", "the engine does not say that it left eager mode", "enforce_eager=False");
  require(section.capture_sizes, "RLV-141", "the engine captured other sizes", "the manifest's capture sizes");
}

void readback_rules(const RuleInput& input, core::Findings& findings) {
  for (const Pair& pair : kPairs) {
    const auto& summary =
        pair.side == Side::kTraining ? input.readbacks.megatron_training : input.readbacks.vllm_rollout;
    if (!summary) {
      findings.add(make_finding("RLV-120", Section::kBackends, fmt::format("no readback of {}", pair.name),
                                "at least one file", "none"));
      continue;
    }
    for (const run::JsonArtifact* file : readbacks_of(input.run.readbacks, pair)) {
      if (core::python_truth(file->root().get("fallbacks"))) {
        core::Finding finding =
            make_finding("RLV-121", Section::kBackends, fmt::format("{}: a fallback is recorded", pair.name), "none",
                         core::python_repr(file->root().get("fallbacks")));
        finding.place.file = file->name;
        finding.place.field = "fallbacks";
        findings.add(std::move(finding));
      }
    }
    for (std::size_t module = 0; module < kModules.size(); ++module) {
      module_rules(input, pair, module, summary->modules.at(module), findings);
    }
  }
}

void pcp_rules(const RuleInput& input, PcpSection& section, core::Findings& findings) {
  const core::Value topology = input.frame.topology;
  const core::Value given = topology.get("rollout_cp");
  const std::int64_t rollout_cp = given.present() ? require_int(given, "topology.rollout_cp") : 1;
  section.required = rollout_cp != 1 && input.frame.runs_rl_kernel(0, Side::kRollout);
  if (!section.required) {
    return;
  }
  const auto required = [&topology](const char* key) {
    if (!topology.get(key).present()) {
      throw CannotJudge(std::string("KeyError: '") + key + "'");
    }
    return require_int(topology.get(key), std::string("topology.") + key);
  };
  const std::int64_t rollout_tp = required("rollout_tp");
  const std::int64_t engines = required("rollout_engines");
  constexpr std::int64_t kMostRanks = 1 << 16;
  if (rollout_cp > kMostRanks || rollout_tp > kMostRanks || engines > kMostRanks) {
    throw CannotJudge("ValueError: the topology names more ranks than any machine has");
  }
  section.cp_rank_worker_counts.assign(static_cast<std::size_t>(std::max<std::int64_t>(rollout_cp, 0)), 0);
  section.expected_workers_per_cp_rank = rollout_tp * engines;
  for (const run::JsonArtifact* file : readbacks_of(input.run.readbacks, kPairs[1])) {
    const core::Value operators = file->root().get("operators");
    if (operators.present() && !operators.is_dict()) {
      throw CannotJudge("AttributeError: operators is no object");
    }
    const core::Value record = operators.get("attention");
    if (!core::python_truth(record)) {
      continue;
    }
    const core::Value calls = record.get("call_count");
    if ((calls.present() ? require_int(calls, "call_count") : 0) > 0) {
      pcp_worker(*file, record.path({"provenance", "execution"}), rollout_cp, rollout_tp, section, findings);
    }
  }
  for (std::size_t rank = 0; rank < section.cp_rank_worker_counts.size(); ++rank) {
    if (section.cp_rank_worker_counts[rank] < section.expected_workers_per_cp_rank) {
      findings.add(make_finding("RLV-137", Section::kPcp, fmt::format("prefill CP rank {} has too few workers", rank),
                                fmt::format("{}", section.expected_workers_per_cp_rank),
                                fmt::format("{}", section.cp_rank_worker_counts[rank])));
    }
  }
}

}  // namespace rlverify::readback
