// SPDX-License-Identifier: Apache-2.0
// Tables of rule tests: each row changes one thing in a run that passes, and names the codes that this must give,
// nothing but those, and a part of a sentence that tells this failure from others of the same code.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "readback/readback_test_support.h"

namespace rlverify::readback::test {

using rlverify::test::readback_path;

struct RuleCase {
  const char* rule;
  std::function<void(TestRun&)> change;
  const char* codes;
  const char* sentence;
};

/// Replaces the one `from` of a file.
inline std::function<void(TestRun&)> in(const std::string& path, const std::string& from, const std::string& to) {
  return [=](TestRun& run) { run.replace(path, from, to); };
}
inline std::function<void(TestRun&)> all_in(const std::string& path, const std::string& from, const std::string& to) {
  return [=](TestRun& run) { run.replace_all(path, from, to); };
}
inline std::function<void(TestRun&)> manifest(const std::string& from, const std::string& to) {
  return in("manifest.json", from, to);
}
inline std::function<void(TestRun&)> log(const std::string& from, const std::string& to) {
  return in("run.log", from, to);
}
/// In the record of the attention module of one readback.
inline std::function<void(TestRun&)> attention(const std::string& framework, const std::string& from,
                                               const std::string& to) {
  return [=](TestRun& run) {
    std::string& text = run.files.at(readback_path(framework, 3));
    const std::size_t at = text.find(from, text.find("\"operators\""));
    REQUIRE(at < text.find("\"ffn\": {"));
    text.replace(at, from.size(), to);
  };
}
inline std::function<void(TestRun&)> every_readback(const std::string& framework, const std::string& from,
                                                    const std::string& to) {
  return [=](TestRun& run) {
    for (int rank = 0; rank < 8; ++rank) {
      run.replace_all(readback_path(framework, rank), from, to);
    }
  };
}

inline void check_all(const std::vector<RuleCase>& cases, const std::function<TestRun()>& base) {
  REQUIRE(judge(base()).sentences().empty());
  for (const RuleCase& row : cases) {
    CAPTURE(row.rule, row.sentence);
    TestRun run = base();
    row.change(run);
    const Judged judged = judge(run);
    CAPTURE(judged.sentences());
    CHECK(judged.codes() == row.codes);
    CHECK(judged.sentences().find(row.sentence) != std::string::npos);
  }
}

/// Changes that must not fail.
inline void check_none(const std::vector<std::function<void(TestRun&)>>& changes,
                       const std::function<TestRun()>& base) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    TestRun run = base();
    changes[i](run);
    CHECK(judge(run).sentences().empty());
  }
}

}  // namespace rlverify::readback::test
