// SPDX-License-Identifier: Apache-2.0
// What ran on each side. Two runs of one arm must have run the same; two arms differ on purpose, which is worth a note.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/compare_runs.h"

namespace rlverify::compare {
namespace {

using core::Section;
using core::Severity;

/// Files of a run as the user can open them; a record names the files of the run that it stands for.
std::string file_of(const RunEvidence& side, const std::string& file) {
  return side.sealed() ? fmt::format("{} ({})", side.path, file) : side.path + "/" + file;
}

bool same_arm(const RunEvidence& reference, const RunEvidence& candidate) {
  return reference.backends && candidate.backends && !reference.backends->requested.empty() &&
         reference.backends->requested == candidate.backends->requested;
}

void unavailable(const char* code, Section section, const char* what, const RunEvidence& side,
                 CandidateComparison& out) {
  core::Finding finding = core::bare_finding(
      code, Severity::kNote, section, fmt::format("{} can't be compared: {} has no evidence of them", what, side.name));
  finding.place.file = side.path;
  out.findings.add(std::move(finding));
}

/// "production" in A, or "a, b" in A; "nothing".
std::string values_text(const RunEvidence& side, const FieldValues& values) {
  if (values.empty()) {
    return fmt::format("nothing (in the readbacks of {})", side.name);
  }
  std::string names;
  for (const auto& entry : values) {
    names += (names.empty() ? "" : ", ") + entry.first;
  }
  return fmt::format("{} in {}", names, file_of(side, values.begin()->second));
}

/// The values that the other side lacks, or all where it lacks none.
FieldValues own_values(const FieldValues& mine, const FieldValues& other) {
  FieldValues own;
  for (const auto& entry : mine) {
    if (other.count(entry.first) == 0) {
      own.insert(entry);
    }
  }
  return own.empty() ? mine : own;
}

bool same_keys(const FieldValues& a, const FieldValues& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; });
}

std::string sizes_text(const std::set<std::int64_t>& sizes) {
  return sizes.empty() ? "none" : fmt::format("{}", fmt::join(sizes, ", "));
}

std::string modes_text(const GraphEvidence& graphs) {
  std::string text;
  for (const auto& entry : graphs.modes) {
    text += (text.empty() ? "" : ", ") + entry.first;
  }
  return text.empty() ? "no mode" : text;
}

core::Finding graph_finding(const char* code, std::string what, const RunEvidence& side, std::uint64_t line) {
  core::Finding finding = core::bare_finding(code, Severity::kError, Section::kCudagraph, std::move(what));
  finding.place.file = file_of(side, side.graphs->file);
  if (line != 0) {
    finding.place.line = line;
  }
  return finding;
}

std::string in_line(const RunEvidence& side, const std::string& text, std::uint64_t line) {
  const std::string file = file_of(side, side.graphs->file);
  return line == 0 ? fmt::format("{} in {}", text, file) : fmt::format("{} in {} line {}", text, file, line);
}

std::uint64_t mode_line(const GraphEvidence& graphs) {
  return graphs.modes.empty() ? 0 : graphs.modes.begin()->second;
}

/// A run whose manifest asks for graphs and whose engine ran eagerly (told for each side: equal eager runs are wrong
/// too).
void eager_although_graphs(const RunEvidence& side, CandidateComparison& out) {
  const GraphEvidence& graphs = *side.graphs;
  const auto eager = graphs.modes.find("eager");
  if (eager != graphs.modes.end() && graphs.requested_mode && *graphs.requested_mode != "eager") {
    core::Finding finding = graph_finding(
        "RLV-357", fmt::format("{}: manifest expects {}, log shows eager", side.name, *graphs.requested_mode), side,
        eager->second);
    finding.expected = *graphs.requested_mode;
    finding.found = "enforce_eager=True";
    out.findings.add(std::move(finding));
  }
}

/// Processes that left no readback can't differ, so that they are fewer is said.
void compare_readback_counts(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  if (reference.backends->files == candidate.backends->files) {
    return;
  }
  core::Finding finding = core::bare_finding("RLV-353", Severity::kNote, Section::kBackends,
                                             "the runs have different numbers of readbacks");
  finding.place.file = candidate.path;
  finding.expected = fmt::format("{}, as {} has", reference.backends->files, reference.name);
  finding.found = fmt::format("{}", candidate.backends->files);
  out.findings.add(std::move(finding));
}

}  // namespace

void compare_backends(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  for (const RunEvidence* side : {&reference, &candidate}) {
    if (!side->backends || side->backends->modules.empty()) {
      unavailable("RLV-351", Section::kBackends, "backends", *side, out);
      return;
    }
    out.coverage.backends.files += side->backends->files;
  }
  out.backends = true;
  compare_readback_counts(reference, candidate, out);
  const bool same = same_arm(reference, candidate);
  std::map<std::string, std::set<std::string>> fields;
  for (const RunEvidence* side : {&reference, &candidate}) {
    for (const auto& [module, known] : side->backends->modules) {
      for (const auto& entry : known) {
        fields[module].insert(entry.first);
      }
    }
  }
  static const ModuleFields kNoFields;
  static const FieldValues kNoValues;
  for (const auto& [module, names] : fields) {
    const auto side_of = [module = module](const RunEvidence& side) -> const ModuleFields& {
      const auto at = side.backends->modules.find(module);
      return at == side.backends->modules.end() ? kNoFields : at->second;
    };
    for (const std::string& name : names) {
      const auto a = side_of(reference).find(name);
      const auto b = side_of(candidate).find(name);
      const FieldValues& left = a == side_of(reference).end() ? kNoValues : a->second;
      const FieldValues& right = b == side_of(candidate).end() ? kNoValues : b->second;
      ++out.coverage.backends.elements;
      if (same_keys(left, right)) {
        continue;
      }
      core::Finding finding = core::bare_finding(
          "RLV-350", same ? Severity::kError : Severity::kNote, Section::kBackends,
          fmt::format("{}: {} differs{}", module, name, same ? "" : " (the manifests ask for different arms)"));
      finding.place.file = right.empty() ? candidate.path : file_of(candidate, own_values(right, left).begin()->second);
      finding.place.field = module + " " + name;
      finding.expected = values_text(reference, own_values(left, right));
      finding.found = values_text(candidate, own_values(right, left));
      out.findings.add(std::move(finding));
      out.backends = false;
      out.backends_note_only = !same;
    }
  }
}

void compare_graphs(const RunEvidence& reference, const RunEvidence& candidate, CandidateComparison& out) {
  for (const RunEvidence* side : {&reference, &candidate}) {
    if (side->graphs) {
      eager_although_graphs(*side, out);
      ++out.coverage.graphs.files;
    }
  }
  for (const RunEvidence* side : {&reference, &candidate}) {
    if (!side->graphs) {
      unavailable("RLV-356", Section::kCudagraph, "CUDA graphs", *side, out);
      return;
    }
  }
  const GraphEvidence& left = *reference.graphs;
  const GraphEvidence& right = *candidate.graphs;
  const bool same = same_arm(reference, candidate);
  out.graphs = true;
  out.graphs_note_only = true;
  const auto differ = [&](std::string what, bool asked_alike, std::string expected, std::string found,
                          std::uint64_t line) {
    core::Finding finding = graph_finding("RLV-355", std::move(what), candidate, line);
    finding.severity = asked_alike ? Severity::kError : Severity::kNote;
    finding.what += asked_alike ? "" : " (the manifests ask for it)";
    finding.expected = std::move(expected);
    finding.found = std::move(found);
    out.findings.add(std::move(finding));
    out.graphs = false;
    out.graphs_note_only = out.graphs_note_only && !asked_alike;
  };
  if (modes_text(left) != modes_text(right)) {
    differ("CUDA-graph modes differ", same && left.requested_mode == right.requested_mode,
           in_line(reference, modes_text(left), mode_line(left)),
           in_line(candidate, modes_text(right), mode_line(right)), mode_line(right));
  }
  // Sizes follow from the batch that one engine serves, so another engine count asks for other sizes.
  if (left.sizes != right.sizes) {
    differ("capture sizes differ", same && left.requested_sizes == right.requested_sizes,
           in_line(reference, sizes_text(left.sizes), left.sizes_line),
           in_line(candidate, sizes_text(right.sizes), right.sizes_line), right.sizes_line);
  }
  out.graphs_note_only = out.graphs == false && out.graphs_note_only;
}

}  // namespace rlverify::compare
