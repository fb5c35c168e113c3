// SPDX-License-Identifier: Apache-2.0
// The embedded schemas by name, and how a document says which of them it follows.
#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "core/json_reader.h"
#include "report/document_forms.h"
#include "report/embedded.h"
#include "report/nearest.h"
#include "report/schema_check.h"

namespace rlverify::report {

namespace {

constexpr std::string_view kFolder = "schemas/";
constexpr std::string_view kSuffix = ".schema.json";
constexpr std::string_view kOwnPrefix = "rlverify.";
constexpr std::string_view kOwnSuffix = ".v1";
constexpr std::string_view kSidecarVersion = "rlkernel.vime_rocm_attention_mismatch_sidecar.v1";

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (starts_with(file.name, kFolder) && ends_with(file.name, kSuffix)) {
      names.emplace_back(file.name.substr(kFolder.size(), file.name.size() - kFolder.size() - kSuffix.size()));
    }
  }
  return names;
}

std::string_view schema_text(std::string_view name) {
  if (const std::optional<std::string_view> text = embedded_file(fmt::format("{}{}{}", kFolder, name, kSuffix))) {
    return *text;
  }
  const std::vector<std::string> names = schema_names();
  const std::string hint = did_you_mean(name, names);
  throw core::UsageError(fmt::format("there is no schema \"{}\"; {}", name,
                                     hint.empty() ? fmt::format("the schemas are {}", fmt::join(names, ", ")) : hint));
}

std::string schema_title(std::string_view name) {
  const core::JsonDocument schema =
      core::read_json(core::MemorySource("the schema", schema_text(name)), core::JsonMode::kStrict);
  return std::string(schema.root().get("title").text());
}

std::string schema_name_of(core::Value document) {
  if (const std::optional<DocumentForm> form = form_of(document)) {
    return std::string(form->schema);
  }
  const std::string_view version = document.get("schema_version").text();
  if (version == kSidecarVersion) {
    return "sidecar";
  }
  if (starts_with(version, "rlkernel.") && ends_with(version, ".run.v1")) {
    return "manifest";
  }
  // Our own documents are called rlverify.NAME.v1 after their schema.
  if (starts_with(version, kOwnPrefix) && ends_with(version, kOwnSuffix) &&
      version.size() > kOwnPrefix.size() + kOwnSuffix.size()) {
    const std::string name(version.substr(kOwnPrefix.size(), version.size() - kOwnPrefix.size() - kOwnSuffix.size()));
    const std::vector<std::string> names = schema_names();
    return std::find(names.begin(), names.end(), name) == names.end() ? "" : name;
  }
  if (ends_with(document.get("kind").text(), "_logprob_prior_art")) {
    return "logp_prior_art";
  }
  if (document.get("comparison") && document.get("validation")) {
    return "bundle";
  }
  if (document.get("reference") && document.get("comparisons") && document.get("records")) {
    return "comparison";
  }
  if (document.get("framework") && document.get("target") && document.get("operators")) {
    return "readback";
  }
  return "";
}

}  // namespace rlverify::report
