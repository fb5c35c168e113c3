// SPDX-License-Identifier: Apache-2.0
// Says in plain words where and why a document does not fit a schema. The verdict is the validator library's
// (schema_check.cpp): it knows only paths and general sentences, so a document that it refused is walked once more
// here, beside the schema, for messages that name the expected and the found value.
#pragma once

#include <cstddef>
#include <vector>

#include "core/value.h"
#include "report/schema_check.h"

namespace rlverify::report {

/// All places where `document` does not fit `schema` (which require_supported_schema took), in document order, at most
/// `limit`. Of several allowed forms the one that fits best (whose fault lies deepest, then the one with the fewest) is
/// explained. Line and column are left 0.
struct Explanation {
  SchemaViolation violation;
  core::Value at;  ///< the offending value, for its line and column
};
[[nodiscard]] std::vector<Explanation> explain_violations(core::Value schema, core::Value document, std::size_t limit);

}  // namespace rlverify::report
