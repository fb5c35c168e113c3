// SPDX-License-Identifier: Apache-2.0
// Numbers are compared within float32 rounding; whether something differs at all is compared exactly, since a sum of
// zeros is zero.
#include "judge/scalar_cross.h"

#include <fmt/format.h>

#include <cmath>

#include "core/python_value.h"
#include "readback/frame.h"
#include "readback/reference_rules.h"

namespace rlverify::judge {
namespace {

using core::Section;
using core::Severity;

/// Float32 sums and means stand between the log's numbers and the counts they came from.
constexpr double kScalarTolerance = 1e-5;

double number_or_zero(const std::optional<readback::PythonNumber>& number) {
  return number ? readback::as_double(*number) : 0.0;
}

bool close(double logged, double counted) {
  return std::fabs(logged - counted) <= kScalarTolerance * counted;
}

core::Finding contradiction(std::string what, std::int64_t counted, double logged) {
  return readback::make_finding(
      "RLV-179", Section::kScalars, std::move(what),
      fmt::format("{} {}, as the sidecars hold", counted, counted == 1 ? "mismatch" : "mismatches"),
      fmt::format("{} in the log", core::python_repr(logged)));
}

/// Response tokens of the run, and of each step whose calls are known.
void token_rules(const readback::ScalarSection& scalars, const SidecarTotals& sidecars, core::Findings& findings) {
  const auto differ = [&findings](std::int64_t counted, double logged, std::optional<std::int64_t> step) {
    core::Finding finding = readback::make_finding(
        "RLV-164", Section::kScalars, "log and sidecars count different response tokens (masked ones included)",
        fmt::format("{} in the sidecars", counted), fmt::format("{} in the log", core::python_repr(logged)));
    finding.place.step = step;
    findings.add(std::move(finding));
  };
  const double logged = readback::as_double(scalars.total_active_token_exposure);
  if (!close(logged, static_cast<double>(sidecars.run.elements))) {
    differ(sidecars.run.elements, logged, std::nullopt);
    return;
  }
  for (const readback::ScalarRow& row : scalars.rows) {
    const auto step = sidecars.steps.find(row.step);
    if (step == sidecars.steps.end() || !row.active_token_count) {
      continue;
    }
    const double of_step = readback::as_double(*row.active_token_count);
    if (!close(of_step, static_cast<double>(step->second.elements))) {
      differ(step->second.elements, of_step, row.step);
    }
  }
}

/// A step whose counts say that nothing differs and whose other metrics say that something does, or the reverse.
void metric_rules(const readback::ScalarSection& scalars, core::Findings& findings) {
  for (const readback::ScalarRow& row : scalars.rows) {
    if (!row.bitwise_mismatch_count || !row.max_abs_dlogp) {
      continue;
    }
    const double count = readback::as_double(*row.bitwise_mismatch_count);
    const double largest = readback::as_double(*row.max_abs_dlogp);
    if ((count == 0.0) != (largest == 0.0)) {
      core::Finding finding = readback::make_finding(
          "RLV-179", Section::kScalars, "a step's mismatch count and its largest difference contradict each other",
          "both 0 or neither", fmt::format("{} and {}", core::python_repr(count), core::python_repr(largest)));
      finding.place.file = "run.log";
      finding.place.step = row.step;
      findings.add(std::move(finding));
    }
  }
}

/// Whether anything differs, masked tokens included; then how much of it.
void mismatch_rules(const readback::ScalarSection& scalars, const SidecarTotals& sidecars,
                    const sidecar::SidecarSection& section, core::Findings& findings) {
  double logged = 0.0;
  for (const readback::ScalarRow& row : scalars.rows) {
    logged += number_or_zero(row.bitwise_mismatch_count);
  }
  const std::int64_t counted = sidecars.run.mismatches;
  if ((logged == 0.0) != (counted == 0)) {
    findings.add(contradiction("log and sidecars contradict each other about mismatches", counted, logged));
  } else if (logged != 0.0 && section.mismatch_count == 0) {
    core::Finding finding =
        readback::make_finding("RLV-174", Section::kScalars, "the log reports mismatches, all at masked tokens", "",
                               fmt::format("{} in the log", core::python_repr(logged)));
    finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  } else if (std::fabs(logged - static_cast<double>(counted)) >
             0.5 + kScalarTolerance * static_cast<double>(sidecars.run.elements)) {
    core::Finding finding = contradiction("log and sidecars count different numbers of mismatches", counted, logged);
    finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  }
}

/// train_rollout_logprob_abs_diff respects the mask, so it is 0 where no active element differs, and only there.
void mean_rules(const readback::ScalarSection& scalars, const sidecar::SidecarSection& section,
                core::Findings& findings) {
  double logged = 0.0;
  for (const readback::ScalarRow& row : scalars.rows) {
    logged += std::fabs(number_or_zero(row.mean_abs_dlogp));
  }
  if (section.element_count > 0 && (logged == 0.0) != (section.mismatch_count == 0)) {
    const bool differs = section.mismatch_count != 0;
    findings.add(readback::make_finding(
        "RLV-179", Section::kScalars, "log and sidecars contradict each other about the mean difference",
        differs ? fmt::format("means above 0: {} {} in the sidecars", section.mismatch_count,
                              section.mismatch_count == 1 ? "value differs" : "values differ")
                : "means of 0: no value differs in the sidecars",
        differs ? "0.0 in every step of the log"
                : fmt::format("{} in the log, summed over the steps", core::python_repr(logged))));
  }
}

}  // namespace

void scalar_cross_rules(const readback::ScalarSection& scalars, const SidecarTotals& sidecars,
                        const sidecar::SidecarSection& section, core::Findings& findings) {
  metric_rules(scalars, findings);
  if (scalars.rows.empty() || sidecars.run.elements == 0) {
    return;
  }
  token_rules(scalars, sidecars, findings);
  mismatch_rules(scalars, sidecars, section, findings);
  mean_rules(scalars, section, findings);
}

}  // namespace rlverify::judge
