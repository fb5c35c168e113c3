// SPDX-License-Identifier: Apache-2.0
// A walk of schema and document side by side. Each violation keeps the positions on its way down, which sort into
// document order.
#include "report/schema_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/python_value.h"
#include "report/nearest.h"
#include "report/schema_support.h"
#include "report/schema_words.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::Value;

/// A place in the document: its pointer, and the position among its siblings on every level.
struct Way {
  std::string pointer;
  std::vector<std::size_t> positions;

  [[nodiscard]] Way down(std::string_view token, std::size_t position) const {
    Way way = *this;
    way.pointer += "/" + pointer_token(token);
    way.positions.push_back(position);
    return way;
  }
};

struct Fault {
  Explanation explanation;
  std::vector<std::size_t> positions;
};

using Faults = std::vector<Fault>;

std::size_t deepest(const Faults& faults) {
  std::size_t depth = 0;
  for (const Fault& fault : faults) {
    depth = std::max(depth, fault.positions.size());
  }
  return depth;
}

class Walk {
 public:
  Walk(Value root_schema, std::size_t limit) : root_(root_schema), limit_(limit) {}

  Faults faults(Value schema, Value node, const Way& way, const std::string& keywords) {
    Faults found;
    check(schema, node, way, keywords, found);
    return found;
  }

 private:
  void check(Value schema, Value node, const Way& way, const std::string& keywords, Faults& out) {
    if (out.size() >= limit_) {
      return;
    }
    if (const Value reference = schema.get("$ref")) {
      check(definition_of(root_, reference.text()), node, way, std::string(reference.text()), out);
      return;
    }
    value_keywords(schema, node, way, keywords, out);
    combinations(schema, node, way, keywords, out);
    if (node.is_dict()) {
      object_keywords(schema, node, way, keywords, out);
    } else if (const Value items = schema.get("items"); items && node.is_list()) {
      for (std::size_t i = 0; i < node.size() && out.size() < limit_; ++i) {
        check(items, node.at(i), way.down(fmt::format("{}", i), i), keywords + "/items", out);
      }
    }
  }

  void value_keywords(Value schema, Value node, const Way& way, const std::string& keywords, Faults& out) const {
    for (const ValueFault& fault : value_faults(schema, node)) {
      add(out, node, way, fault.reason, keywords + "/" + fault.keyword);
    }
  }

  void object_keywords(Value schema, Value node, const Way& way, const std::string& keywords, Faults& out) {
    const Value required = schema.get("required");
    for (std::size_t i = 0; i < required.size(); ++i) {
      if (!node.get(required.at(i).text())) {
        add(out, node, way, fmt::format("the key \"{}\" is missing", required.at(i).text()), keywords + "/required");
      }
    }
    const Value properties = schema.get("properties");
    const Value others = schema.get("additionalProperties");
    for (std::size_t i = 0; i < node.size() && out.size() < limit_; ++i) {
      const std::string key(node.key_at(i).text());
      const Value value = node.value_at(i);
      if (const Value property = properties.get(key)) {
        check(property, value, way.down(key, i), fmt::format("{}/properties/{}", keywords, pointer_token(key)), out);
      } else if (others.is_dict()) {
        check(others, value, way.down(key, i), keywords + "/additionalProperties", out);
      } else if (others.is(Kind::kBoolean) && !others.boolean()) {
        add(out, value, way.down(key, i), unknown_key_text(key, properties), keywords + "/additionalProperties");
      }
    }
  }

  void combinations(Value schema, Value node, const Way& way, const std::string& keywords, Faults& out) {
    const Value all = schema.get("allOf");
    for (std::size_t i = 0; i < all.size(); ++i) {
      check(all.at(i), node, way, fmt::format("{}/allOf/{}", keywords, i), out);
    }
    if (const Value any = schema.get("anyOf")) {
      alternatives(any, false, node, way, keywords + "/anyOf", out);
    }
    if (const Value one = schema.get("oneOf")) {
      alternatives(one, true, node, way, keywords + "/oneOf", out);
    }
    if (const Value forbidden = schema.get("not"); forbidden && faults(forbidden, node, way, keywords).empty()) {
      add(out, node, way, fmt::format("this is not allowed here: {}", described(node)), keywords + "/not");
    }
    if (const Value condition = schema.get("if")) {
      const char* branch = faults(condition, node, way, keywords).empty() ? "then" : "else";
      if (const Value consequence = schema.get(branch)) {
        check(consequence, node, way, fmt::format("{}/{}", keywords, branch), out);
      }
    }
  }

  /// anyOf and oneOf: nothing when a form fits (exactly one, for oneOf), else what is wrong with the form that fits
  /// best.
  void alternatives(Value forms, bool exactly_one, Value node, const Way& way, const std::string& keywords,
                    Faults& out) {
    std::vector<Faults> per_form;
    std::vector<std::string> fitting;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      per_form.push_back(faults(forms.at(i), node, way, fmt::format("{}/{}", keywords, i)));
      if (per_form.back().empty()) {
        fitting.push_back(fmt::format("{}", i + 1));
      }
    }
    if (fitting.size() == 1 || (!exactly_one && !fitting.empty())) {
      return;
    }
    if (!fitting.empty()) {
      add(out, node, way,
          fmt::format("fits {} of the allowed forms (numbers {}), only one may fit", fitting.size(),
                      fmt::join(fitting, ", ")),
          keywords);
      return;
    }
    const auto better = [](const Faults& a, const Faults& b) {
      return deepest(a) != deepest(b) ? deepest(a) > deepest(b) : a.size() < b.size();
    };
    Faults best = *std::min_element(per_form.begin(), per_form.end(), better);
    if (deepest(best) > way.positions.size()) {
      std::move(best.begin(), best.end(), std::back_inserter(out));
      return;
    }
    std::vector<std::string> reasons;
    for (const Faults& form : per_form) {
      reasons.push_back(form.front().explanation.violation.reason);
    }
    reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
    add(out, node, way, fmt::format("fits none of the allowed forms: {}", fmt::join(reasons, "; or ")), keywords);
  }

  static void add(Faults& out, Value node, const Way& way, std::string reason, std::string keywords) {
    Fault fault;
    fault.explanation.violation.pointer = way.pointer;
    fault.explanation.violation.reason = std::move(reason);
    fault.explanation.violation.keyword_path = std::move(keywords);
    fault.explanation.at = node;
    fault.positions = way.positions;
    out.push_back(std::move(fault));
  }

  Value root_;
  std::size_t limit_;
};

bool same(const Fault& a, const Fault& b) {
  return a.explanation.violation.pointer == b.explanation.violation.pointer &&
         a.explanation.violation.reason == b.explanation.violation.reason;
}

}  // namespace

std::vector<Explanation> explain_violations(Value schema, Value document, std::size_t limit) {
  Faults faults = Walk(schema, limit).faults(schema, document, Way{}, "#");
  std::stable_sort(faults.begin(), faults.end(),
                   [](const Fault& a, const Fault& b) { return a.positions < b.positions; });
  std::vector<Explanation> explanations;
  for (std::size_t i = 0; i < faults.size() && explanations.size() < limit; ++i) {
    const auto earlier = faults.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first_here = std::find_if(faults.begin(), earlier,
                                         [&](const Fault& fault) { return fault.positions == faults[i].positions; });
    if (std::none_of(first_here, earlier, [&](const Fault& fault) { return same(fault, faults[i]); })) {
      explanations.push_back(faults[i].explanation);
    }
  }
  return explanations;
}

}  // namespace rlverify::report
