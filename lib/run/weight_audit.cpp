// SPDX-License-Identifier: Apache-2.0
// The audit is read into a table and then reduced to what rules and comparisons use.
#include "run/weight_audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/python_key.h"
#include "core/sha256.h"
#include "run/text_scan.h"

namespace rlverify::run {
namespace {

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<std::string> string_of(core::Value value) {
  return value.is_string() ? std::optional<std::string>(value.text()) : std::nullopt;
}

/// What Python's set of digests would hold for this one (None when it is absent). NaN is equal to no other file's NaN,
/// hence the name.
std::optional<std::string> digest_key(core::Value sha256, const std::string& audit_name) {
  if (!core::is_hashable(sha256)) {
    return std::nullopt;
  }
  const std::string key = core::python_key(sha256);
  return core::number_has_key(sha256) ? key : key + audit_name;
}

/// A JSON string as Python's json.dumps writes it: ASCII with \uXXXX.
void append_json_string(std::string& out, std::string_view utf8) {
  out += '"';
  for (std::size_t at = 0; at < utf8.size();) {
    const Character character = character_at(utf8, at);
    at += character.bytes;
    static constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
    static constexpr std::string_view kLetter = "\"\\bfnrt";
    if (character.code < 0x80 && kShort.find(static_cast<char>(character.code)) != std::string_view::npos) {
      out += '\\';
      out += kLetter[kShort.find(static_cast<char>(character.code))];
    } else if (character.code >= 0x20 && character.code < 0x7F) {
      out += static_cast<char>(character.code);
    } else if (character.code < 0x10000) {
      out += fmt::format("\\u{:04x}", character.code);
    } else {
      const std::uint32_t rest = character.code - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }
  }
  out += '"';
}

}  // namespace

AuditTensor read_audit_tensor(std::string_view name, core::Value entry) {
  AuditTensor tensor;
  tensor.name = std::string(name);
  const core::Value sha256 = entry.get("sha256");
  const core::Value dtype = entry.get("dtype");
  const core::Value shape = entry.get("shape");
  tensor.sha256 = sha256.is_string() ? std::string(sha256.text()) : "";
  tensor.dtype = dtype.is_string() ? std::string(dtype.text()) : "";
  tensor.well_formed = is_digest(tensor.sha256) && !tensor.dtype.empty() && shape.is_list();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const core::Value size = shape.at(i);
    tensor.well_formed = tensor.well_formed && size.is_integer() && size.integer() >= 0;
    tensor.shape.push_back(size.is_integer() ? size.integer() : -1);
  }
  return tensor;
}

WeightAudit read_weight_audit(const core::ByteSource& source, std::string name) {
  WeightAudit audit;
  audit.name = std::move(name);
  core::JsonDocument document;
  try {
    document = core::read_json(source, core::JsonMode::kLenient);
  } catch (const core::ArtifactError& error) {
    audit.problem = error.problem();
    return audit;
  }
  audit.observations = document.observations;
  const core::Value root = document.root();
  audit.is_object = root.is_dict();
  if (!audit.is_object) {
    return audit;
  }
  const core::Value sha256 = root.get("sha256");
  audit.sha256_key = digest_key(sha256, audit.name);
  audit.sha256 = sha256.is_string() ? std::string(sha256.text()) : "";
  audit.version = string_of(root.get("version"));
  audit.scope = string_of(root.get("scope"));
  if (root.get("tensor_count").is_integer()) {
    audit.tensor_count = root.get("tensor_count").integer();
  }
  const core::Value tensors = root.get("tensors");
  audit.has_tensors = tensors.is_dict();
  for (std::size_t i = 0; i < tensors.size() && audit.has_tensors; ++i) {
    audit.tensors.push_back(read_audit_tensor(tensors.key_at(i).text(), tensors.value_at(i)));
  }
  if (!audit.has_tensors && root.get("tensor").is_string()) {
    audit.tensors.push_back(read_audit_tensor(root.get("tensor").text(), root));
  }
  return audit;
}

std::string audit_digest(std::vector<AuditTensor> tensors) {
  // UTF-8 bytes sort as code points do, which is how Python sorts strings.
  std::sort(tensors.begin(), tensors.end(), [](const AuditTensor& a, const AuditTensor& b) { return a.name < b.name; });
  std::string text = "{";
  for (const AuditTensor& tensor : tensors) {
    text += text.size() > 1 ? ", " : "";
    append_json_string(text, tensor.name);
    text += ": {\"dtype\": ";
    append_json_string(text, tensor.dtype);
    text += ", \"sha256\": ";
    append_json_string(text, tensor.sha256);
    text += fmt::format(", \"shape\": [{}]}}", fmt::join(tensor.shape, ", "));
  }
  text += "}";
  return core::hex(core::sha256(std::as_bytes(std::span(text.data(), text.size()))));
}

}  // namespace rlverify::run
