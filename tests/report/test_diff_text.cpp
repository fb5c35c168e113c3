// SPDX-License-Identifier: Apache-2.0
// Words, charts and tables of `diff`, and its text over small models.
#include <array>
#include <catch2/catch.hpp>

#include "diff/diff_support.h"
#include "report/diff_document.h"
#include "report/diff_text.h"
#include "report/diff_words.h"
#include "report/embedded.h"
#include "report/schema_check.h"
#include "report/text_chart.h"

namespace rlverify::report {
namespace {

using diff::Pattern;
using diff::PatternKind;
using diff::test::float_tensor;
using diff::test::Pair;

Pattern pattern(PatternKind kind, std::size_t dimension, std::uint64_t size, std::uint64_t first, std::uint64_t last) {
  Pattern out;
  out.kind = kind;
  out.dimension = dimension;
  out.size = size;
  out.first = first;
  out.last = last;
  out.indices = last - first + 1;
  out.density = 1;
  return out;
}

const std::vector<std::uint64_t> kMatrix = {1024, 256};

bool contains(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("numbers for people") {
  CHECK(bytes_text(1) == "1 byte");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(16060522496) == "15.0 GiB");
  CHECK(share_text(1, 1) == "100%");
  CHECK(share_text(999999, 1000000) == ">99.9%");
  CHECK(share_text(1, 1000000000) == "<0.001%");
  CHECK(share_text(1, 1000) == "0.100%");
  CHECK(share_text(1, 8) == "12.5%");
  CHECK(tolerance_text({1e-6, 0.5, 1000}) == "atol 1e-06, rtol 0.5, 1,000 ULP");
  CHECK(tolerance_text({}) == "equal bits");
}

TEST_CASE("each hint says what was seen, with its numbers") {
  CHECK(pattern_text(pattern(PatternKind::kStripe, 1, 256, 30, 36), kMatrix) ==
        "one stripe: only columns 30 to 36 of 256; all their elements differ");
  CHECK(pattern_text(pattern(PatternKind::kTail, 0, 1024, 700, 1023), kMatrix) ==
        "only the tail: rows 700 to 1,023 of 1,024; all their elements differ");
  Pattern rows = pattern(PatternKind::kIndices, 0, 1024, 17, 99);
  rows.indices = 3;
  rows.listed = {17, 40, 99};
  rows.density = 0.984;
  CHECK(pattern_text(rows, kMatrix) == "whole rows: only 3 of 1,024 rows (17, 40, 99); 98.4% of their elements differ");
  rows.density = 0.01;
  CHECK(pattern_text(rows, kMatrix) == "only 3 of 1,024 rows (17, 40, 99); 1% of their elements differ");
  Pattern vocabulary = pattern(PatternKind::kVocabulary, 0, 152064, 151936, 152063);
  vocabulary.vocabulary = 151936;
  CHECK(pattern_text(vocabulary, kMatrix) ==
        "only beyond the real vocabulary: rows 151,936 to 152,063 of 152,064, vocabulary 151,936; all their elements "
        "differ (padding that no token uses)");
  Pattern shard = pattern(PatternKind::kTensorParallel, 0, 1024, 256, 511);
  shard.part = 1;
  shard.parts = 4;
  CHECK(pattern_text(shard, kMatrix) ==
        "tensor-parallel shard: only rows 256 to 511 of 1,024, which is part 2 of 4; all their elements differ");
  Pattern chunks = pattern(PatternKind::kContextParallel, 0, 1000, 125, 874);
  chunks.part = 1;
  chunks.parts = 4;
  chunks.chunk = 125;
  const std::vector<std::uint64_t> sequence = {1000};
  CHECK(pattern_text(chunks, sequence) ==
        "context-parallel chunks: only elements in chunks 2 and 7 of 8 (125 each), those of rank 1 of 4; all their "
        "elements differ");
  Pattern shift;
  shift.kind = PatternKind::kConstantShift;
  shift.indices = 5000;
  shift.shift = 0.25;
  shift.exact_shift = true;
  CHECK(pattern_text(shift, kMatrix) == "constant shift: all 5,000 differences are 0.25");
  shift.exact_shift = false;
  CHECK(pattern_text(shift, kMatrix) ==
        "constant shift: all 5,000 differences are 0.25, up to the rounding of the dtype");
}

TEST_CASE("a histogram shows each count, the largest as the highest bar") {
  const std::array<std::uint64_t, 6> counts = {0, 1, 0, 50, 100, 0};
  CHECK(histogram_text(counts, -10, false) == "2^-9 |: *@| 2^-6");
  CHECK(histogram_text(counts, -10, true) == "2^-9 |▁ ▅█| 2^-6");
  const std::array<std::uint64_t, 2> nothing = {0, 0};
  CHECK(histogram_text(nothing, 0, true).empty());
}

TEST_CASE("positions fit the columns they get") {
  diff::PositionBins bins(10);
  for (std::uint64_t i = 0; i < 8; ++i) {
    bins.cover(i);
  }
  bins.mark(3);
  CHECK(positions_text(bins, 80, false) == "...@....  ");
  CHECK(positions_text(bins, 5, false) == ".*.. ");
  CHECK(positions_text(bins, 5, true) == ".▅.. ");
}

TEST_CASE("a name that is too wide has a line of its own") {
  TextOptions options;
  options.columns = 30;
  const std::vector<TableColumn> columns = {{"tensor", false}, {"count"}};
  CHECK(table_text(columns, {{"short", "1"}, {"a.name.that.is.longer.than.the.line", "22"}}, options) ==
        "  tensor                 count\n"
        "  short                      1\n"
        "  a.name.that.is.longer.than.the.line\n"
        "                            22\n");
}

TEST_CASE("the first line is the answer with what was compared") {
  const Pair pair({float_tensor("a", {2}, {1, 2}), float_tensor("b", {2}, {1, 2})},
                  {float_tensor("a", {2}, {1, 2}), float_tensor("b", {2}, {1, 2.5F})});
  TextOptions options;
  options.columns = 100;
  const std::string different = diff_text(pair.diff(), options);
  CHECK(different.substr(0, different.find('\n')) == "DIFFERENT  1 of 2 tensors, 1 of 4 elements (16 bytes compared)");
  CHECK(contains(different, "\n  first      b [1]: 2.0 (0x40000000) against 2.5 (0x40200000), 2,097,152 ULP apart,"));
  diff::DiffOptions tolerant;
  tolerant.tolerances = diff::Tolerances(diff::Tolerance{0.5, 0, 0});
  const std::string within = diff_text(pair.diff(tolerant), options);
  CHECK(within.substr(0, within.find('\n')) ==
        "WITHIN TOLERANCE  1 of 2 tensors differ, 1 of 4 elements (16 bytes compared)");
  CHECK(contains(within, "  tolerance  atol 0.5; 1 element with other bits is within it\n"));
  const Pair same({float_tensor("a", {2}, {1, 2})}, {float_tensor("a", {2}, {1, 2})});
  CHECK(diff_text(same.diff(), options) == "EQUAL  1 tensor, 2 elements (8 bytes compared)\n");
  const Pair other({float_tensor("a", {2}, {1, 2}), float_tensor("c", {1}, {1})},
                   {float_tensor("b", {2}, {1, 2}), float_tensor("c", {1}, {1})});
  const std::string names = diff_text(other.diff(), options);
  CHECK(names.substr(0, names.find('\n')) ==
        "DIFFERENT  0 of 1 tensor, 0 of 1 element, 1 missing, 1 added (4 bytes compared)");
  CHECK(contains(names, "error RLV-402: A tensor is missing\n"));
}

TEST_CASE("text of a name can't write to the terminal") {
  const Pair pair({float_tensor("w\\u001b[31m", {1}, {1})}, {float_tensor("w\\u001b[31m", {1}, {2})});
  const std::string text = diff_text(pair.diff(), {});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(contains(text, "w\\x1b[31m"));
}

TEST_CASE("documents of diff follow the schema of findings") {
  std::vector<float> values = diff::test::random_values(64 * 32, 1);
  std::vector<float> other = values;
  for (std::size_t i = 5 * 32; i < 6 * 32; ++i) {
    other[i] = -values[i];
  }
  const Pair pair({float_tensor("w", {64, 32}, values), float_tensor("gone", {1}, {1})},
                  {float_tensor("w", {64, 32}, other)});
  diff::DiffOptions options;
  options.per_position = true;
  for (const Document& document : {diff_document(pair.diff(options), "0.1.0"), diff_document(pair.diff(), "0.1.0")}) {
    CHECK(check_schema(document.root(), schema_text("findings")).empty());
    const core::Value tensor = document.root().get("tensors").at(0);
    CHECK(document.root().path({"diff", "answer"}).text() == "different");
    CHECK(tensor.get("different_elements").integer() == 32);
    CHECK(tensor.path({"first", "element"}).integer() == 160);
    CHECK(tensor.path({"detail", "patterns"}).at(0).get("kind").text() == "indices");
    CHECK(document.root().get("verdict").text() == "failed");
  }
}

}  // namespace rlverify::report
