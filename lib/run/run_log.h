// SPDX-License-Identifier: Apache-2.0
// run.log, read once as a stream: metric records (spec/run-artifacts.md section 3a) and the other lines that a rule
// asks about (section 3b). Everything is kept in file order, duplicates included, and each record says what the public
// validator would have made of it. No verdicts here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/sha256.h"
#include "core/value.h"

namespace rlverify::run {

/// A longer line is not searched beyond this; it is told.
inline constexpr std::uint64_t kMaxLogLineBytes = 16ULL << 20;

enum class RecordKind { kRollout, kStep, kPerf };

/// `step 3: {...}` and its like.
struct LogRecord {
  RecordKind kind = RecordKind::kStep;
  std::int64_t number = 0;               ///< saturated at the 64-bit range
  std::uint64_t line = 0;                ///< 1-based, counting LF
  std::uint64_t offset = 0;              ///< byte offset of the kind word
  std::string role;                      ///< "critic" of `critic-step 3: ...`; empty otherwise
  std::optional<std::int64_t> pid;       ///< from Ray's prefix `(Actor pid=12)`
  std::string actor;                     ///< from the same
  core::NodeId payload = core::kNoNode;  ///< in RunLog::literals; kNoNode when it can't be parsed
  core::Sha256Digest digest{};           ///< of the payload's text: equal digests are the same bytes
  bool public_matches = false;           ///< the public validator's pattern finds this record on this line
  bool public_parses = false;            ///< ... and its literal parser reads the payload
  bool unterminated = false;             ///< the line begins a record and doesn't end it
  std::uint64_t repeated = 0;            ///< N of Ray's "[repeated Nx across cluster]" after the record; 0 without
  std::string problem;                   ///< why there is no payload
};

/// A line that matters beside the records.
struct LogMark {
  std::uint64_t line = 0;   ///< of the first line with this text
  std::uint64_t count = 0;  ///< lines with this text
  bool echo = false;        ///< the line repeats a command or the launcher's configuration: no evidence of what ran
  bool command = false;     ///< the line repeats a command: its flags were asked for, they didn't happen
  std::string text;         ///< what follows the literal on its line (at most 64 KiB), or the literal itself
};

struct RunLog {
  std::string file;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  core::ValueTable literals;
  std::vector<LogRecord> records;  ///< in file order

  std::vector<LogMark> launcher_capture_sizes;  ///< after "required|strict vLLM full-decode CUDA Graph capture sizes: "
  std::vector<LogMark> cudagraph_mode;  ///< after the first "cudagraph_mode" of a line; also when it is the whole line
  bool full_decode_only = false;        ///< some line has FULL_DECODE_ONLY after its first "cudagraph_mode"
  std::vector<LogMark> capture_sizes_repr;   ///< after "'cudagraph_capture_sizes': "
  std::vector<LogMark> capture_sizes_json;   ///< after "\"cudagraph_capture_sizes\":"
  std::vector<LogMark> capture_sizes_other;  ///< after "cudagraph_capture_sizes" in any other spelling
  std::vector<LogMark> sidecar_route;        ///< after "rlkernel mismatch sidecar active: logp_case="
  std::vector<LogMark> not_eager;            ///< lines with "enforce_eager=False"
  std::vector<LogMark> eager;                ///< lines with "enforce_eager=True"
  std::vector<LogMark> native_logp;          ///< lines with the native logp identity
  std::vector<LogMark> fallback_true;        ///< lines with fallback=true in any case
  std::vector<LogMark>
      fallback_claims;             ///< lines that say so in another spelling: "fallback": true, fallback_used: True
  std::vector<LogMark> traceback;  ///< lines with the traceback banner
  std::vector<LogMark> repeated;   ///< lines with Ray's "[repeated Nx across cluster]"
  std::vector<LogMark> capture_warnings;  ///< lines that speak of capture sizes being truncated, clipped or dropped
  std::vector<LogMark> job_ids;           ///< NAME of "Job 'NAME'"
  std::vector<LogMark> job_failures;      ///< NAME of "Job 'NAME' failed" and "Job 'NAME' was stopped"
  bool marks_overflow = false;            ///< some kind of mark had more different texts than are kept
  std::vector<LogMark> over_long;         ///< lines beyond kMaxLogLineBytes

  [[nodiscard]] core::Value payload(const LogRecord& record) const { return {literals, record.payload}; }
};

/// Reads the whole log in one pass; memory grows with its records, not with its size. Throws ArtifactError only when
/// bytes can't be read.
[[nodiscard]] RunLog read_run_log(const core::ByteSource& source);

}  // namespace rlverify::run
