// SPDX-License-Identifier: Apache-2.0
// The verdict follows from what was measured; nothing else may set it.
#include "report/validation_result.h"

namespace rlverify::report {

bool ValidationResult::passed() const {
  return !gives_up && cudagraph.passed() && !findings.has_error();
}

core::ExitCode ValidationResult::exit_code() const {
  if (gives_up) {
    return give_up_code;
  }
  return passed() ? core::ExitCode::kPassed : core::ExitCode::kFailed;
}

}  // namespace rlverify::report
