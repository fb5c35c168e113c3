// SPDX-License-Identifier: Apache-2.0
// Markdown: the bytes of a small comment, escaping, and GitHub's limit on a comment's length.
#include <catch2/catch.hpp>

#include "report/renderers.h"
#include "report/view_support.h"

namespace rlverify::report {
namespace {

using test::contains;
using test::small_view;

TEST_CASE("markdown: verdict, table, first divergence, folded findings", "[markdown]") {
  CHECK(render_markdown(small_view()) ==
        "### \u274c rlverify validate: FAILED\n\n"
        "`run-1`; 3 checks: 1 passed, 1 failed, 1 unavailable\n\n"
        "| check | verdict | what was compared |\n|---|---|---|\n"
        "| weights | \u2705 passed | 3 files |\n"
        "| log-probs | \u274c failed | 16 files |\n"
        "| train dumps | \u2796 unavailable | no evidence |\n\n"
        "**First divergence**: RLV-162: Log-probs differ in bits (everything before is equal)\n\n"
        "- place: `runs/one/side.pt, rank 4`\n"
        "- expected: `train -0.5 (0xbf000000)`\n"
        "- found: `rollout -0.25 (0xbe800000)`\n\n"
        "<details>\n<summary>1 finding</summary>\n\n"
        "**error RLV-162**: Log-probs differ in bits\n\n"
        "- what: train and rollout differ\n"
        "- place: `runs/one/side.pt, rank 4`\n"
        "- expected: `train -0.5 (0xbf000000)`\n"
        "- found: `rollout -0.25 (0xbe800000)`\n\n"
        "</details>\n\n<sub>rlverify 0.1.0</sub>\n");
}

TEST_CASE("markdown: candidates with the same checks share a table", "[markdown]") {
  ReportView view = small_view();
  view.groups.push_back(view.groups[0]);
  view.groups[1].name = "a|b";
  const std::string text = render_markdown_summary(view);
  CHECK(contains(text, "| | weights | log-probs | train dumps |\n|---|---|---|---|\n"));
  CHECK(contains(text, "| `a\\|b` | \u2705 passed | \u274c failed | \u2796 unavailable |\n"));
  CHECK(contains(text, "`run-1`: **First divergence**"));
}

TEST_CASE("markdown: a group of other checks has a table of its own", "[markdown]") {
  ReportView view = small_view();
  view.groups.push_back(view.groups[0]);
  view.groups.push_back(view.groups[0]);
  view.groups[0].checks.resize(1);
  const std::string text = render_markdown_summary(view);
  CHECK(test::count_of(text, "| check | verdict |") == 1);
  CHECK(test::count_of(text, "| | weights | log-probs |") == 1);
}

TEST_CASE("markdown: no text of an artifact is markup, mention or reference", "[markdown]") {
  const std::string text = render_markdown(test::hostile_view());
  CHECK(contains(text, "\\<script\\>alert(1)\\</script\\> &amp; \\| \\`x\\` \\@&#8203;someone \\#&#8203;12"));
  CHECK(contains(text, "https\\://evil.example www\\.evil.example"));
  // Evidence stands as it is in code spans, whose fence is longer than any inside.
  CHECK(contains(text, "- found: `` a\\x1b[31m\"b\"'c' <script>"));
  for (std::size_t at = text.find(" <script>"); at != std::string::npos; at = text.find(" <script>", at + 1)) {
    const std::string line = text.substr(text.rfind('\n', at) + 1, at - text.rfind('\n', at) - 1);
    CHECK(test::count_of(line, "``") == 1);
  }
  CHECK_FALSE(contains(text, "\n::error"));
  CHECK_FALSE(contains(text, "\x1b"));
}

TEST_CASE("markdown: a comment stays below the limit and says what it leaves out", "[markdown]") {
  ReportView view = small_view();
  for (int i = 0; i < 2000; ++i) {
    view.groups[0].findings.push_back(
        test::finding("RLV-330", core::Section::kLogProbs, std::string(300, 'x') + std::to_string(i)));
  }
  view.groups[0].first->what = std::string(100000, 'y');
  for (int i = 0; i < 300; ++i) {
    view.groups.push_back(view.groups[0]);
    view.groups.back().name = std::string(500, 'z');
    view.groups.back().findings.clear();
  }
  const std::string text = render_markdown(view);
  CHECK(text.size() < 65536);
  CHECK(contains(text, "more don't fit here"));
  CHECK(contains(text, "more rows."));
  CHECK(contains(text, "more first divergences."));
  CHECK(contains(text, "... (100,000 bytes)"));
}

}  // namespace
}  // namespace rlverify::report
