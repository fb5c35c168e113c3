// SPDX-License-Identifier: Apache-2.0
// Which JSON Schemas we take: draft-07 with the keywords below and references to its own definitions. Everything else
// is refused, never ignored, since a keyword that is skipped makes a wrong document look right. Left out on purpose:
// pattern and patternProperties (std::regex overflows the stack on long strings), format, remote references.
#pragma once

#include "core/value.h"

namespace rlverify::report {

/// Throws core::UsageError that names the keyword and its place when `schema` is no schema that we support: another
/// draft, an unknown keyword, a keyword with a value of the wrong kind, a reference to nothing, or definitions that
/// refer to each other without an object or array between.
void require_supported_schema(core::Value schema);

/// The definition that a "$ref" of the form "#/definitions/NAME" means; absent when there is none.
[[nodiscard]] core::Value definition_of(core::Value root_schema, std::string_view reference);

}  // namespace rlverify::report
