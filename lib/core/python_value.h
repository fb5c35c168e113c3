// SPDX-License-Identifier: Apache-2.0
// Python's meaning of JSON and literal values: equality across number types, truth, int(), str(), repr(). The reference
// rules are written in these terms (spec/run-artifacts.md section 10), and documents lay numbers out as repr does.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/value.h"

namespace rlverify::core {

/// Python's `a == b`: 1 == True == 1.0, exact between integers and floats, containers element by element, dicts without
/// order; NaN equals nothing (but, as in Python, a container equals itself). An absent value equals nothing. Throws
/// ArtifactError (kLimit) for pickled graphs that share parts without end.
[[nodiscard]] bool python_equal(Value a, Value b);
[[nodiscard]] bool python_equal(Value a, std::int64_t b);
[[nodiscard]] bool python_equal(Value a, std::string_view b);
template <std::same_as<bool> Boolean>
bool python_equal(Value a, Boolean b) = delete;
/// Python's truth of a value; an absent one is false.
[[nodiscard]] bool python_truth(Value value);
/// Python's int(value) for None, bool, int, float and str; nothing where Python raises or where the result needs more
/// than 64 bits.
[[nodiscard]] std::optional<std::int64_t> python_int(Value value);
/// isinstance(value, int): true for booleans.
[[nodiscard]] bool python_is_int(Value value);
/// isinstance(value, (int, float)) and not a bool.
[[nodiscard]] bool python_is_number(Value value);
/// repr(float): shortest digits that round trip; exponent below 1e-4 and from 1e16 on, at least two exponent digits,
/// ".0" on whole values; "inf", "-inf", "nan".
[[nodiscard]] std::string python_repr(double value);
/// repr() of a string: quotes chosen and characters escaped as Python does.
[[nodiscard]] std::string python_repr(std::string_view utf8);
/// repr() and str() of any JSON or literal value.
[[nodiscard]] std::string python_repr(Value value);
[[nodiscard]] std::string python_str(Value value);

}  // namespace rlverify::core
