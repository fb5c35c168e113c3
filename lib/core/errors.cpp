// SPDX-License-Identifier: Apache-2.0
// The sentence of a problem, built in one place so that every message of the program names file, place, expectation and
// find in the same order.
#include "core/errors.h"

#include <fmt/format.h>

namespace rlverify::core {

namespace {

std::string place_text(const Problem& problem) {
  std::string line;
  if (problem.line != 0) {
    line = fmt::format("line {}", problem.line);
    if (problem.column != 0) {
      line += fmt::format(", column {}", problem.column);
    }
  }
  if (!problem.offset) {
    return line.empty() ? "" : "at " + line;
  }
  const std::string offset = fmt::format("at byte {}", *problem.offset);
  return line.empty() ? offset : fmt::format("{} ({})", offset, line);
}

}  // namespace

std::string Problem::text() const {
  std::string sentence;
  for (const std::string& part : {file, place_text(*this)}) {
    if (!part.empty()) {
      sentence += part + ": ";
    }
  }
  if (!expected.empty()) {
    sentence += "expected " + expected;
  }
  if (!found.empty()) {
    sentence += (expected.empty() ? "found " : ", found ") + found;
  }
  return sentence;
}

ArtifactError::ArtifactError(Problem problem)
    : Error(ExitCode::kBadInput, problem.text()), problem_(std::move(problem)) {}

ExitCode exit_code_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr ? known->exit_code() : ExitCode::kInternal;
}

}  // namespace rlverify::core
