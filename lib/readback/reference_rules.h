// SPDX-License-Identifier: Apache-2.0
// The rules of the public validator, version D2 (spec/run-artifacts.md section 10), for everything but the sidecars:
// one function per group, each adding findings. Where the public validator raises, CannotJudge is thrown.
#pragma once

#include "core/finding.h"
#include "readback/checks.h"

namespace rlverify::readback {

/// What the rules look at. Sections are measured before.
struct RuleInput {
  const Frame& frame;
  const run::RunDirectory& run;
  const run::RunLog& log;
  const StepRecords& steps;
  const ReadbackSection& readbacks;
  const ScalarSection& scalars;
};

/// A finding without place; the caller fills in what it knows.
[[nodiscard]] core::Finding make_finding(const char* code, core::Section section, std::string what,
                                         std::string expected = {}, std::string found = {});

void cudagraph_rules(const CudagraphSection& section, core::Findings& findings);  ///< G1-G4
void readback_rules(const RuleInput& input, core::Findings& findings);            ///< R1-R11
/// P1-P3. Also fills the section.
void pcp_rules(const RuleInput& input, PcpSection& section, core::Findings& findings);
void scalar_rules(const RuleInput& input, core::Findings& findings);    ///< N1-N5
void status_rule(const RuleInput& input, core::Findings& findings);     ///< Y1
void update_rules(const RuleInput& input, core::Findings& findings);    ///< A2-A5, where updates are required
void topology_rules(const RuleInput& input, core::Findings& findings);  ///< T2-T7
void command_rules(const RuleInput& input, core::Findings& findings);   ///< C1-C8
void memory_rule(const RuleInput& input, core::Findings& findings);     ///< M1
void log_rules(const RuleInput& input, core::Findings& findings);       ///< L1, L2
void record_rules(const StepRecord& step, core::Findings& findings);    ///< N1-N3, of one record
void estimator_rule(const Frame& frame, core::Findings& findings);      ///< A1

}  // namespace rlverify::readback
