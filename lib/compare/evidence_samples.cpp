// SPDX-License-Identifier: Apache-2.0
// Steps are independent, so they are spread over threads; only digests survive a step.
#include "compare/evidence.h"
#include "core/progress.h"
#include "core/sha256.h"
#include "tensor/dtype.h"

namespace rlverify::compare {
namespace {

void hash_number(core::Sha256& hash, std::uint64_t number) {
  hash.update(std::as_bytes(std::span(&number, 1)));
}

/// What is kept of one step.
struct StepDigests {
  StepTokens tokens;
  StepLogProbs log_probs;
  WeightCoverage coverage;
  core::Findings findings;
};

StepTokens digest_tokens(const StepSamples& samples) {
  StepTokens out;
  out.step = samples.step;
  core::Sha256 hash;
  for (const Sample& sample : samples.samples) {
    if (!sample.has_tokens) {
      continue;
    }
    hash_number(hash, sample.tokens.size());
    hash.update(std::as_bytes(std::span(sample.tokens)));
    out.samples.push_back(token_digest(sample));
    out.indices.push_back(sample.index);
    out.dtypes.emplace(tensor::torch_name(sample.token_dtype));
    out.tokens += sample.tokens.size();
  }
  out.sha256 = core::hex(hash.finish());
  return out;
}

/// The vector that stands for a side: the dump's, else the sidecars'.
const LogProbs& main_vector(const Sample& sample, LogProbKind dump, LogProbKind sidecar) {
  const LogProbs& first = sample.log_probs.at(static_cast<std::size_t>(dump));
  return first.known() ? first : sample.log_probs.at(static_cast<std::size_t>(sidecar));
}

StepLogProbs digest_log_probs(const StepSamples& samples) {
  StepLogProbs out;
  out.step = samples.step;
  core::Sha256 step_hash;
  for (const Sample& sample : samples.samples) {
    if (!sample.has_tokens) {
      continue;
    }
    for (std::size_t kind = 0; kind < kLogProbKinds; ++kind) {
      const LogProbs& vector = sample.log_probs.at(kind);
      out.kinds.at(kind).push_back(vector.known() ? log_prob_digest(vector) : "");
    }
    const LogProbs& train = main_vector(sample, LogProbKind::kTrain, LogProbKind::kSidecarTrain);
    const LogProbs& rollout = main_vector(sample, LogProbKind::kRollout, LogProbKind::kSidecarRollout);
    core::Sha256 hash;
    for (const LogProbs* vector : {&train, &rollout}) {
      hash.update(vector->known() ? log_prob_digest(*vector) : "-");
    }
    const core::Sha256Digest digest = hash.finish();
    step_hash.update(digest);
    out.per_sample.push_back(core::hex(digest));
    out.elements += train.known() ? train.present_count : rollout.present_count;
    out.samples += train.known() || rollout.known() ? 1U : 0U;
  }
  out.sha256 = core::hex(step_hash.finish());
  return out;
}

}  // namespace

void read_samples(RunEvidence& evidence, core::ThreadPool& pool, bool show_progress) {
  evidence.sources = sample_sources(*evidence.directory, pool, evidence.findings);
  evidence.token_recipe = kTokenRecipe;
  std::vector<std::int64_t> steps;
  for (const auto& entry : evidence.sources.dumps) {
    steps.push_back(entry.first);
  }
  std::vector<StepDigests> digests(steps.size());
  core::Progress progress("steps of " + evidence.name, steps.size(), show_progress);
  pool.for_each(steps.size(), [&](std::size_t i) {
    StepSamples samples = load_step(evidence.sources, steps[i]);
    digests[i].tokens = digest_tokens(samples);
    digests[i].log_probs = digest_log_probs(samples);
    digests[i].coverage = {samples.files, samples.tensors, digests[i].tokens.tokens, samples.bytes};
    digests[i].findings = std::move(samples.findings);
    progress.add(1);
  });
  for (StepDigests& step : digests) {
    for (const core::Finding& finding : step.findings.list()) {
      evidence.findings.add(finding);
    }
    evidence.sample_coverage.add(step.coverage);
    if (!step.tokens.samples.empty()) {
      evidence.tokens.push_back(std::move(step.tokens));
    }
    if (step.log_probs.samples != 0) {
      evidence.log_probs.push_back(std::move(step.log_probs));
    }
  }
}

}  // namespace rlverify::compare
