// SPDX-License-Identifier: Apache-2.0
// A section failed when one of its findings is an error; it is unavailable when nothing was there to judge or when the
// only thing to say about it follows from another fault. Sections of comparisons (tokens, norms) appear only when
// something was found or looked at there.
#include "report/check_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/finding_text.h"

namespace rlverify::report {

namespace {

using core::Section;

constexpr std::array<Section, 9> kAlways = {Section::kLaunch,   Section::kLog,       Section::kBackends,
                                            Section::kPcp,      Section::kCudagraph, Section::kWeights,
                                            Section::kLogProbs, Section::kScalars,   Section::kDumps};

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

std::string coverage_text(const Coverage& coverage) {
  std::string text = coverage.files == 0 ? "" : plural(coverage.files, "file", "files");
  if (coverage.tensors != 0) {
    text += (text.empty() ? "" : ", ") + plural(coverage.tensors, "tensor", "tensors");
  }
  if (coverage.elements != 0) {
    text += (text.empty() ? "" : ", ") + plural(coverage.elements, "element", "elements");
  }
  return text;
}

std::string backends_text(const readback::ReadbackSection& section) {
  std::string text;
  const auto add = [&text](const char* name, const std::optional<readback::FrameworkSummary>& framework) {
    if (framework) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          plural(static_cast<std::uint64_t>(framework->readback_count), "process", "processes"), name);
    }
  };
  add("of megatron/training", section.megatron_training);
  add("of vllm/rollout", section.vllm_rollout);
  return text;
}

std::string pcp_text(const readback::PcpSection& section) {
  if (!section.required) {
    return "not required by this run";
  }
  return fmt::format("{}, {} expected on each", plural(section.cp_rank_worker_counts.size(), "rank", "ranks"),
                     plural(static_cast<std::uint64_t>(std::max<std::int64_t>(section.expected_workers_per_cp_rank, 0)),
                            "worker", "workers"));
}

std::string cudagraph_text(const readback::CudagraphSection& section) {
  std::string missing;
  const auto need = [&missing](bool holds, const char* name) {
    missing += holds ? "" : (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(section.launcher_marker, "launcher marker");
  need(section.engine_mode, "engine mode");
  need(section.not_eager, "not eager");
  need(section.capture_sizes, "capture sizes");
  return missing.empty() ? "launcher marker, engine mode, not eager, capture sizes" : "not shown: " + missing;
}

std::string log_probs_text(const sidecar::SidecarSection& section) {
  if (section.artifacts.empty()) {
    return "";
  }
  return fmt::format("{}, {}, {} of {} differ in bits", plural(section.artifacts.size(), "file", "files"),
                     plural(static_cast<std::uint64_t>(section.sample_count), "sample", "samples"),
                     grouped(static_cast<std::uint64_t>(section.bitwise_mismatch_count)),
                     plural(static_cast<std::uint64_t>(section.element_count), "element", "elements"));
}

std::string dumps_text(const sidecar::OfflineSection& section) {
  if (section.artifact_count == 0) {
    return "";
  }
  return fmt::format("{} of {} hold training log-probs",
                     grouped(static_cast<std::uint64_t>(section.comparable_artifact_count)),
                     plural(static_cast<std::uint64_t>(section.artifact_count), "file", "files"));
}

std::string compared_text(const ValidationResult& result, const Coverage& coverage) {
  std::string text;
  switch (coverage.section) {
    case Section::kBackends:
      text = backends_text(result.readbacks);
      break;
    case Section::kPcp:
      return pcp_text(result.pcp);
    case Section::kCudagraph:
      return cudagraph_text(result.cudagraph);
    case Section::kLogProbs:
      text = log_probs_text(result.sidecars);
      break;
    case Section::kScalars:
      text = result.scalars.rows.empty() ? "" : plural(result.scalars.rows.size(), "step record", "step records");
      break;
    case Section::kDumps:
      text = dumps_text(result.offline);
      break;
    default:
      break;
  }
  return text.empty() ? coverage_text(coverage) : text;
}

Coverage coverage_of(const ValidationResult& result, Section section) {
  Coverage sum;
  sum.section = section;
  for (const Coverage& part : result.coverage) {
    if (part.section == section) {
      sum.files += part.files;
      sum.tensors += part.tensors;
      sum.elements += part.elements;
      sum.bytes += part.bytes;
    }
  }
  return sum;
}

bool only_follows(const core::Findings& findings, Section section) {
  const auto belongs = [section](const core::Finding& finding) {
    return finding.section == section && !finding.because_of.empty();
  };
  return std::any_of(findings.list().begin(), findings.list().end(), belongs);
}

CheckVerdict verdict_of(const ValidationResult& result, const Check& check) {
  if (result.findings.has_error(check.section)) {
    return CheckVerdict::kFailed;
  }
  if (result.gives_up || only_follows(result.findings, check.section)) {
    return CheckVerdict::kUnavailable;
  }
  switch (check.section) {
    case Section::kCudagraph:
      return result.cudagraph.passed() ? CheckVerdict::kPassed : CheckVerdict::kFailed;
    case Section::kPcp:
      return result.pcp.required ? CheckVerdict::kPassed : CheckVerdict::kUnavailable;
    case Section::kDumps:
      return result.offline.available() ? CheckVerdict::kPassed : CheckVerdict::kUnavailable;
    default:
      return check.compared.empty() ? CheckVerdict::kUnavailable : CheckVerdict::kPassed;
  }
}

}  // namespace

std::vector<Check> checks_of(const ValidationResult& result) {
  std::vector<Check> checks;
  for (int number = 0; number < core::kSectionCount; ++number) {
    Check check;
    check.section = static_cast<Section>(number);
    check.coverage = coverage_of(result, check.section);
    const auto here = [&check](const core::Finding& finding) { return finding.section == check.section; };
    const std::vector<core::Finding>& findings = result.findings.list();
    const bool always = std::find(kAlways.begin(), kAlways.end(), check.section) != kAlways.end();
    if (!always && check.coverage.files == 0 && std::none_of(findings.begin(), findings.end(), here)) {
      continue;
    }
    check.compared = result.gives_up ? "" : compared_text(result, check.coverage);
    check.verdict = verdict_of(result, check);
    if (check.compared.empty()) {
      check.compared = result.gives_up && check.verdict == CheckVerdict::kUnavailable ? "not judged" : "no evidence";
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

std::string_view verdict_name(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kPassed:
      return "passed";
    case CheckVerdict::kFailed:
      return "failed";
    case CheckVerdict::kUnavailable:
      return "unavailable";
  }
  return "unavailable";
}

std::string_view section_title(Section section) {
  static constexpr std::array<std::string_view, core::kSectionCount> kTitles = {
      "launch",    "run log",      "backends",       "prefill CP",  "CUDA graphs", "weights", "tokens",
      "log-probs", "step records", "gradient norms", "train dumps", "tensors",     "replay"};
  return kTitles.at(static_cast<std::size_t>(section));
}

Coverage total_coverage(const ValidationResult& result) {
  Coverage sum;
  for (const Coverage& part : result.coverage) {
    sum.files += part.files;
    sum.tensors += part.tensors;
    sum.elements += part.elements;
    sum.bytes += part.bytes;
  }
  return sum;
}

}  // namespace rlverify::report
