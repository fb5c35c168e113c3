// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM end the program through an exception and not in the handler, so that destructors remove unfinished
// output files.
#pragma once

#include <string>

#include "core/errors.h"

namespace rlverify::core {

/// Thrown by check_interrupted(); its exit code is 130 (SIGINT) or 143 (SIGTERM). No ArtifactError, so no reader
/// mistakes it for a bad file.
struct Interrupted : Error {
  explicit Interrupted(ExitCode code)
      : Error(code, code == ExitCode::kTerminated ? "terminated (SIGTERM)" : "interrupted (SIGINT)") {}
};

/// Installs the handlers: SIGINT and SIGTERM set a flag (a signal that the parent ignores stays ignored, as nohup and
/// shell background jobs ask for); SIGPIPE is ignored, so that writing to a closed pipe is an error code and not the
/// end of the process. Call once, at the start of main().
void install_signal_handlers();

/// Whether SIGINT or SIGTERM has arrived. One relaxed atomic load.
[[nodiscard]] bool interrupted() noexcept;

/// Throws Interrupted when SIGINT or SIGTERM has arrived. Block readers and the thread pool call it; other long loops
/// should.
void check_interrupted();

/// Forgets a signal that has arrived (tests).
void clear_interrupt() noexcept;

}  // namespace rlverify::core
