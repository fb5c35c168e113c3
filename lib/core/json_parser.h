// SPDX-License-Identifier: Apache-2.0
// parse_json() with the line starts as well, which only read_json() needs (internal to the JSON reader).
#pragma once

#include <cstdint>
#include <vector>

#include "core/json_reader.h"

namespace rlverify::core {

/// As parse_json(); `line_starts`, where given, gets the offset of every line's first byte, up to kMaxLineStarts.
void parse_json_lines(const ByteSource& source, JsonMode mode, JsonHandler& handler, const JsonLimits& limits,
                      std::vector<JsonObservation>* observations, std::vector<std::uint32_t>* line_starts);

}  // namespace rlverify::core
