// SPDX-License-Identifier: Apache-2.0
// Looks a finding up by its code.
#pragma once

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "core/finding.h"

namespace rlverify::test {

/// The first finding of a code; null without one.
inline const core::Finding* find(const core::Findings& findings, const std::string& code) {
  for (const core::Finding& finding : findings.list()) {
    if (finding.code == code) {
      return &finding;
    }
  }
  return nullptr;
}

/// The finding of a code; fails when there is none.
inline core::Finding finding(const core::Findings& findings, const std::string& code) {
  const core::Finding* const found = find(findings, code);
  INFO("code " << code);
  REQUIRE(found != nullptr);
  return *found;
}

/// The codes of all findings, sorted, each once: "RLV-120 RLV-137".
inline std::string codes(const core::Findings& findings) {
  std::set<std::string> codes;
  for (const core::Finding& finding : findings.list()) {
    codes.insert(finding.code);
  }
  std::string text;
  for (const std::string& code : codes) {
    text += (text.empty() ? "" : " ") + code;
  }
  return text;
}

}  // namespace rlverify::test
