// SPDX-License-Identifier: Apache-2.0
// RE2 names the part of a pattern that it can't read; where that part stands is looked up here.
#include "diff/name_filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/errors.h"

namespace rlverify::diff {

NamePattern::NamePattern(const std::string& origin, const std::string& pattern) : text_(pattern) {
  if (pattern.empty()) {
    return;
  }
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<RE2>(pattern, options);
  if (!compiled->ok()) {
    const std::size_t at = pattern.find(compiled->error_arg());
    throw core::UsageError(fmt::format("{}: \"{}\" is no regular expression (RE2): {}, at character {}", origin,
                                       pattern, compiled->error(), at == std::string::npos ? 1 : at + 1));
  }
  pattern_ = std::move(compiled);
}

bool NamePattern::matches(std::string_view name) const {
  return pattern_ == nullptr || RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *pattern_);
}

}  // namespace rlverify::diff
