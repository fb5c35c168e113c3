// SPDX-License-Identifier: Apache-2.0
// What `--verbose` tells on stderr: files that are opened, and how long stages take. Off unless enabled, and then one
// comparison of a number per call. The only place that knows the logging library.
#pragma once

#include <string_view>

namespace rlverify::core {

/// Lines go to stderr from now on, each with the time of day.
void enable_log();
[[nodiscard]] bool log_enabled();
/// Writes one line when the log is enabled. Safe from several threads.
void log_line(std::string_view text);

}  // namespace rlverify::core
