// SPDX-License-Identifier: Apache-2.0
// The sidecars of a small passing run (4 TP, 2 CP, 2 calls of 2 samples), changed payload by payload, surveyed and
// judged by the reference rules.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/reference_rules.h"
#include "support/finding_lookup.h"
#include "support/pt_writer.h"
#include "support/test_run.h"

namespace rlverify::sidecar::test {

using rlverify::test::PtValue;

inline constexpr Layout kLayout = {rlverify::test::kTensorParallel, rlverify::test::kContextParallel};

struct Sidecars {
  struct File {
    std::string name;
    PtValue payload;
    std::string bytes;  ///< instead of the payload, when not empty
  };
  std::vector<File> files;
  Layout layout = kLayout;
  bool require_exact = true;

  Sidecars() {
    for (int rank = 0; rank < rlverify::test::kRanks; ++rank) {
      for (int call = 0; call < rlverify::test::kRounds; ++call) {
        files.push_back(
            {rlverify::test::sidecar_path(rank, call).substr(18), rlverify::test::sidecar_payload(rank, call), ""});
      }
    }
  }
  File& file(int rank, int call) { return files.at(static_cast<std::size_t>(rank * rlverify::test::kRounds + call)); }
  PtValue& payload(int rank, int call) { return file(rank, call).payload; }
  /// Applies `change` to the payload of every TP rank of a context-parallel rank.
  template <typename Change>
  void change_replicas(int cp_rank, int call, const Change& change) {
    for (int tp = 0; tp < rlverify::test::kTensorParallel; ++tp) {
      change(payload(cp_rank * rlverify::test::kTensorParallel + tp, call));
    }
  }
  void remove_rank(int rank) {
    const std::string prefix = "rank0000" + std::to_string(rank);
    files.erase(std::remove_if(files.begin(), files.end(),
                               [&prefix](const File& file) { return file.name.rfind(prefix, 0) == 0; }),
                files.end());
  }
};

struct Judged {
  std::vector<SurveyedFile> files;
  SidecarSection section;
  core::Findings findings;

  /// "RLV-156 RLV-162": the codes of all findings, sorted, each once.
  [[nodiscard]] std::string codes() const { return rlverify::test::codes(findings); }
  [[nodiscard]] const core::Finding& finding(const std::string& code) const {
    return *std::find_if(findings.list().begin(), findings.list().end(),
                         [&code](const core::Finding& finding) { return finding.code == code; });
  }
};

inline Judged judge(const Sidecars& sidecars) {
  Judged judged;
  for (const Sidecars::File& file : sidecars.files) {
    const std::string bytes = file.bytes.empty() ? rlverify::test::write_pt(file.payload) : file.bytes;
    judged.files.push_back(survey_sidecar(std::make_unique<core::MemorySource>("mismatch-sidecars/" + file.name, bytes),
                                          file.name, sidecars.layout));
    for (Shard& shard : judged.files.back().shards) {
      shard.file = static_cast<std::uint32_t>(judged.files.size() - 1);
    }
  }
  const MergedShards merged = merge_shards(judged.files);
  judged.section = measure_sidecars(judged.files, merged, sidecars.require_exact);
  sidecar_rules(judged.files, merged, sidecars.layout, judged.section, judged.findings);
  return judged;
}

}  // namespace rlverify::sidecar::test
