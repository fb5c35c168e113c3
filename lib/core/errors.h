// SPDX-License-Identifier: Apache-2.0
// The classes of failure and the one place where they become exit codes. A bad artifact is an ArtifactError only
// between the reader that met it and the code that reads the whole run: there it is caught and becomes a finding, so
// that one bad file never ends the program.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace rlverify::core {

/// Exit codes of the program (docs/commands.md lists them for users).
enum class ExitCode : int {
  kPassed = 0,
  kFailed = 1,
  kWrongUse = 2,
  kBadInput = 3,
  kNothingComparable = 4,
  kInternal = 5,
  kInterrupted = 130,
  kTerminated = 143,
};

/// What kind of fault an artifact has. `kUnsafe` means that loading it the Python way would run code.
enum class ProblemKind { kUnreadable, kMalformed, kUnsafe, kLimit };

/// One fault of one artifact: where it is, what was expected there and what was found.
struct Problem {
  ProblemKind kind = ProblemKind::kMalformed;
  std::string file;                     ///< path as the user gave it, or a name inside a container after it
  std::optional<std::uint64_t> offset;  ///< byte offset in the file
  std::uint32_t line = 0;               ///< 1-based; 0 where lines mean nothing
  std::uint32_t column = 0;             ///< 1-based, in bytes; 0 where lines mean nothing
  std::string expected;
  std::string found;

  /// One sentence: "FILE: at byte 12 (line 1, column 13): expected X, found Y".
  [[nodiscard]] std::string text() const;
};

/// Base of all errors that end a command; each subclass has its exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode exit_code() const { return code_; }

 private:
  ExitCode code_;
};

/// The command line can't be obeyed: unknown names, a selection that matches nothing.
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitCode::kWrongUse, message) {}
};
/// The input named on the command line is missing, unreadable or unsafe.
struct InputError : Error {
  explicit InputError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
};
/// The inputs were readable and nothing in them could be compared.
struct NothingComparableError : Error {
  explicit NothingComparableError(const std::string& message) : Error(ExitCode::kNothingComparable, message) {}
};
/// The result can't be written.
struct OutputError : Error {
  explicit OutputError(const std::string& message) : Error(ExitCode::kInternal, message) {}
};
/// A device that was asked for is not there.
struct DeviceError : Error {
  explicit DeviceError(const std::string& message) : Error(ExitCode::kInternal, message) {}
};

/// A fault of an artifact, thrown by readers. At the top level (a file named on the command line) it is bad input.
class ArtifactError : public Error {
 public:
  explicit ArtifactError(Problem problem);
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

/// The exit code for an exception that reached the top: that of an Error, kInternal for every other.
[[nodiscard]] ExitCode exit_code_of(const std::exception& error);

}  // namespace rlverify::core
