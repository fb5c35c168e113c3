// SPDX-License-Identifier: Apache-2.0
// Everything that judging one run gave: the sections as measured, and the findings of the rule set. Documents and text
// are drawn from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/finding.h"
#include "readback/sections.h"
#include "sidecar/section.h"

namespace rlverify::report {

enum class RuleSet { kStrict, kReference };

/// What was looked at, per section.
struct Coverage {
  core::Section section = core::Section::kLaunch;
  std::uint64_t files = 0;
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

struct ValidationResult {
  RuleSet rules = RuleSet::kReference;
  std::string run_directory;  ///< as given, trailing slashes dropped
  /// The run can't be judged: why, as "ExceptionName: text" under the reference rules. Then only `findings` is filled
  /// besides.
  std::optional<std::string> gives_up;
  /// Exit code where it gives up: 3, or 1 when the reason is the run's own failure (the launcher died before anything
  /// was left to judge).
  core::ExitCode give_up_code = core::ExitCode::kBadInput;
  core::Value run_id;  ///< the manifest's value, of any kind; absent: null
  core::Value group;
  readback::CudagraphSection cudagraph;
  readback::ReadbackSection readbacks;
  readback::PcpSection pcp;
  readback::ScalarSection scalars;
  sidecar::SidecarSection sidecars;
  sidecar::OfflineSection offline;
  core::Findings findings;
  std::vector<Coverage> coverage;

  /// A run passes when it could be judged, all four CUDA-graph checks hold and no finding is an error.
  [[nodiscard]] bool passed() const;
  /// 0, 1, or 3 when the run can't be judged.
  [[nodiscard]] core::ExitCode exit_code() const;
};

}  // namespace rlverify::report
