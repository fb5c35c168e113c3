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

/// Whether the launcher failed or never launched (RLV-103). Everything else is then a consequence.
[[nodiscard]] bool launch_failed(core::Value manifest, const run::RunLog* log, core::Findings& findings);

void strict_document_rules(
    const run::RunDirectory& run,
    core::Findings& findings);  ///< RLV-106: duplicate keys and NaN tokens in any JSON of the run
void strict_manifest_rules(
    const StrictInput& input,
    core::Findings& findings);  ///< RLV-111, 114, 115: kinds of values, topology keys, group, environment
void strict_status_rules(const StrictInput& input, core::Findings& findings);   ///< RLV-104, 105
void strict_log_rules(const StrictInput& input, core::Findings& findings);      ///< RLV-110, 112, 113, 116
void strict_backend_rules(const StrictInput& input, core::Findings& findings);  ///< RLV-130 to 136
/// Fills the four checks as the strict rules read them, and speaks (RLV-138 to 143).
[[nodiscard]] CudagraphSection strict_cudagraph(const StrictInput& input, core::Findings& findings);
void strict_step_rules(const StrictInput& input, core::Findings& findings);    ///< RLV-173, 175 to 178
void strict_weight_rules(const StrictInput& input, core::Findings& findings);  ///< RLV-180 to 187

}  // namespace rlverify::readback
