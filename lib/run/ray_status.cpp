// SPDX-License-Identifier: Apache-2.0
// Ray prints either a banner ("Job 'id' succeeded", "... failed", "... was stopped") or "Status for job 'id': STATE". A
// state must stand where Ray puts it: "FAILED (has not succeeded)" is a failure.
#include "run/ray_status.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "run/text_scan.h"

namespace rlverify::run {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

JobState state_of(const std::string& word) {
  const std::string name = upper(word);
  if (name == "SUCCEEDED") {
    return JobState::kSucceeded;
  }
  if (name == "FAILED") {
    return JobState::kFailed;
  }
  if (name == "STOPPED") {
    return JobState::kStopped;
  }
  if (name == "RUNNING") {
    return JobState::kRunning;
  }
  return name == "PENDING" ? JobState::kPending : JobState::kUnknown;
}

/// `\bsucceeded\b` without regard to case; the neighbours are looked at as Unicode characters.
bool has_word_succeeded(const std::string& text) {
  static constexpr std::string_view kWord = "SUCCEEDED";
  const std::string loud = upper(text);
  for (std::size_t at = loud.find(kWord); at != std::string::npos; at = loud.find(kWord, at + 1)) {
    const Character before = character_before(text, at);
    const Character after = character_at(text, at + kWord.size());
    if ((before.bytes == 0 || !is_python_word(before.code)) && (after.bytes == 0 || !is_python_word(after.code))) {
      return true;
    }
  }
  return false;
}

}  // namespace

RayStatus read_ray_status(std::string_view bytes) {
  static const RE2 kStatus(R"((?i)^\s*(?:Status for job '([^']*)':\s*)?(SUCCEEDED|FAILED|STOPPED|RUNNING|PENDING)\b)");
  static const RE2 kBanner(R"((?i)^\s*Job '([^']*)' (?:was )?(succeeded|failed|stopped)\b)");
  RayStatus status;
  const std::string text = strip_csi(decode_with_replacement(bytes));
  status.has_succeeded_word = has_word_succeeded(text);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    std::string id;
    std::string word;
    if (RE2::PartialMatch(line, kStatus, &id, &word) || RE2::PartialMatch(line, kBanner, &id, &word)) {
      status.state = state_of(word);
      status.state_line = line;
      status.job_id = id.empty() ? std::nullopt : std::optional<std::string>(id);
    }
    begin = end + 1;
  }
  return status;
}

std::string_view job_state_name(JobState state) {
  switch (state) {
    case JobState::kSucceeded:
      return "SUCCEEDED";
    case JobState::kFailed:
      return "FAILED";
    case JobState::kStopped:
      return "STOPPED";
    case JobState::kRunning:
      return "RUNNING";
    case JobState::kPending:
      return "PENDING";
    case JobState::kUnknown:
      break;
  }
  return "UNKNOWN";
}

}  // namespace rlverify::run
