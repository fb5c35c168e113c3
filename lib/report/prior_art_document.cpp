// SPDX-License-Identifier: Apache-2.0
// What rlverify has no such thing as (a commit of RL-Kernel, versions of torch, vllm and NCCL) is null.
#include "report/prior_art_document.h"

#include <string>

namespace rlverify::report {

namespace {

using core::NodeId;

/// The collective orders by the names that NCCL gives its algorithms; its tree is a chain on one node. Orders are those
/// of the LL protocol.
NodeId setting_object(Document& document, const kernels::CollectiveSetting& setting) {
  const bool ring = setting.order == kernels::CollectiveOrder::kRing;
  return document.object({{"NCCL_ALGO", document.string(ring ? "Ring" : "Tree")},
                          {"NCCL_PROTO", document.string("LL")},
                          {"NCCL_MAX_NCHANNELS", document.integer(setting.max_channels)}});
}

NodeId candidate_object(Document& document, const replay::PriorArtCandidate& candidate, int repeats) {
  if (candidate.unavailable) {
    return document.object({{"unavailable", document.string(*candidate.unavailable)}});
  }
  const NodeId others = document.object();
  for (const auto& [name, distance] : candidate.max_abs_vs) {
    document.put(others, name, document.real(distance));
  }
  const NodeId invariant =
      candidate.nccl_setting_invariant ? document.boolean(*candidate.nccl_setting_invariant) : document.null();
  return document.object({{"tp4_equals_tp1", document.boolean(candidate.tp4_equals_tp1)},
                          {"nccl_setting_invariant", invariant},
                          {"batch_bitwise", document.boolean(candidate.batch_bitwise)},
                          {"distinct_results_in_repeats", document.integer(candidate.distinct_results)},
                          {"repeats", document.integer(repeats)},
                          {"reference", document.string("shared_logits_fp64")},
                          {"max_abs_vs_fp64", document.real(candidate.max_abs_vs_fp64)},
                          {"max_abs_vs", others},
                          {"latency_us_tp4", document.real(candidate.latency_us)}});
}

}  // namespace

Document prior_art_document(const replay::PriorArt& result, std::string_view model) {
  Document document;
  const NodeId environment = document.object({{"gpu", result.gpu ? document.string(*result.gpu) : document.null()},
                                              {"torch", document.null()},
                                              {"vllm", document.null()},
                                              {"nccl", document.null()}});
  if (!result.gpu) {
    document.put(environment, "cpu", document.string(result.cpu.empty() ? "unknown" : result.cpu));
  }
  const NodeId settings = document.array();
  for (const kernels::CollectiveSetting& setting : result.settings) {
    document.append(settings, setting_object(document, setting));
  }
  const NodeId candidates = document.object();
  for (const replay::PriorArtCandidate& candidate : result.candidates) {
    document.put(candidates, candidate.name, candidate_object(document, candidate, result.repeats));
  }
  document.set_root(document.object({{"kind", document.string(std::string(model) + "_logprob_prior_art")},
                                     {"rfc", document.null()},
                                     {"rl_kernel_commit", document.null()},
                                     {"tracked_tree_dirty", document.boolean(false)},
                                     {"environment", environment},
                                     {"third_party", document.array()},
                                     {"tokens", document.integer(result.tokens)},
                                     {"nccl_settings", settings},
                                     {"candidates", candidates}}));
  return document;
}

}  // namespace rlverify::report
