// SPDX-License-Identifier: Apache-2.0
// Every hypothesis that was tried is listed, so that a reader can draw another conclusion than ours.
#include "report/replay_document.h"

#include "replay/wording.h"
#include "report/findings_parts.h"

namespace rlverify::report {

namespace {

using core::NodeId;
using replay::Hypothesis;
using replay::ReplayResult;
using replay::Row;
using replay::SideResult;

std::string_view verdict_word(replay::SideVerdict verdict) {
  switch (verdict) {
    case replay::SideVerdict::kExact:
      return "exact";
    case replay::SideVerdict::kNamed:
      return "named";
    case replay::SideVerdict::kNone:
      return "none";
    case replay::SideVerdict::kNoEvidence:
      break;
  }
  return "no_evidence";
}

NodeId hypothesis_object(Document& document, const Hypothesis& hypothesis) {
  const bool of_file = hypothesis.temperature == replay::Temperature::kOfFile;
  const bool real = hypothesis.vocabulary == replay::Vocabulary::kReal;
  const bool bf16 = hypothesis.output == replay::Output::kBfloat16;
  return document.object({{"contract", document.string(hypothesis.contract)},
                          {"temperature", document.string(of_file ? "file" : "1")},
                          {"vocabulary", document.string(real ? "real" : "padded")},
                          {"output", document.string(bf16 ? "bfloat16" : "as computed")},
                          {"top_p", document.boolean(hypothesis.top_p)}});
}

NodeId place_object(Document& document, const replay::Place& place) {
  return document.object({{"file", document.string(place.file)},
                          {"rank", document.integer(place.rank)},
                          {"call", document.integer(place.call)},
                          {"sample", document.integer(place.sample)},
                          {"row", document.integer(place.index)},
                          {"position", place.position ? document.integer(*place.position) : document.null()},
                          {"token", document.integer(place.token)}});
}

void put_tally(Document& document, NodeId out, const replay::Tally& tally) {
  document.put(out, "compared", document.unsigned_integer(tally.compared));
  document.put(out, "different", document.unsigned_integer(tally.differing));
  document.put(out, "not_finite", document.unsigned_integer(tally.not_finite));
  document.put(out, "max_abs", document.real(tally.max_abs));
  document.put(out, "mean_abs", document.real(tally.mean_abs()));
  document.put(out, "max_ulp", document.unsigned_integer(tally.max_ulp));
  document.put(out, "mean_ulp", document.real(tally.mean_ulp()));
}

NodeId row_object(Document& document, const SideResult& side, const Row& row) {
  const NodeId out = hypothesis_object(document, row.hypothesis);
  put_tally(document, out, row.tally);
  if (row.tally.first) {
    document.put(
        out, "first",
        document.object({{"place", place_object(document, row.tally.first->place)},
                         {"recorded", document.string(replay::value_text(side.dtype, row.tally.first->recorded))},
                         {"computed", document.string(replay::value_text(side.dtype, row.tally.first->computed))}}));
  } else {
    document.put(out, "first", document.null());
  }
  return out;
}

NodeId contracts_object(Document& document, const ReplayResult& result) {
  const NodeId out = document.object();
  for (const replay::ContractNote& note : result.contracts) {
    document.put(
        out, note.contract,
        document.object({{"used_by", document.string(note.used_by)},
                         {"stand_in", note.stand_in.empty() ? document.null() : document.string(note.stand_in)}}));
  }
  return out;
}

NodeId rows_array(Document& document, const SideResult& side, const std::vector<std::size_t>& rows) {
  const NodeId out = document.array();
  for (const std::size_t row : rows) {
    document.append(out, hypothesis_object(document, side.rows[row].hypothesis));
  }
  return out;
}

NodeId numbers_array(Document& document, const std::vector<std::int64_t>& numbers) {
  const NodeId out = document.array();
  for (const std::int64_t number : numbers) {
    document.append(out, document.integer(number));
  }
  return out;
}

NodeId side_object(Document& document, const ReplayResult& result, const SideResult& side) {
  const NodeId temperatures = document.array();
  for (const double temperature : result.settings.temperatures) {
    document.append(temperatures, document.real(temperature));
  }
  const NodeId table = document.array();
  for (const Row& row : side.rows) {
    document.append(table, row_object(document, side, row));
  }
  const NodeId nucleus = side.nucleus ? document.object({{"above", document.real(side.nucleus->low)},
                                                         {"at_most", document.real(side.nucleus->high)}})
                                      : document.null();
  return document.object(
      {{"name", document.string(std::string(replay::side_name(side.side)) + "_log_probs")},
       {"dtype", document.string(tensor::torch_name(side.dtype))},
       {"backend", document.string(result.backend)},
       {"device", document.string(result.device)},
       {"exactness", document.string(result.exactness)},
       {"contracts", contracts_object(document, result)},
       {"temperatures", temperatures},
       {"real_vocab_sizes", numbers_array(document, result.settings.real_vocab_sizes)},
       {"padded_vocab_sizes", numbers_array(document, result.settings.padded_vocab_sizes)},
       {"tensor_parallel_sizes", numbers_array(document, result.settings.tensor_parallel_sizes)},
       {"verdict", document.string(verdict_word(side.verdict))},
       {"follows", rows_array(document, side, side.followed)},
       {"not_ruled_out", rows_array(document, side, side.tied)},
       {"nearest", side.nearest ? hypothesis_object(document, side.rows[*side.nearest].hypothesis) : document.null()},
       {"nucleus", nucleus},
       {"hypotheses", table}});
}

/// Train against rollout: what no contract has a part in.
NodeId direct_object(Document& document, const ReplayResult& result) {
  const NodeId out = document.object({{"name", document.string("train_against_rollout")}});
  put_tally(document, out, result.direct.tally);
  const auto& first = result.direct.first;
  document.put(
      out, "first_parting",
      !first
          ? document.null()
          : document.object(
                {{"place", place_object(document, first->place)},
                 {"train", document.string(replay::value_text(result.side(replay::Side::kTrain).dtype, first->train))},
                 {"rollout",
                  document.string(replay::value_text(result.side(replay::Side::kRollout).dtype, first->rollout))}}));
  return out;
}

}  // namespace

Document replay_document(const ReplayResult& result, std::string_view tool_version) {
  Document document;
  const core::ExitCode code = result.exit_code();
  Coverage coverage;
  coverage.files = result.files;
  coverage.tensors = result.tensors;
  coverage.elements = result.values;
  coverage.bytes = result.bytes;
  const NodeId tensors = document.array();
  for (const SideResult& side : result.sides) {
    if (side.verdict != replay::SideVerdict::kNoEvidence) {
      document.append(tensors, side_object(document, result, side));
    }
  }
  if (result.direct.tally.compared > 0) {
    document.append(tensors, direct_object(document, result));
  }
  document.set_root(document.object({{"schema_version", document.string("rlverify.findings.v1")},
                                     {"verdict", document.string(verdict_key(code))},
                                     {"exit_code", document.integer(static_cast<std::int64_t>(code))},
                                     {"coverage", document.object({{"replay", coverage_object(document, coverage)}})},
                                     {"findings_total", document.unsigned_integer(result.findings.list().size())},
                                     {"findings", findings_array(document, result.findings)},
                                     {"tensors", tensors},
                                     {"tool", tool_object(document, tool_version)}}));
  return document;
}

}  // namespace rlverify::report
