// SPDX-License-Identifier: Apache-2.0
// The strict rules (docs/rules.md argues each) for everything but sidecars and dumps. They stand beside the reference
// rules: what the public validator rightly demands stays demanded through its functions, what it misses is added here,
// and what it demands wrongly is left out.
#pragma once

#include "core/finding.h"
#include "readback/reference_rules.h"
#include "run/profile.h"

namespace rlverify::readback {

struct StrictInput {
  const RuleInput& base;
  const run::Profile& profile;
};

/// A finding about a field of manifest.json.
[[nodiscard]] core::Finding manifest_finding(const char* code, const char* field, std::string what,
                                             std::string expected, std::string found);

/// Whether the launcher failed or never launched (RLV-103). Everything else is then a consequence.
[[nodiscard]] bool launch_failed(core::Value manifest, const run::RunLog* log, core::Findings& findings);

void strict_document_rules(
    const run::RunDirectory& run,
    core::Findings& findings);  ///< RLV-106: duplicate keys and NaN tokens in any JSON of the run
void strict_manifest_rules(
    const StrictInput& input,
    core::Findings& findings);  ///< RLV-107, 108, 111, 115, 143: kinds of values, topology, command, arm, execution
void strict_arm_rules(const Frame& frame, core::Findings& findings);            ///< RLV-108, 115
void strict_status_rules(const StrictInput& input, core::Findings& findings);   ///< RLV-104, 105
void strict_log_rules(const StrictInput& input, core::Findings& findings);      ///< RLV-110, 112, 113, 116
void strict_backend_rules(const StrictInput& input, core::Findings& findings);  ///< RLV-130 to 136
/// RLV-123 over the records of one module on one side: one from each GPU, each rank as often as any other.
void process_rules(const StrictInput& input, const Pair& pair, std::size_t module,
                   const std::vector<core::Value>& records, core::Findings& findings);
void vocabulary_rule(const StrictInput& input, core::Findings& findings);  ///< RLV-136
/// Fills the four checks as the strict rules read them, and speaks (RLV-138 to 143).
[[nodiscard]] CudagraphSection strict_cudagraph(const StrictInput& input, core::Findings& findings);
void strict_step_rules(const StrictInput& input, core::Findings& findings);    ///< RLV-173, 175 to 178
void strict_weight_rules(const StrictInput& input, core::Findings& findings);  ///< RLV-180 to 187

}  // namespace rlverify::readback
