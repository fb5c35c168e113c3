// SPDX-License-Identifier: Apache-2.0
// Which tensors a user means: RE2 patterns over names, found anywhere in a name. RE2 because a pattern comes from
// outside and must not be able to hang the program.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace rlverify::diff {

/// A compiled pattern. An empty one (default-made) matches everything.
class NamePattern {
 public:
  NamePattern() = default;
  /// Throws core::UsageError that names `origin` (an option, or a place in a file), the pattern, the reason and the
  /// character at which it stands.
  NamePattern(const std::string& origin, const std::string& pattern);

  [[nodiscard]] bool empty() const { return pattern_ == nullptr; }
  [[nodiscard]] bool matches(std::string_view name) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> pattern_;
};

/// `--tensor` and `--ignore`.
struct NameFilter {
  NamePattern only;
  NamePattern ignored;

  [[nodiscard]] bool selects(std::string_view name) const {
    return only.matches(name) && (ignored.empty() || !ignored.matches(name));
  }
};

}  // namespace rlverify::diff
