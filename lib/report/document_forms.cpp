// SPDX-License-Identifier: Apache-2.0
// Told by keys alone, never by values: a form must be known before anything in it is believed.
#include "report/document_forms.h"

namespace rlverify::report {

namespace {

constexpr std::size_t kShortFormKeys = 3;  // errors, passed, schema_version

bool is_validation(std::string_view version) {
  constexpr std::string_view kPrefix = "rlkernel.";
  constexpr std::string_view kSuffix = ".validation.v1";
  return version.size() >= kPrefix.size() + kSuffix.size() && version.substr(0, kPrefix.size()) == kPrefix &&
         version.substr(version.size() - kSuffix.size()) == kSuffix;
}

DocumentForm validation_form(core::Value document) {
  if (document.size() <= kShortFormKeys) {
    return {"validation", "short: the run could not be judged"};
  }
  if (document.get("pcp_execution")) {
    return {"validation", "newest of three: it has runtime_scalar_logprob and pcp_execution"};
  }
  if (document.get("runtime_scalar_logprob")) {
    return {"validation_form2", "second of three: it has runtime_scalar_logprob and no pcp_execution"};
  }
  return {"validation_form1", "first of three: it has neither runtime_scalar_logprob nor pcp_execution"};
}

}  // namespace

std::optional<DocumentForm> form_of(core::Value document) {
  if (is_validation(document.get("schema_version").text())) {
    return validation_form(document);
  }
  if (document.get("version") && document.get("sha256")) {
    if (document.get("tensors")) {
      return DocumentForm{"weight_audit", "newer: all exported parameters"};
    }
    if (document.get("tensor")) {
      return DocumentForm{"weight_audit", "older: one sampled tensor"};
    }
  }
  return std::nullopt;
}

}  // namespace rlverify::report
