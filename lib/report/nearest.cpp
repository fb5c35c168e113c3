// SPDX-License-Identifier: Apache-2.0
// Three rows of the dynamic program are enough for the swap of neighbours.
#include "report/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rlverify::report {

namespace {

constexpr std::size_t kLongestName = 256;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && edit_distance(text.substr(0, prefix.size()), prefix) == 0;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > kLongestName || b.size() > kLongestName) {
    return a == b ? 0 : std::max(a.size(), b.size());
  }
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    previous[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = previous[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::vector<std::string> nearest_names(std::string_view given, const std::vector<std::string>& known,
                                       std::size_t at_most) {
  std::vector<std::pair<std::size_t, std::string>> candidates;
  const std::size_t limit = std::max<std::size_t>(1, given.size() / 3);
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(given, name);
    if (distance <= limit) {
      candidates.emplace_back(distance, name);
    } else if (!given.empty() && starts_with(name, given)) {
      candidates.emplace_back(limit + 1, name);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> names;
  for (std::pair<std::size_t, std::string>& candidate : candidates) {
    if (names.size() == at_most) {
      break;
    }
    names.push_back(std::move(candidate.second));
  }
  return names;
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& known) {
  return question_of(nearest_names(given, known));
}

std::string question_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* joint = i == 0 ? "did you mean " : i + 1 == names.size() ? " or " : ", ";
    text += fmt::format("{}\"{}\"", joint, names[i]);
  }
  return text.empty() ? text : text + "?";
}

}  // namespace rlverify::report
