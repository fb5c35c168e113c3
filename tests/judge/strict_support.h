// SPDX-License-Identifier: Apache-2.0
// Whole runs judged by the strict rules: a run is written to disk once, changed file by file, judged, and put back.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/test_support.h"
#include "judge/judge.h"
#include "report/finding_text.h"
#include "support/test_run.h"

namespace rlverify::judge::test {

using core::test::TemporaryFolder;
using rlverify::test::passing_run;
using rlverify::test::PtValue;
using rlverify::test::TestRun;

struct Judged {
  core::ExitCode exit_code = core::ExitCode::kInternal;
  std::string errors;     ///< "RLV-105 RLV-162": codes of causes that are errors, sorted, each once
  std::string milder;     ///< the same for warnings ("RLV-113w") and notes ("RLV-176n")
  std::string sentences;  ///< all findings, one a line: code, sentence, hint

  [[nodiscard]] bool says(const std::string& text) const { return sentences.find(text) != std::string::npos; }
};

inline Judged describe(const report::ValidationResult& result) {
  Judged judged;
  judged.exit_code = result.exit_code();
  std::set<std::string> errors;
  std::set<std::string> milder;
  for (const core::Finding& finding : result.findings.list()) {
    if (finding.severity != core::Severity::kError) {
      milder.insert(finding.code + (finding.severity == core::Severity::kWarning ? "w" : "n"));
    } else if (finding.because_of.empty()) {
      errors.insert(finding.code);
    }
    judged.sentences += finding.code + " " + report::finding_sentence(finding) + " | " + finding.hint + "\n";
  }
  const auto join = [](const std::set<std::string>& codes) {
    std::string text;
    for (const std::string& code : codes) {
      text += (text.empty() ? "" : " ") + code;
    }
    return text;
  };
  judged.errors = join(errors);
  judged.milder = join(milder);
  return judged;
}

/// A run on disk that is changed and put back.
class RunOnDisk {
 public:
  explicit RunOnDisk(TestRun run) : run_(std::move(run)), pool_(1) { run_.write(path()); }

  [[nodiscard]] const TestRun& run() const { return run_; }
  [[nodiscard]] std::string path() const { return folder_.file("run"); }

  /// Judges the run with these files in place of its own; an empty optional removes one.
  using Changes = std::map<std::string, std::optional<std::string>>;
  [[nodiscard]] report::ValidationResult judge(const Changes& changes) {
    for (const auto& [name, bytes] : changes) {
      put(name, bytes);
    }
    read_ = run::read_run_directory(path());
    report::ValidationResult result = judge_run(read_, report::RuleSet::kStrict, pool_, false);
    for (const auto& [name, bytes] : changes) {
      const auto original = run_.files.find(name);
      put(name, original == run_.files.end() ? std::nullopt : std::optional<std::string>(original->second));
    }
    return result;
  }

 private:
  void put(const std::string& name, const std::optional<std::string>& bytes) const {
    const std::filesystem::path target = std::filesystem::path(path()) / name;
    if (!bytes) {
      std::filesystem::remove(target);
      return;
    }
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary).write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  }

  TestRun run_;
  TemporaryFolder folder_;
  core::ThreadPool pool_;
  run::RunDirectory read_;  ///< the result points into it
};

/// The strict verdict on a run.
inline Judged judge(const TestRun& run) {
  RunOnDisk disk(run);
  return describe(disk.judge({}));
}

using Change = std::function<void(TestRun&)>;
inline Judged judge_changed(const Change& change) {
  TestRun run = passing_run();
  change(run);
  return judge(run);
}

/// A change that breaks a rule: the codes of the causes, exactly, and a part of what is said.
struct Failing {
  const char* name;
  Change change;
  const char* errors;
  const char* says;
};
inline void check(const std::vector<Failing>& cases) {
  for (const Failing& one : cases) {
    const Judged judged = judge_changed(one.change);
    CAPTURE(one.name, judged.sentences);
    CHECK(judged.errors == one.errors);
    CHECK(judged.exit_code == core::ExitCode::kFailed);
    CHECK(judged.says(one.says));
  }
}

/// A change that breaks none: the warnings and notes, exactly.
struct Passing {
  const char* name;
  Change change;
  const char* milder;
};
inline void check_passes(const std::vector<Passing>& cases) {
  for (const Passing& one : cases) {
    const Judged judged = judge_changed(one.change);
    CAPTURE(one.name, judged.sentences);
    CHECK(judged.errors.empty());
    CHECK(judged.exit_code == core::ExitCode::kPassed);
    CHECK(judged.milder == one.milder);
  }
}

/// Replaces one text of a file.
inline Change replace(const std::string& path, const std::string& from, const std::string& to) {
  return [=](TestRun& run) { run.replace(path, from, to); };
}
inline Change replace_all(const std::string& path, const std::string& from, const std::string& to) {
  return [=](TestRun& run) { run.replace_all(path, from, to); };
}
/// Appends to run.log.
inline Change log_line(const std::string& line) {
  return [=](TestRun& run) { run.files.at("run.log") += line + "\n"; };
}
inline Change all_of(std::vector<Change> changes) {
  return [changes = std::move(changes)](TestRun& run) {
    for (const Change& change : changes) {
      change(run);
    }
  };
}
/// Changes the payloads of some ranks' sidecars of one call.
inline Change sidecars(std::vector<int> ranks, int call, const std::function<void(PtValue&)>& edit) {
  return [ranks = std::move(ranks), call, edit](TestRun& run) {
    for (const int rank : ranks) {
      PtValue payload = rlverify::test::sidecar_payload(rank, call);
      edit(payload);
      run.files[rlverify::test::sidecar_path(rank, call)] = rlverify::test::write_pt(payload);
    }
  };
}
inline Change dumps(std::vector<int> ranks, int call, const std::function<void(PtValue&)>& edit) {
  return [ranks = std::move(ranks), call, edit](TestRun& run) {
    for (const int rank : ranks) {
      PtValue payload = rlverify::test::dump_payload(rank, call);
      edit(payload);
      run.files[rlverify::test::dump_path(rank, call)] = rlverify::test::write_pt(payload);
    }
  };
}
/// Sets element `index` of a float32 vector of a payload.
inline void set_float(PtValue& vector, std::size_t index, float value) {
  std::memcpy(vector.tensor().bytes.data() + index * sizeof value, &value, sizeof value);
}
/// The same value on both sides.
inline std::function<void(PtValue&)> both_sides(std::size_t sample, std::size_t index, float value) {
  return [=](PtValue& payload) {
    set_float(payload["train_log_probs"].at(sample), index, value);
    set_float(payload["rollout_log_probs"].at(sample), index, value);
  };
}
/// All ranks that hold the pieces of context-parallel rank 0 or 1.
inline std::vector<int> replicas_of(int cp_rank) {
  return cp_rank == 0 ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{4, 5, 6, 7};
}
inline std::vector<int> all_ranks() {
  return {0, 1, 2, 3, 4, 5, 6, 7};
}
/// The whole record of a step in the run's log, with its line end.
inline std::string step_record(const TestRun& run, int step) {
  const std::string& log = run.files.at("run.log");
  const std::size_t at = log.find("step " + std::to_string(step) + ": {");
  const std::size_t begin = log.rfind('\n', at) + 1;
  return log.substr(begin, log.find('\n', at) + 1 - begin);
}
inline Change without_step(int step) {
  return [step](TestRun& run) { run.replace("run.log", step_record(run, step), ""); };
}
inline std::string megatron(int rank) {
  return rlverify::test::readback_path("megatron", rank);
}
inline std::string vllm(int rank) {
  return rlverify::test::readback_path("vllm", rank);
}

}  // namespace rlverify::judge::test
