// SPDX-License-Identifier: Apache-2.0
// What a check has to say. Checks add findings, renderers show them; the code (RLV-xxx) refers to the table in
// docs/rules.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/errors.h"

namespace rlverify::core {

enum class Severity { kError, kWarning, kNote };

/// The part of the answer that a finding belongs to, in causal order: what comes first can cause what follows.
enum class Section {
  kLaunch,    ///< manifest, command, launcher, ray status
  kLog,       ///< run.log as a whole
  kBackends,  ///< readbacks
  kPcp,       ///< prefill context parallelism
  kCudagraph,
  kWeights,
  kTokens,
  kLogProbs,  ///< sidecars
  kScalars,   ///< step records
  kNorms,
  kDumps,    ///< train-data
  kTensors,  ///< tensor files (inspect, diff)
  kReplay,
};
inline constexpr int kSectionCount = 13;

/// Where: whichever parts apply.
struct FindingPlace {
  std::string file;
  std::optional<std::uint64_t> offset;  ///< byte offset
  std::optional<std::uint64_t> line;    ///< 1-based
  std::optional<std::uint64_t> column;  ///< 1-based
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> call;
  std::optional<std::int64_t> sample;
  std::optional<std::int64_t> position;  ///< in response coordinates, from 0
  std::string tensor;
  std::string field;  ///< dotted path inside a document

  bool operator==(const FindingPlace&) const = default;
  [[nodiscard]] bool empty() const;
  /// "run.log line 12, step 3" and the like; empty when nothing is known.
  [[nodiscard]] std::string text() const;
};

struct Finding {
  std::string code;  ///< "RLV-101"
  Severity severity = Severity::kError;
  Section section = Section::kLaunch;
  std::string what;    ///< the fault in one sentence, without the place
  FindingPlace place;  ///< the first place
  std::string expected;
  std::string found;
  std::string hint;
  std::uint64_t count = 1;
  std::vector<FindingPlace> more_places;  ///< the second and third
  std::string because_of;                 ///< code of the finding that this one follows from; empty for a cause
};

/// A finding with nothing but its kind: place, expected and found are the caller's to add.
[[nodiscard]] Finding bare_finding(std::string code, Severity severity, Section section, std::string what);

/// Collects findings and merges those of one code and one cause (same code, section, `what`, expected and found).
class Findings {
 public:
  void add(Finding finding);
  /// A finding for an artifact that can't be read.
  void add(const Problem& problem, std::string code, Section section, Severity severity = Severity::kError);
  [[nodiscard]] const std::vector<Finding>& list() const { return findings_; }
  [[nodiscard]] bool has_error(Section section) const;
  [[nodiscard]] bool has_error() const;
  /// Puts them into a stable order, once all are there: causes before consequences, then section, then the order in
  /// which they were added.
  void sort();

 private:
  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> by_cause_;  ///< what merges, as text -> position
};

[[nodiscard]] std::string_view section_name(Section section);     ///< "launch", "log_probs", ...
[[nodiscard]] std::string_view severity_name(Severity severity);  ///< "error", "warning", "note"

}  // namespace rlverify::core
