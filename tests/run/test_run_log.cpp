// SPDX-License-Identifier: Apache-2.0
// The run log from raw bytes: what is kept of records and other lines, wherever blocks, line ends and bad bytes fall.
#include <catch2/catch.hpp>
#include <string>

#include "core/python_value.h"
#include "core/test_support.h"
#include "run/run_log.h"

namespace rlverify::run {
namespace {

RunLog read(std::string_view text) {
  return read_run_log(core::MemorySource("run.log", text));
}

std::string payload(const RunLog& log, std::size_t index) {
  return core::python_repr(log.payload(log.records.at(index)));
}

/// A log whose record begins `before` bytes before the end of the reader's first block.
RunLog across_blocks(std::size_t before, const std::string& record) {
  const std::string start = "first\n" + std::string((1U << 20) - before - 7, '.') + "\n";
  return read(start + record + "\nlast\n");
}

}  // namespace

TEST_CASE("Records in file order, duplicates included, with their places") {
  const RunLog log =
      read("noise\n(A pid=11) x - step 0: {'a': 1}\nstep 0: {'a': 2}\nperf 1: {'b': 3}\ncritic-step 4: {'c': 5}\n");
  REQUIRE(log.records.size() == 4);
  CHECK(log.lines == 5);
  CHECK(log.records[0].line == 2);
  CHECK(log.records[0].offset == 21);
  CHECK(log.records[0].actor == "A");
  CHECK(log.records[0].pid == 11);
  CHECK(log.records[0].public_matches);
  CHECK(log.records[0].public_parses);
  CHECK(payload(log, 0) == "{'a': 1}");
  CHECK(payload(log, 1) == "{'a': 2}");
  CHECK(log.records[2].kind == RecordKind::kPerf);
  CHECK(log.records[3].role == "critic");
  CHECK(log.records[0].digest != log.records[1].digest);
}

TEST_CASE("What only we can read is marked") {
  const RunLog log = read(
      "step 0: {'a': np.float64(0.5)}\nstep 1: {'a': 1}\x1b[0m\nstep 2: {'a': 1} [repeated 4x across cluster]\nstep 3: "
      "{'a': x}\nstep 4: {1, 2}\nstep 5: {'a': 1\n");
  REQUIRE(log.records.size() == 6);
  for (const LogRecord& record : log.records) {
    CHECK_FALSE(record.public_parses);
  }
  CHECK(payload(log, 0) == "{'a': 0.5}");
  CHECK(payload(log, 1) == "{'a': 1}");
  CHECK(log.records[2].repeated == 4);
  CHECK(log.records[3].payload == core::kNoNode);
  CHECK(log.records[3].problem == "at byte 6: a name that no literal has: x");
  CHECK(log.records[4].problem == "the payload is no dict");
  CHECK(log.records[4].payload == core::kNoNode);
  CHECK(log.records[5].unterminated);
  REQUIRE(log.repeated.size() == 1);
  CHECK(log.repeated[0].line == 3);
}

TEST_CASE("Lines end where Python ends them") {
  const RunLog crlf = read("step 0: {'a': 1}\r\nstep 1: {'a': 2}\r\n");
  CHECK(crlf.records.size() == 2);
  CHECK(crlf.lines == 2);
  const RunLog pieces = read("step 0: {'a': 1}\rstep 1: {'a': 2}\xE2\x80\xA8step 2: {}");
  REQUIRE(pieces.records.size() == 3);
  CHECK(pieces.lines == 1);
  CHECK(pieces.records[1].offset == 17);
  CHECK(pieces.records[2].offset == 36);
  CHECK(pieces.records[2].public_parses);
  CHECK(read("step 0: {'a': '\v'}").records.at(0).unterminated);
}

TEST_CASE("No line end, no lines, empty lines") {
  CHECK(read("").lines == 0);
  CHECK(read("step 0: {}").records.size() == 1);
  CHECK(read("\n\n").lines == 2);
}

TEST_CASE("Bad bytes are replaced, as the public validator replaces them") {
  const RunLog log = read("\xFF\xFE step 0: {'a': '\xFF'}\n");
  REQUIRE(log.records.size() == 1);
  CHECK(log.records[0].public_parses);
  CHECK(log.payload(log.records[0]).get("a").text() == "\xEF\xBF\xBD");
  CHECK(read(std::string_view("step 0: {'a': '\0'}\n", 19)).records.at(0).problem == "a NUL byte");
}

TEST_CASE("A record that spans two blocks is one record") {
  const std::string record = "step 7: {'key': 'value', 'other': 0.5}";
  for (std::size_t before = 0; before <= record.size() + 1; ++before) {
    CAPTURE(before);
    const RunLog log = across_blocks(before, record);
    REQUIRE(log.records.size() == 1);
    CHECK(log.records[0].number == 7);
    CHECK(log.records[0].line == 3);
    CHECK(log.records[0].offset == (1U << 20) - before);
    CHECK(payload(log, 0) == "{'key': 'value', 'other': 0.5}");
    CHECK(log.lines == 4);
  }
}

TEST_CASE("A line over many blocks is one line, up to the cap") {
  const std::string filler(3U << 20, ' ');
  const RunLog log = read("a\nstep 0: {'x': 1," + filler + "'y': 2}\nstep 1: {}\n");
  REQUIRE(log.records.size() == 2);
  CHECK(payload(log, 0) == "{'x': 1, 'y': 2}");
  CHECK(log.records[1].line == 3);
  CHECK(log.over_long.empty());
}

TEST_CASE("A line beyond the cap is told and the next one is read") {
  const std::string filler(kMaxLogLineBytes + (2U << 20), '.');
  const RunLog log =
      read("step 0: {}\nenforce_eager=False " + filler + " Traceback (most recent call last)\nstep 1: {}\n");
  REQUIRE(log.records.size() == 2);
  CHECK(log.records[1].line == 3);
  CHECK(log.records[1].public_parses);
  REQUIRE(log.over_long.size() == 1);
  CHECK(log.over_long[0].line == 2);
  CHECK(log.not_eager.size() == 1);
  CHECK(log.traceback.empty());
  CHECK(log.lines == 3);
}

TEST_CASE("Marks of CUDA graphs") {
  const RunLog log = read(
      "[RL-Kernel] required vLLM full-decode CUDA Graph capture sizes: [1,2]\n"
      "strict vLLM full-decode CUDA Graph capture sizes: [1,2,3] tail\n"
      "x 'cudagraph_mode': <CUDAGraphMode.FULL_DECODE_ONLY: (2, 0)>, 'cudagraph_capture_sizes': [1, 2], "
      "enforce_eager=False\n"
      "{\"cudagraph_capture_sizes\":[1,2]}\n"
      "cudagraph_capture_sizes=[1]\n"
      "WARNING cudagraph capture sizes were truncated to 40\n"
      "enforce_eager=True\n");
  REQUIRE(log.launcher_capture_sizes.size() == 2);
  CHECK(log.launcher_capture_sizes[0].text == "[1,2]");
  CHECK(log.launcher_capture_sizes[1].text == "[1,2,3] tail");
  CHECK(log.full_decode_only);
  REQUIRE(log.capture_sizes_repr.size() == 1);
  CHECK(log.capture_sizes_repr[0].text == "[1, 2], enforce_eager=False");
  CHECK(log.capture_sizes_json.at(0).text == "[1,2]}");
  CHECK(log.capture_sizes_other.at(0).text == "=[1]");
  CHECK(log.capture_warnings.at(0).line == 6);
  CHECK(log.not_eager.at(0).line == 3);
  CHECK(log.eager.at(0).line == 7);
}

TEST_CASE("FULL_DECODE_ONLY must follow on the same line") {
  CHECK_FALSE(read("FULL_DECODE_ONLY cudagraph_mode\n").full_decode_only);
  CHECK_FALSE(read("cudagraph_mode\nFULL_DECODE_ONLY\n").full_decode_only);
  CHECK(read("cudagraph_mode\rFULL_DECODE_ONLY\n").full_decode_only);  // the pattern's dot takes a CR
}

TEST_CASE("fallback=true in any case, and nothing else") {
  for (const char* const text : {"fallback=true", "x FALLBACK=True y", "use_fallback=TRUEish", "a=b fallback=true"}) {
    CAPTURE(text);
    CHECK(read(text).fallback_true.size() == 1);
  }
  for (const char* const text :
       {"fallback=false", "fallback = true", "fallback: True", "\"fallback\": true", "fallbac=true", "=true"}) {
    CAPTURE(text);
    CHECK(read(text).fallback_true.empty());
  }
}

TEST_CASE("The other marks") {
  const RunLog log = read(
      "rlkernel mismatch sidecar active: logp_case=P/P\n"
      "linear_logp native active: backend_id=vime.utils.ppo_utils.calculate_log_probs_and_entropy "
      "contract_id=vime.native.linear_logp.v1 route=unconfigured device=cuda\n"
      "Traceback (most recent call last):\nTraceback (most recent call last):\nJob 'vime200-x' succeeded\n");
  CHECK(log.sidecar_route.at(0).text == "P/P");
  CHECK(log.native_logp.size() == 1);
  REQUIRE(log.traceback.size() == 1);
  CHECK(log.traceback[0].count == 2);
  CHECK(log.traceback[0].line == 3);
  CHECK(log.job_ids.at(0).text == "vime200-x");
  CHECK(read("linear_logp native active: backend_id=other\n").native_logp.empty());
}

TEST_CASE("A log that repeats a mark in other words keeps some and says so") {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "fallback=true " + std::to_string(i) + "\n";
  }
  const RunLog log = read(text);
  CHECK(log.fallback_true.size() == 256);
  CHECK(log.marks_overflow);
  CHECK_FALSE(read("fallback=true 1\nfallback=true 2\n").marks_overflow);
}

}  // namespace rlverify::run
