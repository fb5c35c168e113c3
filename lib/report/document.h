// SPDX-License-Identifier: Apache-2.0
// JSON documents as we write them: built in a table, written with Python's number layout (spec/documents.md section 1),
// ASCII only, indent 2, deterministic.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace rlverify::report {

/// A document under construction. Nodes are made bottom-up and put into objects and arrays; the last step is
/// set_root().
class Document {
 public:
  core::NodeId null() { return table_.add_null(); }
  core::NodeId boolean(bool value) { return table_.add_boolean(value); }
  core::NodeId integer(std::int64_t value) { return table_.add_integer(value); }
  core::NodeId unsigned_integer(std::uint64_t value);
  /// An integer outside 64 signed bits, by its decimal digits.
  core::NodeId big_integer(std::string_view decimal_digits) { return table_.add_big_integer(decimal_digits); }
  /// NaN and infinities become null: JSON has none.
  core::NodeId real(double value);
  core::NodeId real(std::optional<double> value) { return value ? real(*value) : null(); }
  core::NodeId string(std::string_view utf8) { return table_.add_text(core::Kind::kString, utf8); }
  core::NodeId strings(const std::vector<std::string>& values);
  core::NodeId array() { return table_.add_container(core::Kind::kList); }
  core::NodeId array(const std::vector<core::NodeId>& items);
  core::NodeId object() { return table_.add_container(core::Kind::kDict); }
  core::NodeId object(std::initializer_list<std::pair<std::string_view, core::NodeId>> entries);
  void put(core::NodeId object, std::string_view key, core::NodeId value);
  void append(core::NodeId array, core::NodeId item) { table_.append(array, item); }
  /// A copy of a value from elsewhere as JSON: tuples become arrays, sets sorted arrays, NaN and infinities null, big
  /// integers keep their digits; keys that are no strings get the spelling of json.dumps; what JSON has no form for
  /// becomes its repr. An absent value is null. Throws core::ArtifactError for a value nested over 512 deep or of more
  /// than 8,000,000 parts (a pickled graph may contain itself).
  core::NodeId copy(core::Value value);
  void set_root(core::NodeId root) { root_ = root; }
  [[nodiscard]] core::Value root() const { return {table_, root_}; }

 private:
  core::ValueTable table_;
  core::NodeId root_ = core::kNoNode;
};

enum class KeyOrder { kAsBuilt, kSorted };

/// The JSON text without a newline at the end. Non-ASCII characters are \uXXXX (surrogate pairs beyond the BMP).
/// kSorted orders keys by code point at every level.
[[nodiscard]] std::string to_json(core::Value root, KeyOrder order, int indent = 2);

}  // namespace rlverify::report
