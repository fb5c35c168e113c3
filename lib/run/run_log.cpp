// SPDX-License-Identifier: Apache-2.0
// One pass over blocks; a line that spans blocks is joined in a carry buffer. Literals that rules ask about contain no
// line break, so looking for them line by line finds what a search over the whole text finds.
#include "run/run_log.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "run/literal.h"
#include "run/record_matcher.h"
#include "run/text_scan.h"

namespace rlverify::run {
namespace {

/// Different texts kept of one kind of mark; the same text again only counts.
constexpr std::size_t kMaxMarks = 256;
constexpr std::size_t kMaxMarkBytes = 64U << 10;

constexpr std::string_view kNativeLogp =
    "linear_logp native active: backend_id=vime.utils.ppo_utils.calculate_log_probs_and_entropy "
    "contract_id=vime.native.linear_logp.v1 route=unconfigured device=cuda";

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
         });
}

/// "fallback=true" in any case.
bool has_fallback_true(std::string_view line) {
  static constexpr std::string_view kName = "fallback";
  static constexpr std::string_view kValue = "=true";
  for (std::size_t at = line.find('='); at != std::string_view::npos; at = line.find('=', at + 1)) {
    if (at >= kName.size() && equal_ignoring_case(line.substr(at - kName.size(), kName.size()), kName) &&
        equal_ignoring_case(line.substr(at, kValue.size()), kValue)) {
      return true;
    }
  }
  return false;
}

/// A fallback flag that is true in any spelling that configurations and dicts use: "fallback": true, 'fallback_used':
/// True, fallback: true.
bool claims_fallback(std::string_view line) {
  static const RE2 kClaim(R"((?i)fallback(?:_used)?["']?\s*[:=]\s*["']?true\b)");
  return line.find("allback") != std::string_view::npos &&
         RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kClaim);
}

/// A line that repeats a command: the words of a launch, or the training script with its flags.
bool is_command(std::string_view line) {
  static constexpr std::array<std::string_view, 3> kWords = {"--compilation-config", "ray job submit", "train_command"};
  const std::size_t script = line.find("train.py");
  return std::any_of(kWords.begin(), kWords.end(),
                     [line](std::string_view word) { return line.find(word) != std::string_view::npos; }) ||
         (script != std::string_view::npos && line.find("--", script) != std::string_view::npos);
}

/// A command, or the launcher's or the script's own configuration: it says what was asked for, not what ran.
bool is_echo(std::string_view line) {
  return is_command(line) || line.find("train.py") != std::string_view::npos ||
         line.find("[RL-Kernel] ") != std::string_view::npos;
}

class LogScanner {
 public:
  explicit LogScanner(RunLog& log) : log_(log) {}

  void line(std::string_view text, std::uint64_t offset) {
    ++log_.lines;
    records(text, offset);
    marks(text);
  }
  void over_long() { keep(log_.over_long, ""); }

 private:
  void keep(std::vector<LogMark>& marks, std::string_view text) const {
    text = text.substr(0, kMaxMarkBytes);
    std::size_t alike = 0;  // echoes don't use up the room of evidence
    for (LogMark& mark : marks) {
      alike += mark.echo == echo_ ? 1 : 0;
      if (mark.text == text && mark.echo == echo_ && mark.command == command_) {
        ++mark.count;
        return;
      }
    }
    if (alike < kMaxMarks) {
      marks.push_back({log_.lines, 1, echo_, command_, std::string(text)});
    } else {
      log_.marks_overflow = true;
    }
  }

  void records(std::string_view text, std::uint64_t offset) {
    if (text.find('{') == std::string_view::npos) {
      return;
    }
    split_python_lines(text, pieces_);
    for (const LinePiece& piece : pieces_) {
      const std::string_view line = text.substr(piece.begin, piece.end - piece.begin);
      if (const auto match = match_record(line)) {
        record(line, *match, offset + piece.begin);
      }
    }
  }

  void record(std::string_view line, const RecordMatch& match, std::uint64_t line_offset) {
    LogRecord record;
    record.kind = match.kind;
    record.number = match.number;
    record.line = log_.lines;
    record.offset = line_offset + match.begin;
    record.role = match.role;
    record.public_matches = match.public_matches;
    record.repeated = match.repeated;
    RayPrefix prefix = ray_prefix(line);
    record.actor = std::move(prefix.actor);
    record.pid = prefix.pid;
    if (match.payload_end == match.payload_begin) {
      record.unterminated = true;
      record.problem = "the record has no end on its line";
      log_.records.push_back(std::move(record));
      return;
    }
    const std::string_view payload = line.substr(match.payload_begin, match.payload_end - match.payload_begin);
    record.digest = core::sha256(std::as_bytes(std::span(payload.data(), payload.size())));
    const Literal literal = is_valid_utf8(payload) ? parse_literal(payload, log_.literals)
                                                   : parse_literal(decode_with_replacement(payload), log_.literals);
    record.problem = literal.problem;
    const core::Value value(log_.literals, literal.root);
    if (value.is_dict()) {
      record.payload = literal.root;
      record.public_parses = match.public_matches && literal.public_accepts;
    } else if (literal.problem.empty()) {
      record.problem = "the payload is no dict";
    }
    log_.records.push_back(std::move(record));
  }

  void after(std::string_view text, std::string_view literal, std::vector<LogMark>& marks) const {
    for (std::size_t at = text.find(literal); at != std::string_view::npos; at = text.find(literal, at + 1)) {
      keep(marks, text.substr(at + literal.size()));
    }
  }
  void whole(std::string_view text, std::string_view literal, std::vector<LogMark>& marks) const {
    if (text.find(literal) != std::string_view::npos) {
      keep(marks, text.substr(0, 4096));
    }
  }

  void marks(std::string_view text) {
    echo_ = is_echo(text);
    command_ = echo_ && is_command(text);
    if (text.find("cudagraph") != std::string_view::npos || text.find("CUDA Graph") != std::string_view::npos) {
      graph_marks(text);
    }
    whole(text, "enforce_eager=False", log_.not_eager);
    whole(text, "enforce_eager=True", log_.eager);
    after(text, "rlkernel mismatch sidecar active: logp_case=", log_.sidecar_route);
    whole(text, kNativeLogp, log_.native_logp);
    if (has_fallback_true(text)) {
      keep(log_.fallback_true, text.substr(0, 4096));
    } else if (claims_fallback(text)) {
      keep(log_.fallback_claims, text.substr(0, 4096));
    }
    whole(text, "Traceback (most recent call last)", log_.traceback);
    if (repeated_count(text) != 0) {
      keep(log_.repeated, text.substr(0, 4096));
    }
    job_id(text);
  }

  void graph_marks(std::string_view text) {
    after(text, "required vLLM full-decode CUDA Graph capture sizes: ", log_.launcher_capture_sizes);
    after(text, "strict vLLM full-decode CUDA Graph capture sizes: ", log_.launcher_capture_sizes);
    static constexpr std::string_view kMode = "cudagraph_mode";
    if (const std::size_t at = text.find(kMode); at != std::string_view::npos) {
      const std::string_view rest = text.substr(at + kMode.size());
      keep(log_.cudagraph_mode, rest.substr(0, 4096));
      log_.full_decode_only = log_.full_decode_only || rest.find("FULL_DECODE_ONLY") != std::string_view::npos;
    }
    static constexpr std::string_view kSizes = "cudagraph_capture_sizes";
    static constexpr std::string_view kReprEnd = "': ";
    static constexpr std::string_view kJsonEnd = "\":";
    for (std::size_t at = text.find(kSizes); at != std::string_view::npos; at = text.find(kSizes, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      const std::string_view rest = text.substr(at + kSizes.size());
      if (before == '\'' && rest.substr(0, kReprEnd.size()) == kReprEnd) {
        keep(log_.capture_sizes_repr, rest.substr(kReprEnd.size()));
      } else if (before == '"' && rest.substr(0, kJsonEnd.size()) == kJsonEnd) {
        keep(log_.capture_sizes_json, rest.substr(kJsonEnd.size()));
      } else {
        keep(log_.capture_sizes_other, rest);
      }
    }
    const bool warns = std::any_of(kWarningWords.begin(), kWarningWords.end(),
                                   [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
    if (warns && (text.find("capture") != std::string_view::npos)) {
      keep(log_.capture_warnings, text.substr(0, 4096));
    }
  }
  static constexpr std::array<std::string_view, 6> kWarningWords = {"truncat", "Truncat", "clipp",
                                                                    "dropp",   "exceed",  "ignor"};

  void job_id(std::string_view text) const {
    static constexpr std::string_view kJob = "Job '";
    const std::size_t at = text.find(kJob);
    if (at == std::string_view::npos) {
      return;
    }
    const std::size_t end = text.find('\'', at + kJob.size());
    if (end == std::string_view::npos) {
      return;
    }
    const std::string_view name = text.substr(at + kJob.size(), end - at - kJob.size());
    keep(log_.job_ids, name);
    const std::string_view rest = text.substr(end + 1);
    if (rest.substr(0, 7) == " failed" || rest.substr(0, 12) == " was stopped") {
      keep(log_.job_failures, name);
    }
  }

  RunLog& log_;
  std::vector<LinePiece> pieces_;
  bool echo_ = false;
  bool command_ = false;
};

}  // namespace

RunLog read_run_log(const core::ByteSource& source) {
  RunLog log;
  log.file = source.name();
  log.bytes = source.size();
  LogScanner scanner(log);
  core::BlockReader blocks(source, 0, source.size());
  std::string carry;      // the begun line, when it started in an earlier block
  bool skipping = false;  // inside the rest of an over-long line
  std::uint64_t line_offset = 0;
  std::uint64_t block_offset = 0;
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    const std::string_view text(reinterpret_cast<const char*>(block.data()), block.size());
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view part = text.substr(begin, end - begin);
      const bool complete = end < text.size();
      if (!skipping && (!complete || !carry.empty())) {
        carry += part;
      }
      if (carry.size() > kMaxLogLineBytes) {
        // The first part of an over-long line is still searched; its rest is not.
        scanner.line(carry, line_offset);
        scanner.over_long();
        carry.clear();
        skipping = true;
      }
      if (!complete) {
        break;
      }
      if (!skipping) {
        scanner.line(carry.empty() ? part : std::string_view(carry), line_offset);
      }
      carry.clear();
      skipping = false;
      begin = end + 1;
      line_offset = block_offset + begin;
    }
    block_offset += text.size();
  }
  if (!carry.empty()) {
    scanner.line(carry, line_offset);
  }
  return log;
}

}  // namespace rlverify::run
