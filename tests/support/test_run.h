// SPDX-License-Identifier: Apache-2.0
// A whole run that passes, as texts and bytes that a test changes before it is judged: what a consistency run of 8 GPUs
// leaves on disk (spec/run-artifacts.md), with 2 rounds of 2 samples and 6 response tokens.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/pt_writer.h"

namespace rlverify::test {

inline constexpr int kTensorParallel = 4;
inline constexpr int kContextParallel = 2;
inline constexpr int kRanks = 8;
inline constexpr int kRounds = 2;
inline constexpr int kBatch = 2;     ///< samples per round
inline constexpr int kResponse = 6;  ///< tokens of each response

/// Tokens of prompt and response of round `call`.
[[nodiscard]] constexpr int total_length(int call) {
  return 16 + call;
}

/// Files of a run: path inside it and content.
class TestRun {
 public:
  std::map<std::string, std::string> files;

  /// Replaces the one place where `from` stands in `path`; throws when there is none or more than one, so that no test
  /// changes nothing.
  void replace(const std::string& path, std::string_view from, std::string_view to);
  /// Replaces every `from`; throws when there is none.
  void replace_all(const std::string& path, std::string_view from, std::string_view to);
  /// Removes every file whose path begins with `prefix`; throws when there is none.
  void remove(std::string_view prefix);
  /// Names of the files in `folder`, sorted.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder) const;
  void write(const std::string& directory) const;
};

/// The run that passes.
[[nodiscard]] TestRun passing_run();

[[nodiscard]] std::string sidecar_path(int rank, int call);
[[nodiscard]] std::string dump_path(int rank, int call);
/// Payload of a sidecar of the passing run, to be changed and written with write_pt.
[[nodiscard]] PtValue sidecar_payload(int rank, int call);
[[nodiscard]] PtValue dump_payload(int rank, int call);
/// One readback of the passing run as JSON text: worker `rank` of "megatron" or "vllm".
[[nodiscard]] std::string readback_text(const std::string& framework, int rank);
/// Path of the same.
[[nodiscard]] std::string readback_path(const std::string& framework, int rank);

}  // namespace rlverify::test
