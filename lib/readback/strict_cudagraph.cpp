// SPDX-License-Identifier: Apache-2.0
// Strict rules on CUDA graphs: the engine's own lines say what was captured; a command line or the launcher's echo says
// only what was asked for.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "readback/strict_rules.h"

namespace rlverify::readback {
namespace {

using core::Section;

core::Finding graph_finding(const char* code, const run::LogMark* mark, std::string what, std::string expected,
                            std::string found) {
  core::Finding finding =
      make_finding(code, Section::kCudagraph, std::move(what), std::move(expected), std::move(found));
  finding.place.file = "run.log";
  if (mark != nullptr) {
    finding.place.line = mark->line;
  }
  return finding;
}

/// The integers of the list that follows, whatever its spacing and quotes; nothing where no list follows.
std::optional<std::set<std::int64_t>> sizes_in(const std::string& text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos || begin > 16 || end < begin) {
    return std::nullopt;
  }
  std::set<std::int64_t> sizes;
  std::int64_t value = -1;
  for (std::size_t at = begin + 1; at <= end; ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9' && value < 1'000'000'000) {
      value = (value < 0 ? 0 : value * 10) + (c - '0');
    } else if (value >= 0) {
      sizes.insert(value);
      value = -1;
    }
  }
  return sizes;
}

std::set<std::int64_t> wanted_sizes(core::Value sizes) {
  std::set<std::int64_t> wanted;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes.at(i).is_integer()) {
      wanted.insert(sizes.at(i).integer());
    }
  }
  return wanted;
}

std::vector<std::int64_t> without(const std::set<std::int64_t>& from, const std::set<std::int64_t>& what) {
  std::vector<std::int64_t> rest;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(), std::back_inserter(rest));
  return rest;
}

/// Every engine line that lists capture sizes must list the manifest's. Returns whether there is one and all do.
bool sizes_rule(const StrictInput& input, core::Findings& findings) {
  const run::RunLog& log = input.base.log;
  const std::set<std::int64_t> wanted = wanted_sizes(input.base.frame.capture_sizes);
  bool seen = false;
  bool good = true;
  for (const auto* marks : {&log.capture_sizes_repr, &log.capture_sizes_json, &log.capture_sizes_other}) {
    for (const run::LogMark& mark : *marks) {
      const auto sizes = mark.echo ? std::nullopt : sizes_in(mark.text);
      if (!sizes) {
        continue;
      }
      seen = true;
      const auto missing = without(wanted, *sizes);
      const auto extra = without(*sizes, wanted);
      if (missing.empty() && extra.empty()) {
        continue;
      }
      good = false;
      core::Finding finding =
          graph_finding("RLV-141", &mark,
                        missing.empty() ? fmt::format("unasked capture size {}", fmt::join(extra, ", "))
                                        : fmt::format("missing capture size {}", fmt::join(missing, ", ")),
                        fmt::format("{}", fmt::join(wanted, ", ")), fmt::format("{}", fmt::join(*sizes, ", ")));
      if (!log.capture_warnings.empty()) {
        finding.hint = fmt::format("line {} says: {}", log.capture_warnings.front().line,
                                   log.capture_warnings.front().text.substr(0, 300));
      }
      findings.add(std::move(finding));
    }
  }
  if (!seen) {
    findings.add(graph_finding("RLV-141", nullptr, "the engine lists no capture sizes",
                               fmt::format("{}", fmt::join(wanted, ", ")), "no such line"));
  }
  return seen && good;
}

/// Decode batches larger than the largest graph run without one.
void coverage_rule(const StrictInput& input, core::Findings& findings) {
  const core::Value batching = input.base.frame.manifest.get("batching");
  const core::Value prompts = batching.get("rollout_batch_size");
  const core::Value samples = batching.get("n_samples_per_prompt");
  const core::Value engines = input.base.frame.topology.get("rollout_engines");
  const std::set<std::int64_t> sizes = wanted_sizes(input.base.frame.capture_sizes);
  std::int64_t batch = 0;
  if (!prompts.is_integer() || !samples.is_integer() || sizes.empty() ||
      __builtin_mul_overflow(prompts.integer(), samples.integer(), &batch) || batch <= 0) {
    return;
  }
  const core::Value policy = input.base.frame.manifest.path({"rollout_routing", "router_policy"});
  if (policy.is_string() && policy.text() == "round_robin" && engines.is_integer() && engines.integer() > 1) {
    batch = (batch - 1) / engines.integer() + 1;
  }
  if (batch > *sizes.rbegin()) {
    core::Finding finding =
        make_finding("RLV-142", Section::kCudagraph,
                     fmt::format("decode batches of {} to {} have no captured graph", *sizes.rbegin() + 1, batch),
                     fmt::format("a graph for up to {}", batch), fmt::format("up to {}", *sizes.rbegin()));
    finding.severity = core::Severity::kWarning;
    finding.place.file = "manifest.json";
    finding.place.field = "vllm_execution.capture_sizes";
    findings.add(std::move(finding));
  }
}

/// The mode that stands behind "cudagraph_mode", whatever quotes, signs and class name are between: FULL_DECODE_ONLY in
/// `': <CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>`. Empty where the text names no mode.
std::string mode_in(const std::string& text) {
  static const RE2 kMode(
      R"(^["']?\s*(?::|=|(?:is |was )?(?:set )?to\b|from \S+ to\b)?\s*["'<]*(?:CUDAGraphMode\.)?(NONE|PIECEWISE|FULL(?:_[A-Z_]+)?)\b)");
  std::string mode;
  RE2::PartialMatch(text, kMode, &mode);
  return mode;
}

/// The first line of the engine that names another mode: an engine that can't capture as asked sets another mode and
/// says so in a later line.
const run::LogMark* other_mode(const std::vector<run::LogMark>& marks, const std::string& wanted) {
  const auto mark = std::find_if(marks.begin(), marks.end(), [&wanted](const run::LogMark& candidate) {
    const std::string mode = candidate.echo ? "" : mode_in(candidate.text);
    return !mode.empty() && mode != wanted;
  });
  return mark == marks.end() ? nullptr : &*mark;
}

const run::LogMark* first_of_engine(const std::vector<run::LogMark>& marks) {
  const auto mark =
      std::find_if(marks.begin(), marks.end(), [](const run::LogMark& candidate) { return !candidate.echo; });
  return mark == marks.end() ? nullptr : &*mark;
}

}  // namespace

CudagraphSection strict_cudagraph(const StrictInput& input, core::Findings& findings) {
  const run::RunLog& log = input.base.log;
  const std::string mode(input.profile.cudagraph_mode);
  CudagraphSection section = measure_cudagraph(input.base.frame, log);
  if (!section.launcher_marker) {
    findings.add(graph_finding("RLV-138", nullptr, "the launcher did not state the capture sizes that it requires",
                               "the manifest's capture sizes", "no such line"));
  }
  const run::LogMark* const another = other_mode(log.cudagraph_mode, mode);
  section.engine_mode =
      another == nullptr &&
      std::any_of(log.cudagraph_mode.begin(), log.cudagraph_mode.end(), [&mode](const run::LogMark& mark) {
        return !mark.echo && mark.text.find(mode) != std::string::npos;
      });
  const run::LogMark* const eager = first_of_engine(log.eager);
  const run::LogMark* const graphs = first_of_engine(log.not_eager);
  section.not_eager = graphs != nullptr && eager == nullptr;
  if (eager != nullptr) {
    findings.add(graph_finding("RLV-140", eager, fmt::format("manifest expects {}, log shows eager", mode),
                               "enforce_eager=False", "enforce_eager=True"));
  } else if (graphs == nullptr) {
    findings.add(graph_finding("RLV-140", nullptr, "the engine does not say that it left eager mode",
                               "enforce_eager=False", "no such line"));
  }
  if (!section.engine_mode) {
    const run::LogMark* const other = another != nullptr ? another : first_of_engine(log.cudagraph_mode);
    findings.add(graph_finding("RLV-139", other, "the engine reports another CUDA-graph mode", mode,
                               other == nullptr ? "no such line" : other->text.substr(0, 80)));
  }
  section.capture_sizes = sizes_rule(input, findings);
  for (const run::LogMark& warning : log.capture_warnings) {
    core::Finding finding = graph_finding("RLV-142", &warning, "a warning about capture sizes", "no such line",
                                          warning.text.substr(0, 300));
    finding.severity = core::Severity::kWarning;
    findings.add(std::move(finding));
  }
  coverage_rule(input, findings);
  return section;
}

}  // namespace rlverify::readback
