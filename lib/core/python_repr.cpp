// SPDX-License-Identifier: Apache-2.0
// repr() and str() as Python 3.11 lays them out. Values are walked with a stack of our own and a budget: JSON and
// literals are trees and always come out whole; a pickled graph that contains itself shows "[...]" there as Python
// does, and one that unfolds without end is cut.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "core/python_value.h"
#include "core/unicode.h"

namespace rlverify::core {

namespace {

/// The shortest digits of a finite double and its decimal exponent, laid out by repr's rule; ".0" only where
/// `always_real`.
std::string real_text(double value, bool always_real) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t exponent_at = text.find('e');
  std::string digits(text.substr(0, exponent_at));
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  int exponent = 0;
  const std::size_t exponent_digits_at = exponent_at + (text[exponent_at + 1] == '+' ? 2 : 1);
  std::from_chars(buffer + exponent_digits_at, end, exponent);

  const std::string sign = std::signbit(value) ? "-" : "";
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    const std::string fraction = count > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}{}e{}{:02}", sign, digits[0], fraction, exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  if (count <= exponent + 1) {
    return sign + digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0') + (always_real ? ".0" : "");
  }
  const auto whole_digits = static_cast<std::size_t>(exponent + 1);
  return sign + digits.substr(0, whole_digits) + "." + digits.substr(whole_digits);
}

/// Single quotes, unless the text has some and no double quotes.
char quote_for(std::string_view text) {
  return text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
}

/// The escapes that str and bytes share; empty for any other character.
std::string common_escape(char32_t c, char quote) {
  switch (c) {
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return c == static_cast<unsigned char>(quote) ? std::string{'\\', quote} : std::string();
  }
}

std::string bytes_repr(std::string_view bytes) {
  const char quote = quote_for(bytes);
  std::string out = std::string("b") + quote;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::string escape = common_escape(byte, quote); !escape.empty()) {
      out += escape;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string complex_repr(double real, double imaginary) {
  std::string text = real_text(imaginary, false) + "j";
  if (real == 0 && !std::signbit(real)) {
    return text;
  }
  if (text.front() != '-') {
    text.insert(0, 1, '+');
  }
  return "(" + real_text(real, false) + text + ")";
}

std::string scalar_repr(Value value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "None";
    case Kind::kBoolean:
      return value.boolean() ? "True" : "False";
    case Kind::kInteger:
      return fmt::format("{}", value.integer());
    case Kind::kReal:
      return real_text(value.real(), true);
    case Kind::kComplex: {
      const std::span<const NodeId> parts = value.table()->items(value.id());
      return complex_repr(value.table()->real(parts[0]), value.table()->real(parts[1]));
    }
    case Kind::kString:
      return python_repr(value.text());
    case Kind::kBytes:
      return bytes_repr(value.text());
    case Kind::kEllipsis:
      return "Ellipsis";
    case Kind::kTensor:
      return fmt::format("<tensor {}>", value.index());
    case Kind::kOpaque:
      return fmt::format("<object {}>", value.index());
    default:
      return std::string(value.text());
  }
}

bool is_container(Kind kind) {
  return kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kDict || kind == Kind::kSet ||
         kind == Kind::kFrozenSet;
}

/// Brackets of a container that has elements, and the text of an empty one.
struct Brackets {
  const char* open;
  const char* close;
  const char* empty;
  const char* inside_itself;
};

Brackets brackets_of(Kind kind) {
  switch (kind) {
    case Kind::kTuple:
      return {"(", ")", "()", "(...)"};
    case Kind::kDict:
      return {"{", "}", "{}", "{...}"};
    case Kind::kSet:
      return {"{", "}", "set()", "set(...)"};
    case Kind::kFrozenSet:
      return {"frozenset({", "})", "frozenset()", "frozenset(...)"};
    default:
      return {"[", "]", "[]", "[...]"};
  }
}

class ReprWriter {
 public:
  // A tree has at most size() nodes to visit; the factor leaves room for what pickles share in earnest.
  explicit ReprWriter(const ValueTable& table) : table_(table), budget_(4 * table.size() + 1000) {}

  std::string write(NodeId root) {
    begin(root);
    while (!open_.empty() && budget_ > 0 && text_.size() < kMaxTextBytes) {
      continue_container();
    }
    return std::move(text_) + (open_.empty() ? "" : "...");
  }

 private:
  static constexpr std::size_t kMaxTextBytes = 256U << 20;

  struct Open {
    NodeId id;
    std::size_t next;
  };

  void begin(NodeId id) {
    budget_ -= budget_ > 0 ? 1 : 0;
    const Kind kind = table_.kind(id);
    if (!is_container(kind)) {
      text_ += scalar_repr(Value(table_, id));
      return;
    }
    const Brackets brackets = brackets_of(kind);
    if (table_.items(id).empty()) {
      text_ += brackets.empty;
    } else if (std::any_of(open_.begin(), open_.end(), [&](const Open& open) { return open.id == id; })) {
      text_ += brackets.inside_itself;
    } else {
      text_ += brackets.open;
      open_.push_back({id, 0});
    }
  }

  void continue_container() {
    Open& open = open_.back();
    const std::span<const NodeId> items = table_.items(open.id);
    const Kind kind = table_.kind(open.id);
    if (open.next == items.size()) {
      text_ += kind == Kind::kTuple && items.size() == 1 ? "," : "";
      text_ += brackets_of(kind).close;
      open_.pop_back();
      return;
    }
    if (open.next > 0) {
      text_ += kind == Kind::kDict && open.next % 2 == 1 ? ": " : ", ";
    }
    begin(items[open.next++]);
  }

  const ValueTable& table_;
  std::size_t budget_;
  std::vector<Open> open_;
  std::string text_;
};

}  // namespace

std::string python_repr(double value) {
  return real_text(value, true);
}

std::string python_repr(std::string_view utf8) {
  const char quote = quote_for(utf8);
  std::string out(1, quote);
  while (!utf8.empty()) {
    const CodePoint code_point = decode_utf8(utf8);
    const char32_t c = code_point.value;
    if (const std::string escape = common_escape(c, quote); !escape.empty()) {
      out += escape;
    } else if (code_point.valid && is_printable(c)) {
      out += utf8.substr(0, code_point.bytes);
    } else if (c < 0x100) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
    } else {
      const auto number = static_cast<std::uint32_t>(c);
      out += c < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
    }
    utf8.remove_prefix(code_point.bytes);
  }
  return out + quote;
}

std::string python_repr(Value value) {
  return value.present() ? ReprWriter(*value.table()).write(value.id()) : std::string("None");
}

std::string python_str(Value value) {
  return value.is(Kind::kString) ? std::string(value.text()) : python_repr(value);
}

}  // namespace rlverify::core
