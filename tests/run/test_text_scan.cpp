// SPDX-License-Identifier: Apache-2.0
// Python's view of characters on raw bytes; the expected answers are CPython 3.11's.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "run/text_scan.h"

namespace rlverify::run {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<LinePiece> pieces;
  split_python_lines(text, pieces);
  std::vector<std::string> out;
  for (const LinePiece& piece : pieces) {
    out.emplace_back(text.substr(piece.begin, piece.end - piece.begin));
  }
  return out;
}

}  // namespace

TEST_CASE("A line is split where str.splitlines splits it") {
  CHECK(split("").empty());
  CHECK(split("ab") == std::vector<std::string>{"ab"});
  CHECK(split("ab\r") == std::vector<std::string>{"ab"});
  CHECK(split("\rab") == std::vector<std::string>{"", "ab"});
  for (const char* const separator :
       {"\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    CAPTURE(separator);
    CHECK(split(std::string("a") + separator + "b") == std::vector<std::string>{"a", "b"});
  }
  for (const char* const other : {"\x1f", "\t", "\x1b", "\xC2\xA0", "\xE2\x80\xA7", "\xC2", "\xE2\x80", "\x85"}) {
    CAPTURE(other);
    CHECK(split(std::string("a") + other + "b").size() == 1);
  }
}

TEST_CASE("Bad bytes become one replacement character per maximal part") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(decode_with_replacement("a\xFF"
                                "b") == "a" + bad + "b");
  CHECK(decode_with_replacement("\xC3") == bad);
  CHECK(decode_with_replacement("\xE2\x80"
                                "a") == bad + "a");
  CHECK(decode_with_replacement("\xF0\x9F\x99") == bad);
  CHECK(decode_with_replacement("\xC0\xAF") == bad + bad);            // overlong
  CHECK(decode_with_replacement("\xED\xA0\x80") == bad + bad + bad);  // a surrogate
  CHECK(decode_with_replacement("\xF4\x90\x80\x80") == bad + bad + bad + bad);
  CHECK(decode_with_replacement("\xC3\xA9") == "\xC3\xA9");
  CHECK(is_valid_utf8("\xF0\x9F\x99\x82"));
  CHECK_FALSE(is_valid_utf8("\xF0\x9F\x99"));
}

TEST_CASE("Characters before a position") {
  CHECK(character_before("a\xC3\xA9", 3).code == 0xE9);
  CHECK(character_before("a\xC3\xA9", 1).code == 'a');
  CHECK(character_before("a", 0).bytes == 0);
  CHECK(character_before("\xA9", 1).code == 0xFFFD);
  CHECK(character_before("a\xA9", 2).code == 0xFFFD);
}

TEST_CASE("Colour codes are removed, other escapes are not") {
  CHECK(strip_csi("\x1b[32mSUCCEEDED\x1b[39m") == "SUCCEEDED");
  CHECK(strip_csi("\x1b[1;38;5;4m x \x1b[?25l") == " x ");
  CHECK(strip_csi("\x1b[ q") == "");
  CHECK(strip_csi("\x1b[32") == "\x1b[32");
  CHECK(strip_csi("\x1b]0;title\x07") == "\x1b]0;title\x07");
  CHECK(strip_csi("\x1b\x1b[0m") == "\x1b");
  CHECK(strip_csi("\x1b[") == "\x1b[");
}

}  // namespace rlverify::run
