// SPDX-License-Identifier: Apache-2.0
// The writer lays text out exactly as Python's json.dumps does with indent and ensure_ascii, since documents are
// compared byte for byte with those of the public validator. Where Python would write NaN or Infinity, which is no
// JSON, this writes null.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/errors.h"
#include "core/python_value.h"
#include "report/document.h"
#include "report/utf8.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::Value;

constexpr std::size_t kMaxDepth = 512;  // readers stop far below

void write_code_point(std::string& out, char32_t code) {
  switch (code) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\b':
      out += "\\b";
      return;
    default:
      break;
  }
  if (code >= 0x20 && code < 0x7F) {
    out += static_cast<char>(code);
  } else if (code < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
  } else {
    const std::uint32_t rest = static_cast<std::uint32_t>(code) - 0x10000U;
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + (rest >> 10U), 0xDC00U + (rest & 0x3FFU));
  }
}

class Writer {
 public:
  Writer(KeyOrder order, int indent) : order_(order), indent_(static_cast<std::size_t>(std::max(indent, 0))) {}

  void write(Value value, std::size_t depth) {
    if (depth > kMaxDepth) {
      core::Problem problem;
      problem.kind = core::ProblemKind::kLimit;
      problem.expected = fmt::format("a document nested at most {} deep", kMaxDepth);
      problem.found = "a deeper one";
      throw core::ArtifactError(std::move(problem));
    }
    switch (value.kind()) {
      case Kind::kBoolean:
        out_ += value.boolean() ? "true" : "false";
        return;
      case Kind::kInteger:
        out_ += fmt::format("{}", value.integer());
        return;
      case Kind::kBigInteger:
        out_ += value.text();
        return;
      case Kind::kReal:
        out_ += std::isfinite(value.real()) ? core::python_repr(value.real()) : "null";
        return;
      case Kind::kString:
        write_string(value.text());
        return;
      case Kind::kList:
        write_array(value, depth);
        return;
      case Kind::kDict:
        write_object(value, depth);
        return;
      default:
        out_ += "null";
        return;
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void write_string(std::string_view text) {
    out_ += '"';
    for (std::size_t at = 0; at < text.size();) {
      write_code_point(out_, next_code_point(text, at));
    }
    out_ += '"';
  }

  void new_line(std::size_t depth) {
    out_ += '\n';
    out_.append(depth * indent_, ' ');
  }

  void write_array(Value array, std::size_t depth) {
    const std::size_t count = array.size();
    if (count == 0) {
      out_ += "[]";
      return;
    }
    out_ += '[';
    for (std::size_t i = 0; i < count; ++i) {
      out_ += i == 0 ? "" : ",";
      new_line(depth + 1);
      write(array.at(i), depth + 1);
    }
    new_line(depth);
    out_ += ']';
  }

  void write_object(Value object, std::size_t depth) {
    std::vector<std::size_t> positions(object.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = i;
    }
    if (positions.empty()) {
      out_ += "{}";
      return;
    }
    if (order_ == KeyOrder::kSorted) {
      // Bytes of UTF-8 sort as code points do.
      std::stable_sort(positions.begin(), positions.end(), [object](std::size_t a, std::size_t b) {
        return object.key_at(a).text() < object.key_at(b).text();
      });
    }
    out_ += '{';
    for (std::size_t i = 0; i < positions.size(); ++i) {
      out_ += i == 0 ? "" : ",";
      new_line(depth + 1);
      write_string(object.key_at(positions[i]).text());
      out_ += ": ";
      write(object.value_at(positions[i]), depth + 1);
    }
    new_line(depth);
    out_ += '}';
  }

  KeyOrder order_;
  std::size_t indent_;
  std::string out_;
};

}  // namespace

std::string to_json(Value root, KeyOrder order, int indent) {
  Writer writer(order, indent);
  writer.write(root, 0);
  return writer.take();
}

}  // namespace rlverify::report
