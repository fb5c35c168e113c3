// SPDX-License-Identifier: Apache-2.0
// Findings are merged on arrival, so that a fault that repeats a million times costs one entry.
#include "core/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rlverify::core {

bool FindingPlace::empty() const {
  return file.empty() && !offset && !line && !step && !rank && !call && !sample && !position && tensor.empty() &&
         field.empty();
}

std::string FindingPlace::text() const {
  std::string out = file;
  const auto part = [&out](std::string_view label, const auto& value) {
    if (value) {
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", label, *value);
    }
  };
  if (line) {
    out += fmt::format("{}line {}", out.empty() ? "" : " ", *line);
    if (column) {
      out += fmt::format(" column {}", *column);
    }
  } else {
    part("byte", offset);
  }
  if (!field.empty()) {
    out += (out.empty() ? "" : ", ") + field;
  }
  if (!tensor.empty()) {
    out += (out.empty() ? "tensor " : ", tensor ") + tensor;
  }
  part("step", step);
  part("rank", rank);
  part("call", call);
  part("sample", sample);
  part("position", position);
  return out;
}

Finding bare_finding(std::string code, Severity severity, Section section, std::string what) {
  Finding finding;
  finding.code = std::move(code);
  finding.severity = severity;
  finding.section = section;
  finding.what = std::move(what);
  return finding;
}

void Findings::add(Finding finding) {
  const std::string cause =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", finding.code, static_cast<int>(finding.section),
                  static_cast<int>(finding.severity), finding.what, finding.expected, finding.found);
  const auto [entry, fresh] = by_cause_.emplace(cause, findings_.size());
  if (!fresh) {
    Finding& known = findings_[entry->second];
    known.count += finding.count;
    const auto is_same = [&finding](const FindingPlace& place) { return place == finding.place; };
    const bool told = is_same(known.place) || std::any_of(known.more_places.begin(), known.more_places.end(), is_same);
    if (known.more_places.size() < 2 && !finding.place.empty() && !told) {
      known.more_places.push_back(std::move(finding.place));
    }
    return;
  }
  findings_.push_back(std::move(finding));
}

void Findings::add(const Problem& problem, std::string code, Section section, Severity severity) {
  Finding finding = bare_finding(std::move(code), severity, section, "can't be read");
  finding.place.file = problem.file;
  finding.place.offset = problem.offset;
  if (problem.line != 0) {
    finding.place.line = problem.line;
    finding.place.column = problem.column;
  }
  finding.expected = problem.expected;
  finding.found = problem.found;
  add(std::move(finding));
}

bool Findings::has_error(Section section) const {
  return std::any_of(findings_.begin(), findings_.end(), [section](const Finding& finding) {
    return finding.section == section && finding.severity == Severity::kError;
  });
}

bool Findings::has_error() const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [](const Finding& finding) { return finding.severity == Severity::kError; });
}

void Findings::sort() {
  std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
    if (a.because_of.empty() != b.because_of.empty()) {
      return a.because_of.empty();
    }
    if ((a.severity == Severity::kError) != (b.severity == Severity::kError)) {
      return a.severity == Severity::kError;
    }
    return a.section < b.section;
  });
  by_cause_.clear();
}

std::string_view section_name(Section section) {
  static constexpr std::array<std::string_view, kSectionCount> kNames = {
      "launch",    "log",     "backends", "pcp",   "cudagraph", "weights", "tokens",
      "log_probs", "scalars", "norms",    "dumps", "tensors",   "replay"};
  return kNames.at(static_cast<std::size_t>(section));
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "note";
}

}  // namespace rlverify::core
