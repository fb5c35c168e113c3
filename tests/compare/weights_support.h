// SPDX-License-Identifier: Apache-2.0
// Runs that consist of weights only, and short ways to compare them.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "compare/weights.h"
#include "core/test_support.h"
#include "run/run_directory.h"
#include "support/finding_lookup.h"
#include "tensor/safetensors_builder.h"

namespace rlverify::compare::test {

using core::test::TemporaryFolder;
using tensor::test::NamedBytes;
using tensor::test::raw;

/// A run directory with snapshots, audits and a manifest on request.
class WeightRun {
 public:
  explicit WeightRun(std::string name) : name_(std::move(name)) { make("weight-updates"); }

  /// One file of a version's snapshot.
  void file(const std::string& version, const std::string& name, const std::string& bytes) const {
    make("weight-updates/" + version);
    (void)folder_.write("weight-updates/" + version + "/" + name, bytes);
  }
  void snapshot(const std::string& version, const std::vector<NamedBytes>& tensors) const {
    file(version, "model.safetensors", tensor::test::safetensors(tensors));
  }
  void audit(const std::string& version, const std::string& json) const {
    make("weight-audit");
    (void)folder_.write("weight-audit/" + version + ".json", json);
  }
  void manifest(const std::string& json) const { (void)folder_.write("manifest.json", json); }
  [[nodiscard]] std::string path(const std::string& inside = "") const { return folder_.file(inside); }
  [[nodiscard]] WeightVersions weights(const std::string& directory = "") const {
    return weights_of(run::read_run_directory(folder_.file("")), name_, directory);
  }

 private:
  void make(const std::string& inside) const { std::filesystem::create_directories(folder_.file(inside)); }
  TemporaryFolder folder_;
  std::string name_;
};

inline WeightComparison compare(WeightVersions reference, WeightVersions candidate, const WeightOptions& options = {}) {
  core::ThreadPool pool(2);
  return compare_weights(reference, candidate, pool, options);
}
inline WeightComparison compare(const WeightRun& reference, const WeightRun& candidate) {
  return compare(reference.weights(), candidate.weights());
}

/// The finding of a code; fails when there is none.
inline core::Finding finding(const WeightComparison& comparison, const std::string& code) {
  return rlverify::test::finding(comparison.findings, code);
}
inline bool has_finding(const WeightComparison& comparison, const std::string& code) {
  return rlverify::test::find(comparison.findings, code) != nullptr;
}
inline bool contains(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace rlverify::compare::test
