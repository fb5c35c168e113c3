// SPDX-License-Identifier: Apache-2.0
// The keywords of a schema that judge one value by itself, and the words for what they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace rlverify::report {

struct ValueFault {
  std::string keyword;
  std::string reason;  ///< "expected an integer, found the string "8""
};

/// What type, const, enum, bounds, lengths and counts of `schema` have against `node`; nothing about its children.
[[nodiscard]] std::vector<ValueFault> value_faults(core::Value schema, core::Value node);

/// A value in a few words: `the string "8"`, `an array of 3 items`. Long text is shown by its first bytes and its
/// length.
[[nodiscard]] std::string described(core::Value node);

/// A key as one token of a JSON pointer.
[[nodiscard]] std::string pointer_token(std::string_view key);

/// "there is no key "x" here; did you mean "y"?"
[[nodiscard]] std::string unknown_key_text(std::string_view key, core::Value properties);

}  // namespace rlverify::report
