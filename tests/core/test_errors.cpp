// SPDX-License-Identifier: Apache-2.0
// The sentence of a problem and the exit code of every class of error.
#include <catch2/catch.hpp>
#include <new>

#include "core/errors.h"
#include "core/signals.h"

using namespace rlverify::core;

TEST_CASE("a problem's sentence names what is known and nothing else") {
  Problem problem;
  problem.file = "run/manifest.json";
  problem.offset = 12;
  problem.line = 1;
  problem.column = 13;
  problem.expected = "a digit";
  problem.found = "'x'";
  CHECK(problem.text() == "run/manifest.json: at byte 12 (line 1, column 13): expected a digit, found 'x'");
  problem.column = 0;
  CHECK(problem.text() == "run/manifest.json: at byte 12 (line 1): expected a digit, found 'x'");
  problem.line = 0;
  CHECK(problem.text() == "run/manifest.json: at byte 12: expected a digit, found 'x'");
  problem.offset.reset();
  CHECK(problem.text() == "run/manifest.json: expected a digit, found 'x'");
  problem.line = 4;
  problem.column = 2;
  CHECK(problem.text() == "run/manifest.json: at line 4, column 2: expected a digit, found 'x'");
  problem.expected.clear();
  CHECK(problem.text() == "run/manifest.json: at line 4, column 2: found 'x'");
  problem.found.clear();
  problem.expected = "more";
  problem.file.clear();
  CHECK(problem.text() == "at line 4, column 2: expected more");
}

TEST_CASE("every class of error has its exit code") {
  CHECK(exit_code_of(UsageError("")) == ExitCode::kWrongUse);
  CHECK(exit_code_of(InputError("")) == ExitCode::kBadInput);
  CHECK(exit_code_of(NothingComparableError("")) == ExitCode::kNothingComparable);
  CHECK(exit_code_of(OutputError("")) == ExitCode::kInternal);
  CHECK(exit_code_of(DeviceError("")) == ExitCode::kInternal);
  CHECK(exit_code_of(ArtifactError(Problem{})) == ExitCode::kBadInput);
  CHECK(exit_code_of(Interrupted(ExitCode::kInterrupted)) == ExitCode::kInterrupted);
  CHECK(exit_code_of(Interrupted(ExitCode::kTerminated)) == ExitCode::kTerminated);
  CHECK(exit_code_of(std::bad_alloc()) == ExitCode::kInternal);
  CHECK(exit_code_of(std::runtime_error("other")) == ExitCode::kInternal);
}

TEST_CASE("the numbers of the exit codes are those users rely on") {
  CHECK(static_cast<int>(ExitCode::kPassed) == 0);
  CHECK(static_cast<int>(ExitCode::kFailed) == 1);
  CHECK(static_cast<int>(ExitCode::kWrongUse) == 2);
  CHECK(static_cast<int>(ExitCode::kBadInput) == 3);
  CHECK(static_cast<int>(ExitCode::kNothingComparable) == 4);
  CHECK(static_cast<int>(ExitCode::kInternal) == 5);
  CHECK(static_cast<int>(ExitCode::kInterrupted) == 130);
  CHECK(static_cast<int>(ExitCode::kTerminated) == 143);
}
