// SPDX-License-Identifier: Apache-2.0
// The text of a verdict, line by line, and its manners: width, colour, ASCII, and artifacts that try to write to the
// terminal.
#include <catch2/catch.hpp>

#include "report/finding_text.h"
#include "report/report_support.h"
#include "report/text_layout.h"
#include "report/utf8.h"
#include "report/validation_document.h"

using namespace rlverify;

namespace {

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, report::display_width(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

std::string without_line_breaks(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c != '\n' && c != ' ') {
      out += c;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a passing run") {
  const report::test::Filled filled = report::test::passing();
  CHECK(report::validation_text(filled.result, {}) ==
        "PASSED pcp2-ipc-r3 (reference rules)\n"
        "9 checks (9 passed, 0 failed, 0 unavailable), 57 files, 16,384 elements\n"
        "\n"
        "  launch        passed       2 files\n"
        "  run log       passed       1 file\n"
        "  backends      passed       8 processes of megatron/training, 11 processes of\n"
        "                             vllm/rollout\n"
        "  prefill CP    passed       2 ranks, 4 workers expected on each\n"
        "  CUDA graphs   passed       launcher marker, engine mode, not eager, capture\n"
        "                             sizes\n"
        "  weights       passed       3 files, 1,197 tensors\n"
        "  log-probs     passed       16 files, 16 samples, 0 of 8,192 elements differ in\n"
        "                             bits\n"
        "  step records  passed       2 step records\n"
        "  train dumps   passed       16 of 16 files hold training log-probs\n");
}

TEST_CASE("a failing run shows every fault with its evidence") {
  const report::test::Filled filled = report::test::failing();
  report::TextOptions options;
  options.unicode = false;
  const std::string text = report::validation_text(filled.result, options);
  CHECK(text.substr(0, text.find('\n')) == R"(FAILED l\u00e4uft \U0001f642 \ud800 "q"\\x7f\x0a (reference rules))");
  CHECK(text.find("\nerror RLV-901: has the wrong value\n"
                  "  place     manifest.json, topology.tp\n"
                  "  expected  4\n"
                  "  found     3\n"
                  "  count     2 times, also at manifest.json, topology.cp\n") != std::string::npos);
  CHECK(text.find("\nwarning RLV-905: a temporary file is left\n") != std::string::npos);
  CHECK(text.find("error RLV-901") < text.find("error RLV-902"));
  CHECK(text.find("error RLV-904") < text.find("warning RLV-905"));
}

TEST_CASE("a consequence names its cause") {
  report::test::Filled filled = report::test::passing();
  core::Finding consequence = report::test::finding(core::Section::kDumps, "RLV-906", "not evaluated", {}, "", "");
  consequence.because_of = "RLV-902";
  filled.result.findings.add(consequence);
  CHECK(report::validation_text(filled.result, {}).find("error RLV-906: because of RLV-902: not evaluated\n") !=
        std::string::npos);
}

TEST_CASE("a run that can't be judged is FAILED") {
  report::ValidationResult result;
  result.run_directory = "/runs/x";
  result.rules = report::RuleSet::kStrict;
  result.gives_up = "ValueError: x";
  CHECK(report::validation_text(result, {}).substr(0, 55) ==
        "FAILED /runs/x (strict rules): the run can't be judged\n");
}

TEST_CASE("every line fits and no evidence is lost") {
  report::test::Filled filled = report::test::failing();
  const std::string long_word(300, 'w');
  filled.result.findings.add(report::test::finding(core::Section::kLog, "RLV-907", "what",
                                                   report::test::in_field("run.log", "a b c d e f"),
                                                   "a value of many words " + long_word, long_word));
  for (const unsigned columns : {40U, 80U, 120U}) {
    report::TextOptions options;
    options.columns = columns;
    const std::string text = report::validation_text(filled.result, options);
    CHECK(widest_line(text) <= columns);
    CHECK(without_line_breaks(text).find("found" + long_word) != std::string::npos);
  }
}

TEST_CASE("colour is there only when asked for, and changes nothing else") {
  const report::test::Filled filled = report::test::failing();
  report::TextOptions options;
  const std::string plain = report::validation_text(filled.result, options);
  CHECK(plain.find('\x1b') == std::string::npos);
  options.colour = true;
  std::string coloured = report::validation_text(filled.result, options);
  CHECK(coloured.substr(0, 17) == "\x1b[1;31mFAILED\x1b[0m");
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  CHECK(coloured == plain);
}

TEST_CASE("an artifact can't write to the terminal") {
  CHECK(report::printable("a\x1b[31m\r\n\x7f", false) == "a\\x1b[31m\\x0d\\x0a\\x7f");
  CHECK(report::printable("\xC2\x9B", false) == "\\x9b");
  CHECK(report::printable("\xE2\x80\xAE", false) == "\\u202e");
  CHECK(report::printable("\xC3\xA4", false) == "\xC3\xA4");
  CHECK(report::printable("\xC3\xA4", true) == "\\u00e4");
  CHECK(report::printable("\xFF\xC3", true) == "\\ufffd\\ufffd");
  CHECK(report::printable("\xFF", false) == "\xEF\xBF\xBD");
}

TEST_CASE("sentences of findings") {
  core::Finding finding =
      report::test::finding(core::Section::kLog, "RLV-1", "is odd", report::test::in_field("f", ""), "", "5");
  CHECK(report::finding_sentence(finding) == "f: is odd: found 5");
  finding.place = {};
  finding.expected = "4";
  finding.count = 1234;
  CHECK(report::finding_sentence(finding) == "is odd: expected 4, found 5 (1,234 times)");
}

TEST_CASE("wrapping") {
  CHECK(report::wrapped("a:", "one two three four five six", 4, 24) == "a:  one two three four\n    five six\n");
  CHECK(report::wrapped("a label   ", "one two three four", 10, 24) == "a label\n    one two three four\n");
  CHECK(report::wrapped("a:", "", 4, 24) == "a:\n");
  CHECK(report::wrapped("", "0123456789012345678901234", 0, 20) == "01234567890123456789\n01234\n");
}
