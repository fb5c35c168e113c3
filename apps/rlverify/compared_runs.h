// SPDX-License-Identifier: Apache-2.0
// The runs named on the command line of `compare` and `report`: directories or sealed records, each with a name of its
// own.
#pragma once

#include <string>
#include <vector>

#include "compare/compare_runs.h"
#include "core/thread_pool.h"

namespace CLI {
class App;
}

namespace rlverify::app {

struct RunArguments {
  std::string reference;
  std::vector<std::string> candidates;
  std::vector<std::string> weights;  ///< RUN=DIR
};

/// Adds reference, candidates and --weights to a command.
void add_run_arguments(CLI::App& command, RunArguments& arguments);

/// The runs as read and the candidates as compared.
struct ComparedRuns {
  std::vector<compare::RunEvidence> runs;  ///< reference first
  compare::RunComparison comparison;

  [[nodiscard]] std::vector<const compare::RunEvidence*> pointers() const;
};

/// Reads and compares. Throws core::UsageError for two runs of one name and for --weights of an unknown run,
/// core::InputError for a path that is no run.
[[nodiscard]] ComparedRuns compare_arguments(const RunArguments& arguments, core::ThreadPool& pool);

/// Throws core::InputError with the first violation where a sealed record doesn't follow its schema.
void check_record(const compare::RunEvidence& evidence);

}  // namespace rlverify::app
