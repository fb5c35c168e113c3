// SPDX-License-Identifier: Apache-2.0
// JUnit: the bytes of a small file, what counts as a failure, and text that would break XML.
#include <catch2/catch.hpp>

#include "report/renderers.h"
#include "report/view_support.h"

namespace rlverify::report {
namespace {

using test::contains;
using test::small_view;

TEST_CASE("junit: one test case per check, the first divergence in the failure", "[junit]") {
  CHECK(render_junit(small_view()) == R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="rlverify validate: run-1" tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="run-1" tests="3" failures="1" errors="0" skipped="1">
    <properties>
      <property name="run directory" value="runs/one"/>
    </properties>
    <testcase classname="rlverify.validate.run-1" name="weights">
      <system-out>passed: 3 files</system-out>
    </testcase>
    <testcase classname="rlverify.validate.run-1" name="log-probs">
      <failure type="failed" message="RLV-162: runs/one/side.pt, rank 4: train and rollout differ: expected train -0.5 (0xbf000000), found rollout -0.25 (0xbe800000)">error RLV-162: runs/one/side.pt, rank 4: train and rollout differ: expected train -0.5 (0xbf000000), found rollout -0.25 (0xbe800000)
</failure>
    </testcase>
    <testcase classname="rlverify.validate.run-1" name="train dumps">
      <skipped message="no evidence"/>
    </testcase>
  </testsuite>
</testsuites>
)xml");
}

TEST_CASE("junit: a required check without evidence is a failure, not a skip", "[junit]") {
  ReportView view = small_view();
  view.groups[0].checks[2].required = true;
  const std::string xml = render_junit(view);
  CHECK(contains(xml, "tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""));
  CHECK(contains(xml, "required, and there is no evidence: no evidence"));
  CHECK_FALSE(contains(xml, "<skipped"));
}

TEST_CASE("junit: an answer that did not pass has a failure whatever its checks say", "[junit]") {
  ReportView view = small_view();
  view.groups[0].checks.resize(1);
  CHECK(contains(render_junit(view), "name=\"verdict\""));
  view.exit_code = core::ExitCode::kPassed;
  CHECK_FALSE(contains(render_junit(view), "<failure"));
}

TEST_CASE("junit: nothing in an artifact breaks the XML", "[junit]") {
  const std::string xml = render_junit(test::hostile_view());
  CHECK(contains(xml, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; | `x`"));
  CHECK(contains(xml, "]]&gt;"));
  CHECK(contains(xml, "\\x1b[31m&quot;b&quot;&#39;c&#39;"));
  CHECK(contains(xml, "\\x0d\\x0a"));
  CHECK(contains(xml, "\xef\xbf\xbd\\ufffe"));  // a bad byte, then a noncharacter that XML forbids
  CHECK_FALSE(contains(xml, "<script"));
  for (const char c : xml) {
    const auto byte = static_cast<unsigned char>(c);
    REQUIRE((byte >= 0x20 || byte == '\n'));
    REQUIRE(byte != 0xFF);
  }
}

}  // namespace
}  // namespace rlverify::report
