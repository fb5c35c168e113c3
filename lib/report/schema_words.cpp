// SPDX-License-Identifier: Apache-2.0
// Integers are values that are written as such: 8.0 is a number and no integer, as the validator library decides, and
// as our documents tell counts from measures.
#include "report/schema_words.h"

#include <fmt/format.h>

#include "core/python_value.h"
#include "report/nearest.h"
#include "report/utf8.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::Value;

constexpr std::size_t kShownBytes = 80;

bool is_integer(Value node) {
  return node.is_integer() || node.is(Kind::kBigInteger);
}
bool is_number(Value node) {
  return is_integer(node) || node.is(Kind::kReal);
}

bool fits_type(Value node, std::string_view name) {
  switch (name.front()) {
    case 'a':
      return node.is_list();
    case 'b':
      return node.is(Kind::kBoolean);
    case 'i':
      return is_integer(node);
    case 'o':
      return node.is_dict();
    case 's':
      return node.is_string();
    default:
      return name == "null" ? node.is(Kind::kNull) : is_number(node);
  }
}

std::string_view with_article(std::string_view type) {
  switch (type.front()) {
    case 'a':
      return "an array";
    case 'b':
      return "true or false";
    case 'i':
      return "an integer";
    case 'o':
      return "an object";
    case 's':
      return "a string";
    default:
      return type == "null" ? "null" : "a number";
  }
}

double as_double(Value number) {
  if (number.is_integer()) {
    return static_cast<double>(number.integer());
  }
  if (number.is(Kind::kReal)) {
    return number.real();
  }
  // Far outside any bound that a schema of ours has: the sign is all that counts.
  return number.text().front() == '-' ? -1e30 : 1e30;
}

/// JSON's equality: no boolean equals a number.
bool json_equal(Value a, Value b) {
  return a.is(Kind::kBoolean) == b.is(Kind::kBoolean) && core::python_equal(a, b);
}

std::string json_text(Value value) {
  if (value.is_string()) {
    return fmt::format("\"{}\"", value.text());
  }
  return is_number(value) ? core::python_repr(value) : described(value);
}

void type_fault(Value schema, Value node, std::vector<ValueFault>& out) {
  const Value type = schema.get("type");
  if (!type) {
    return;
  }
  std::string expected;
  const std::size_t count = type.is_string() ? 1 : type.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = type.is_string() ? type.text() : type.at(i).text();
    if (fits_type(node, name)) {
      return;
    }
    expected += (i == 0 ? "" : " or ") + std::string(with_article(name));
  }
  out.push_back({"type", fmt::format("expected {}, found {}", expected, described(node))});
}

void choice_faults(Value schema, Value node, std::vector<ValueFault>& out) {
  if (const Value constant = schema.get("const"); constant && !json_equal(constant, node)) {
    out.push_back({"const", fmt::format("expected {}, found {}", json_text(constant), described(node))});
  }
  const Value choices = schema.get("enum");
  if (!choices) {
    return;
  }
  std::string expected;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (json_equal(choices.at(i), node)) {
      return;
    }
    expected += (i == 0 ? "" : ", ") + json_text(choices.at(i));
  }
  out.push_back({"enum", fmt::format("expected one of {}, found {}", expected, described(node))});
}

void number_faults(Value schema, Value node, std::vector<ValueFault>& out) {
  if (!is_number(node)) {
    return;
  }
  const double number = as_double(node);
  const auto bound = [&](const char* keyword, const char* words, auto holds) {
    const Value limit = schema.get(keyword);
    if (limit && !holds(as_double(limit))) {
      out.push_back(
          {keyword, fmt::format("expected {} {}, found {}", words, core::python_repr(limit), core::python_repr(node))});
    }
  };
  bound("minimum", "at least", [number](double limit) { return number >= limit; });
  bound("maximum", "at most", [number](double limit) { return number <= limit; });
  bound("exclusiveMinimum", "more than", [number](double limit) { return number > limit; });
  bound("exclusiveMaximum", "less than", [number](double limit) { return number < limit; });
}

void size_faults(Value schema, Value node, std::vector<ValueFault>& out) {
  const auto bounds = [&](const char* least_keyword, const char* most_keyword, const char* unit, std::size_t size) {
    if (const Value least = schema.get(least_keyword); least && size < static_cast<std::uint64_t>(least.integer())) {
      out.push_back({least_keyword, fmt::format("expected at least {} {}, found {}", least.integer(), unit, size)});
    }
    if (const Value most = schema.get(most_keyword); most && size > static_cast<std::uint64_t>(most.integer())) {
      out.push_back({most_keyword, fmt::format("expected at most {} {}, found {}", most.integer(), unit, size)});
    }
  };
  if (node.is_string()) {
    bounds("minLength", "maxLength", "characters", display_width(node.text()));
  } else if (node.is_list()) {
    bounds("minItems", "maxItems", "items", node.size());
  } else if (node.is_dict()) {
    bounds("minProperties", "maxProperties", "keys", node.size());
  }
}

}  // namespace

std::vector<ValueFault> value_faults(Value schema, Value node) {
  std::vector<ValueFault> faults;
  type_fault(schema, node, faults);
  if (!faults.empty()) {
    return faults;  // of another type: what else it lacks follows from that
  }
  choice_faults(schema, node, faults);
  number_faults(schema, node, faults);
  size_faults(schema, node, faults);
  return faults;
}

std::string described(Value node) {
  switch (node.kind()) {
    case Kind::kString: {
      const std::string_view text = node.text();
      if (text.size() <= kShownBytes) {
        return fmt::format("the string \"{}\"", text);
      }
      std::size_t shown = 0;  // whole code points only
      for (std::size_t at = 0; at <= kShownBytes; static_cast<void>(next_code_point(text, at))) {
        shown = at;
      }
      return fmt::format("a string of {} bytes that begins \"{}\"", text.size(), text.substr(0, shown));
    }
    case Kind::kList:
      return node.size() == 0 ? "an empty array"
                              : fmt::format("an array of {} item{}", node.size(), node.size() == 1 ? "" : "s");
    case Kind::kDict:
      return node.size() == 0 ? "an empty object"
                              : fmt::format("an object with {} key{}", node.size(), node.size() == 1 ? "" : "s");
    case Kind::kBoolean:
      return node.boolean() ? "true" : "false";
    case Kind::kNull:
      return "null";
    default:
      return fmt::format("the number {}", core::python_repr(node));
  }
}

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

std::string unknown_key_text(std::string_view key, Value properties) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    known.emplace_back(properties.key_at(i).text());
  }
  const std::string hint = did_you_mean(key, known);
  return fmt::format("there is no key \"{}\" here{}{}", key, hint.empty() ? "" : "; ", hint);
}

}  // namespace rlverify::report
