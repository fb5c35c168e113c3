// SPDX-License-Identifier: Apache-2.0
// The run's own JSON files against their schemas: manifest, readbacks, weight audits. Apart from the rules, since it is
// done only where it is asked for and the validation document stays what the rule set says.
#pragma once

#include <cstddef>

#include "core/finding.h"
#include "run/run_directory.h"

namespace rlverify::judge {

/// The JSON files of a run that --schema is about.
struct SchemaFiles {
  std::size_t looked_at = 0;
  std::size_t unreadable = 0;  ///< missing, or no JSON: no schema could be held against them
};

/// Adds a finding for each place that does not fit (RLV-194 manifest, RLV-195 readbacks, RLV-196 weight audits), with
/// file, line, column and JSON pointer, and for what is no strict JSON (RLV-106), and puts all findings in order. A
/// file that can't be read is the rules' to name; where they don't look at it, it is named here. Returns how many
/// files were looked at, and how many couldn't be.
SchemaFiles check_run_schemas(const run::RunDirectory& run, core::Findings& findings);

}  // namespace rlverify::judge
