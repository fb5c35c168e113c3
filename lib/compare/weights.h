// SPDX-License-Identifier: Apache-2.0
// Weights of two runs, version by version. A version is known by its tensors (a snapshot on disk) or by their digests
// (a weight audit, a sealed record). Two snapshots are compared by bytes, without hashing; a snapshot against digests
// is hashed once; two sets of digests are compared as text. Identity is the logical value (name, dtype, shape, C-order
// bytes): no file split, order, offset or container makes a difference (spec/documents.md sections 2 and 4). Finding
// codes: RLV-220 to 227 (tensor/model.h) and RLV-301 to 318.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/finding.h"
#include "core/progress.h"
#include "core/thread_pool.h"
#include "core/value.h"
#include "run/run_directory.h"
#include "run/weight_audit.h"
#include "tensor/difference.h"

namespace rlverify::compare {

/// Digests of one version's tensors.
struct WeightDigests {
  std::string sha256;  ///< over all tensors (run::audit_digest); in the older audit form, of its one tensor
  std::optional<std::uint64_t> tensor_count;  ///< as its file states it
  bool all_tensors = true;                    ///< false for the older audit form, which sampled one tensor
  std::vector<run::AuditTensor> tensors;
};

/// One version of one side.
struct WeightVersion {
  std::string name;                       ///< "weight_v000001"; kSingleModel for a model given by itself
  std::string snapshot;                   ///< path to open; empty where there are digests only
  std::string where;                      ///< for messages: the snapshot, or the file the digests come from
  std::optional<WeightDigests> digests;   ///< from an audit or a record
  std::optional<WeightDigests> computed;  ///< of the snapshot, once something had to hash it
};

/// Name of the one version of a side that was given as a single model.
inline constexpr std::string_view kSingleModel = "model";

/// All versions of one side, ascending by name.
struct WeightVersions {
  std::string side;  ///< the run's name, for messages
  std::vector<WeightVersion> versions;
  bool updates_required = false;  ///< the manifest's algorithm.require_updates
  core::Findings findings;        ///< of audits and folders that can't be used; compare_weights takes them over
};

/// The versions of a run directory: weight-updates/weight_v* where there are snapshots, weight-audit/*.json beside them
/// or instead. `weights_directory` (from --weights RUN=DIR) replaces the snapshots: a directory with versions below it,
/// or a single model (then there is one version). Throws core::InputError when `weights_directory` is not there or
/// holds neither.
[[nodiscard]] WeightVersions weights_of(const run::RunDirectory& run, std::string side,
                                        const std::string& weights_directory = "");
/// The versions of a sealed record: its member `weights`, {version: {sha256, tensor_count, tensors}}. An absent value
/// gives no versions.
[[nodiscard]] WeightVersions weights_of_record(core::Value weights, std::string side, const std::string& file);

/// What a section of the comparison looked at.
struct WeightCoverage {
  std::uint64_t files = 0;     ///< of both sides
  std::uint64_t tensors = 0;   ///< compared pairs
  std::uint64_t elements = 0;  ///< of one side
  std::uint64_t bytes = 0;     ///< of one side; digests against digests count none
  void add(const WeightCoverage& other);
};

enum class TensorVerdict : std::uint8_t {
  kDifferent,  ///< same dtype and shape, other elements
  kOtherShape,
  kOtherDtype,  ///< same shape
  kOnlyReference,
  kOnlyCandidate,
  kNotJudged,  ///< one side's tensor can't be read; a finding says why
};

/// One tensor that isn't equal.
struct TensorOutcome {
  std::string name;
  TensorVerdict verdict = TensorVerdict::kDifferent;
  std::string dtype;      ///< the reference's, as PyTorch prints it
  std::string reference;  ///< of the first differing element "0.5 (0x3f00)"; digest, shape or dtype where those differ
  std::string candidate;
  std::string first_index;                       ///< "[3, 17]"; empty where only digests are known
  std::optional<tensor::Difference> difference;  ///< two snapshots
  std::string hint;  ///< "candidate expert 4 equals reference expert 0 (shift -4)", "the candidate is all zero", ...
};

/// One version in the comparison document.
struct VersionComparison {
  std::string version;
  std::optional<bool> equal;  ///< null: no evidence on a side, or a part that can't be read and no difference elsewhere
  std::vector<std::string> different_tensors;  ///< sorted; a tensor that one side lacks is different
  std::vector<TensorOutcome> outcomes;         ///< the same tensors with what was found (and those not judged)
  bool by_digest = false;                      ///< at least one side is known by digests only: no element can be named
  std::string unavailable;                     ///< why `equal` is null
  WeightCoverage coverage;
};

/// The weights of a candidate against the reference.
struct WeightComparison {
  std::vector<VersionComparison>
      versions;  ///< newest first, as the comparison document has them; every version that a side has
  /// All versions equal; false where one differs or one side lacks it; null where nothing contradicts and something is
  /// without evidence.
  std::optional<bool> equal;
  std::uint64_t updates = 0;  ///< number of version steps of the reference (versions - 1)
  bool ever_changed = false;  ///< whether some step changed a weight, as far as it is known
  core::Findings findings;    ///< all of section kWeights, causes first
  WeightCoverage coverage;
};

struct WeightOptions {
  core::Progress* progress = nullptr;  ///< gets bytes, see bytes_to_compare
  /// Whether a run without any weight update fails (RLV-307) or is warned of (RLV-308); a side's own updates_required
  /// counts as well.
  bool updates_required = false;
};

/// Compares every version that either side has. Nothing in an artifact makes it throw: faults are findings. Snapshots
/// that had to be hashed keep their digests in `computed`, so that the reference is hashed once for all candidates.
[[nodiscard]] WeightComparison compare_weights(WeightVersions& reference, WeightVersions& candidate,
                                               core::ThreadPool& pool, const WeightOptions& options = {});

/// The size of the snapshots that compare_weights would read of one side, in bytes: the total for a Progress.
[[nodiscard]] std::uint64_t bytes_to_compare(const WeightVersions& reference, const WeightVersions& candidate);

/// A weight file in a sealed record: its data is covered by the tensors' digests, so only its header is hashed.
struct SealedWeightFile {
  std::string name;  ///< path as the version's `where` and the file below it
  std::uint64_t bytes = 0;
  std::string header_sha256;  ///< safetensors: of the first 8 + N bytes; other containers: of the whole file
};

/// What `seal` keeps of one version.
struct SealedWeights {
  std::string version;
  WeightDigests digests;
  std::vector<SealedWeightFile> files;
  WeightCoverage coverage;
};

/// Hashes every tensor of the version's snapshot once (spec/run-artifacts.md section 8), tensors spread over the pool,
/// longest first. A version with digests only is returned with them. Faults and non-finite weights are added to
/// `findings`.
[[nodiscard]] SealedWeights seal_weights(WeightVersion& version, core::ThreadPool& pool, core::Findings& findings,
                                         core::Progress* progress = nullptr);

}  // namespace rlverify::compare
