// SPDX-License-Identifier: Apache-2.0
// Two snapshots are never hashed; where one side has digests only, the other side's snapshot is hashed once and keeps
// them for the next candidate.
#include "compare/weights_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "compare/weights_hash.h"
#include "compare/weights_snapshots.h"
#include "tensor/model.h"

namespace rlverify::compare {
namespace {

using tensor::Model;

template <typename Sizes>
std::string shape_text(const Sizes& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// The snapshot of a version; null with a finding when it can't be opened.
std::shared_ptr<Model> open_snapshot(const WeightVersion& version, core::Findings& findings) {
  try {
    auto model = std::make_shared<Model>(tensor::open_model(version.snapshot, version.where));
    tensor::add_findings(*model, core::Section::kWeights, findings);
    return model;
  } catch (const core::ArtifactError& error) {
    findings.add(error.problem(), "RLV-220", core::Section::kWeights);
    return nullptr;
  }
}

bool has_fault(const Model& model) {
  return std::any_of(model.problems().begin(), model.problems().end(), [](const tensor::ModelProblem& problem) {
    return problem.fault != tensor::ModelFault::kFileNotInIndex;
  });
}

TensorOutcome outcome_of(const TensorPair& pair) {
  TensorOutcome outcome;
  outcome.name = pair.name;
  outcome.verdict = *pair.verdict;
  const tensor::ModelTensor* known = pair.reference != nullptr ? pair.reference : pair.candidate;
  outcome.dtype = tensor::torch_name(known->ref.dtype);
  if (pair.verdict == TensorVerdict::kOtherShape) {
    outcome.reference = shape_text(pair.reference->ref.shape);
    outcome.candidate = shape_text(pair.candidate->ref.shape);
  } else if (pair.verdict == TensorVerdict::kOtherDtype) {
    outcome.reference = tensor::torch_name(pair.reference->ref.dtype);
    outcome.candidate = tensor::torch_name(pair.candidate->ref.dtype);
  } else if (pair.verdict == TensorVerdict::kDifferent) {
    const tensor::FirstDifference& first = *pair.difference.first;
    outcome.reference = tensor::element_text(known->ref.dtype, first.reference);
    outcome.candidate = tensor::element_text(known->ref.dtype, first.candidate);
    outcome.first_index = tensor::index_text(known->ref.shape, first.element_index);
    outcome.difference = pair.difference;
  }
  return outcome;
}

Judged judge_snapshots(const VersionInput& input) {
  Judged judged;
  const auto reference = open_snapshot(input.reference, input.findings);
  const auto candidate = open_snapshot(input.candidate, input.findings);
  if (!reference || !candidate) {
    judged.unavailable = fmt::format("{} can't be read", !reference ? input.reference.where : input.candidate.where);
    return judged;
  }
  judged.damaged = has_fault(*reference) || has_fault(*candidate);
  judged.tied = candidate->tie_word_embeddings() ? candidate->tie_word_embeddings() : reference->tie_word_embeddings();
  const std::vector<TensorPair> pairs = compare_models(*reference, *candidate, input.pool, input.progress);
  judged.names = pairs.size();
  judged.coverage.files = reference->files().size() + candidate->files().size();
  for (const TensorPair& pair : pairs) {
    if (pair.verdict) {
      judged.outcomes.push_back(outcome_of(pair));
    }
    if (pair.problem) {
      input.findings.add(*pair.problem, "RLV-220", core::Section::kWeights);
      judged.damaged = true;
    } else if (!pair.verdict || pair.verdict == TensorVerdict::kDifferent) {
      judged.coverage.add({0, 1, pair.difference.elements, pair.reference->ref.logical_bytes()});
    }
    if (pair.difference.reference_non_finite + pair.difference.candidate_non_finite > 0) {
      judged.non_finite.push_back(
          {pair.name, pair.difference.reference_non_finite, pair.difference.candidate_non_finite});
    }
  }
  judged.sides = sides_of_models(*reference, *candidate);
  judged.keeps = {reference, candidate};
  return judged;
}

/// What a side is known by once it has been hashed where needed.
struct DigestSide {
  std::shared_ptr<const WeightDigests> digests;
  std::vector<HashedTensor> hashed;  ///< of a snapshot that was read for it
  std::optional<bool> tied;
  std::shared_ptr<const Model> model;  ///< where a snapshot was read
  std::uint64_t files = 1;
  bool damaged = false;

  /// Whether a name without a digest may be one that can't be read.
  [[nodiscard]] bool lost(const std::string& name) const { return model && model->may_hold(name); }
};

/// An audit beside a snapshot that says something else about it.
void check_own_audit(const WeightVersion& version, core::Findings& findings) {
  if (version.digests && version.digests->all_tensors && version.computed &&
      version.digests->sha256 != version.computed->sha256) {
    core::Finding finding =
        weight_finding("RLV-318", core::Severity::kError, "the weight audit doesn't describe the snapshot", version);
    finding.expected = version.digests->sha256;
    finding.found = version.computed->sha256;
    findings.add(std::move(finding));
  }
}

std::optional<DigestSide> digest_side(WeightVersion& version, const std::vector<std::string>& only,
                                      const VersionInput& input) {
  DigestSide side;
  if (version.snapshot.empty() || (version.computed && only.empty())) {
    side.digests = std::make_shared<WeightDigests>(version.snapshot.empty() ? *version.digests : *version.computed);
    return side;
  }
  const auto model = open_snapshot(version, input.findings);
  if (!model) {
    return std::nullopt;
  }
  side.hashed = hash_model(*model, only, input.pool, input.progress);
  side.tied = model->tie_word_embeddings();
  side.model = model;
  side.files = model->files().size();
  side.damaged = has_fault(*model);
  for (const HashedTensor& tensor : side.hashed) {
    if (tensor.problem) {
      input.findings.add(*tensor.problem, "RLV-220", core::Section::kWeights);
      side.damaged = true;
    }
  }
  WeightDigests digests = digests_of(side.hashed);
  if (!side.damaged && only.empty()) {
    version.computed = digests;
    check_own_audit(version, input.findings);
  }
  side.digests = std::make_shared<WeightDigests>(std::move(digests));
  return side;
}

std::string normal_dtype(const std::string& name) {
  const auto dtype = tensor::dtype_from_torch_name(name);
  return dtype ? std::string(tensor::torch_name(*dtype)) : name;
}

void judge_digest_pair(const std::string& name, const run::AuditTensor* reference, const run::AuditTensor* candidate,
                       Judged& judged) {
  TensorOutcome outcome;
  outcome.name = name;
  const run::AuditTensor& known = reference != nullptr ? *reference : *candidate;
  outcome.dtype = known.dtype;
  if (reference == nullptr || candidate == nullptr) {
    outcome.verdict = reference != nullptr ? TensorVerdict::kOnlyReference : TensorVerdict::kOnlyCandidate;
  } else if (!reference->well_formed || !candidate->well_formed) {
    outcome.verdict = TensorVerdict::kNotJudged;
    judged.damaged = true;
  } else if (reference->shape != candidate->shape) {
    outcome.verdict = TensorVerdict::kOtherShape;
    outcome.reference = shape_text(reference->shape);
    outcome.candidate = shape_text(candidate->shape);
  } else if (normal_dtype(reference->dtype) != normal_dtype(candidate->dtype)) {
    outcome.verdict = TensorVerdict::kOtherDtype;
    outcome.reference = reference->dtype;
    outcome.candidate = candidate->dtype;
  } else {
    std::uint64_t elements = 1;
    for (const std::int64_t size : reference->shape) {
      elements *= static_cast<std::uint64_t>(size);
    }
    judged.coverage.add({0, 1, elements, 0});
    if (reference->sha256 == candidate->sha256) {
      return;
    }
    outcome.reference = reference->sha256;
    outcome.candidate = candidate->sha256;
  }
  judged.outcomes.push_back(std::move(outcome));
}

using DigestMap = std::map<std::string, const run::AuditTensor*>;

DigestMap by_name(const WeightDigests& digests) {
  DigestMap map;
  for (const run::AuditTensor& tensor : digests.tensors) {
    map[tensor.name] = &tensor;
  }
  return map;
}

void compare_digests(const DigestSide& reference, const DigestSide& candidate, Judged& judged) {
  const DigestMap left = by_name(*reference.digests);
  const DigestMap right = by_name(*candidate.digests);
  std::set<std::string> names;
  for (const DigestMap* map : {&left, &right}) {
    for (const auto& entry : *map) {
      names.insert(entry.first);
    }
  }
  for (const std::string& name : names) {
    const auto a = left.find(name);
    const auto b = right.find(name);
    // A sampled side says nothing about the tensors that it didn't sample.
    if ((a == left.end() && !reference.digests->all_tensors) || (b == right.end() && !candidate.digests->all_tensors)) {
      continue;
    }
    ++judged.names;
    if ((a == left.end() && reference.lost(name)) || (b == right.end() && candidate.lost(name))) {
      judged.outcomes.emplace_back();
      judged.outcomes.back().name = name;
      judged.outcomes.back().verdict = TensorVerdict::kNotJudged;
    } else {
      judge_digest_pair(name, a == left.end() ? nullptr : a->second, b == right.end() ? nullptr : b->second, judged);
    }
  }
}

void add_hashed(const std::vector<HashedTensor>& hashed, Side side, Judged& judged) {
  for (const HashedTensor& tensor : hashed) {
    judged.coverage.bytes += tensor.bytes;
    if (tensor.non_finite > 0) {
      NonFiniteTensor found{tensor.name, std::nullopt, std::nullopt};
      (side == Side::kReference ? found.reference : found.candidate) = tensor.non_finite;
      judged.non_finite.push_back(std::move(found));
    }
  }
}

/// The names that a sampled side knows: the other side needs no other hashed.
std::vector<std::string> sampled_names(const WeightVersion& version) {
  std::vector<std::string> names;
  if (version.snapshot.empty() && version.digests && !version.digests->all_tensors) {
    for (const run::AuditTensor& tensor : version.digests->tensors) {
      names.push_back(tensor.name);
    }
  }
  return names;
}

Judged judge_digests(const VersionInput& input) {
  Judged judged;
  judged.by_digest = true;
  const auto reference = digest_side(input.reference, sampled_names(input.candidate), input);
  const auto candidate = digest_side(input.candidate, sampled_names(input.reference), input);
  if (!reference || !candidate) {
    judged.unavailable = fmt::format("{} can't be read", !reference ? input.reference.where : input.candidate.where);
    return judged;
  }
  judged.damaged = reference->damaged || candidate->damaged;
  judged.tied = candidate->tied ? candidate->tied : reference->tied;
  judged.sampled = !reference->digests->all_tensors || !candidate->digests->all_tensors;
  judged.coverage.files = reference->files + candidate->files;
  add_hashed(reference->hashed, Side::kReference, judged);
  add_hashed(candidate->hashed, Side::kCandidate, judged);
  compare_digests(*reference, *candidate, judged);
  judged.sides = sides_of_digests(*reference->digests, *candidate->digests);
  judged.keeps = {reference->digests, candidate->digests};
  return judged;
}

}  // namespace

Judged judge_version(const VersionInput& input) {
  const bool snapshots = !input.reference.snapshot.empty() && !input.candidate.snapshot.empty();
  Judged judged = snapshots ? judge_snapshots(input) : judge_digests(input);
  if (judged.unavailable.empty() && judged.names == 0) {
    judged.unavailable =
        judged.sampled ? "the two sides sampled different tensors" : "there is no tensor on either side";
  }
  return judged;
}

}  // namespace rlverify::compare
