// SPDX-License-Identifier: Apache-2.0
// Audits are read once more, one at a time: a run directory keeps only what the rules use of them, since all of them as
// tables are larger than memory should be.
#include "judge/run_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/byte_source.h"
#include "readback/strict_rules.h"
#include "report/schema_check.h"

namespace rlverify::judge {
namespace {

using core::Section;

/// A kind of file: its schema, the code of a violation, and the section that it is evidence for.
struct FileKind {
  std::string_view schema;
  std::string_view code;
  Section section;
};

constexpr FileKind kManifest = {"manifest", "RLV-194", Section::kLaunch};
constexpr FileKind kReadback = {"readback", "RLV-195", Section::kBackends};
constexpr FileKind kAudit = {"weight_audit", "RLV-196", Section::kWeights};

void check(const core::JsonDocument& document, const std::string& name, const FileKind& kind,
           core::Findings& findings) {
  for (const report::SchemaViolation& violation :
       report::check_schema(document.root(), report::schema_text(kind.schema), &document)) {
    core::Finding finding =
        core::bare_finding(std::string(kind.code), core::Severity::kError, kind.section,
                           fmt::format("does not fit the schema {}: {}", kind.schema, violation.reason));
    finding.place.file = name;
    if (violation.line != 0) {
      finding.place.line = violation.line;
      finding.place.column = violation.column;
    }
    finding.place.field = violation.pointer;
    findings.add(std::move(finding));
  }
}

/// Duplicate keys and NaN tokens, which a schema can't see; strict rules name them anyway.
void check_strictness(const run::RunDirectory& run, core::Findings& findings) {
  const bool is_checked = std::any_of(findings.list().begin(), findings.list().end(),
                                      [](const core::Finding& finding) { return finding.code == "RLV-106"; });
  if (!is_checked) {
    readback::strict_document_rules(run, findings);
  }
}

/// Whether a rule has named the file as one that can't be read.
bool is_named(const core::Findings& findings, const std::string& name) {
  return std::any_of(findings.list().begin(), findings.list().end(), [&name](const core::Finding& finding) {
    return (finding.code == "RLV-101" || finding.code == "RLV-102") &&
           (finding.place.file == name || finding.found.find(name) != std::string::npos);
  });
}

void unreadable(const core::Problem& problem, const std::string& name, const FileKind& kind, core::Findings& findings,
                SchemaFiles& files) {
  ++files.unreadable;
  if (!is_named(findings, name)) {
    findings.add(problem, std::string(kind.code), kind.section);
  }
}

void check(const run::JsonArtifact& artifact, const FileKind& kind, core::Findings& findings, SchemaFiles& files) {
  if (artifact.problem) {
    unreadable(*artifact.problem, artifact.name, kind, findings, files);
  } else {
    ++files.looked_at;
    check(artifact.document, artifact.name, kind, findings);
  }
}

}  // namespace

SchemaFiles check_run_schemas(const run::RunDirectory& run, core::Findings& findings) {
  SchemaFiles files;
  check(run.manifest, kManifest, findings, files);
  for (const run::JsonArtifact& readback : run.readbacks) {
    check(readback, kReadback, findings, files);
  }
  for (const std::string& file : run.weight_audit_files.names) {
    const std::string name = "weight-audit/" + file;
    try {
      const auto source = core::open_file(run.file_path("weight-audit", file), name);
      check(core::read_json(*source, core::JsonMode::kLenient), name, kAudit, findings);
      ++files.looked_at;
    } catch (const core::ArtifactError& error) {
      unreadable(error.problem(), name, kAudit, findings, files);
    }
  }
  check_strictness(run, findings);
  findings.sort();
  return files;
}

}  // namespace rlverify::judge
