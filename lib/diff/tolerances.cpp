// SPDX-License-Identifier: Apache-2.0
// A misspelt key in a tolerances file would loosen or tighten a check without a word, so rules are read strictly.
#include "diff/tolerances.h"

#include <fmt/format.h>

#include <cmath>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/json_reader.h"

namespace rlverify::diff {
namespace {

using core::Kind;
using core::Value;

class RuleReader {
 public:
  explicit RuleReader(const core::JsonDocument& document) : document_(document) {}

  [[noreturn]] void refuse(Value at, const std::string& what) const { throw core::UsageError(place(at) + ": " + what); }
  [[nodiscard]] std::string place(Value at) const {
    const core::Place place = document_.place_of(at);
    return fmt::format("{}:{}:{}", document_.file, place.line, place.column);
  }
  [[nodiscard]] double bound(Value value, std::string_view key) const {
    const bool is_number = value.is(Kind::kReal) || value.is(Kind::kInteger);
    const double number = value.is(Kind::kReal) ? value.real() : is_number ? static_cast<double>(value.integer()) : -1;
    if (!is_number || !std::isfinite(number) || number < 0) {
      refuse(value, fmt::format("{} must be a finite number that is not negative", key));
    }
    return number;
  }
  [[nodiscard]] std::uint64_t steps(Value value) const {
    if (!value.is_integer() || value.integer() < 0) {
      refuse(value, "ulp must be an integer that is not negative");
    }
    return static_cast<std::uint64_t>(value.integer());
  }

 private:
  const core::JsonDocument& document_;
};

}  // namespace

Tolerances Tolerances::read(const std::string& path) {
  const core::JsonDocument document = core::read_json(*core::open_file(path), core::JsonMode::kStrict);
  const RuleReader reader(document);
  const Value root = document.root();
  if (!root.is_list()) {
    reader.refuse(root, "a tolerances file is a list of rules");
  }
  Tolerances out;
  out.file_ = path;
  for (std::size_t i = 0; i < root.size(); ++i) {
    const Value entry = root.at(i);
    if (!entry.is_dict()) {
      reader.refuse(entry, "a rule is an object with pattern, atol, rtol and ulp");
    }
    Rule rule;
    for (std::size_t k = 0; k < entry.size(); ++k) {
      const std::string_view key = entry.key_at(k).text();
      const Value value = entry.value_at(k);
      if (key == "atol") {
        rule.tolerance.atol = reader.bound(value, key);
      } else if (key == "rtol") {
        rule.tolerance.rtol = reader.bound(value, key);
      } else if (key == "ulp") {
        rule.tolerance.ulp = reader.steps(value);
      } else if (key != "pattern") {
        reader.refuse(value, fmt::format("a rule has no \"{}\": its keys are pattern, atol, rtol and ulp", key));
      } else if (!value.is_string() || value.text().empty()) {
        reader.refuse(value, "pattern must be a regular expression");
      } else {
        rule.pattern = NamePattern(reader.place(value), std::string(value.text()));
      }
    }
    if (rule.pattern.empty()) {
      reader.refuse(entry, "a rule needs a pattern");
    }
    out.rules_.push_back(std::move(rule));
  }
  return out;
}

std::optional<Tolerance> Tolerances::find(std::string_view name) const {
  if (file_.empty()) {
    return all_;
  }
  for (const Rule& rule : rules_) {
    if (rule.pattern.matches(name)) {
      return rule.tolerance;
    }
  }
  return std::nullopt;
}

}  // namespace rlverify::diff
