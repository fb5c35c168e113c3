// SPDX-License-Identifier: Apache-2.0
// `rlverify inspect`: what a tensor file holds, without loading it the Python way.
#pragma once

#include <CLI/CLI.hpp>

namespace rlverify {

/// Adds the command to `app`; when it runs it sets `exit_code` or throws core::Error.
void add_inspect_command(CLI::App& app, int& exit_code);

}  // namespace rlverify
