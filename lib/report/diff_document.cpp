// SPDX-License-Identifier: Apache-2.0
// `tensors` holds what differs, in the order of the text's first difference; the second pass is there for those tensors
// that the text shows.
#include "report/diff_document.h"

#include <algorithm>

#include "report/diff_words.h"
#include "report/findings_parts.h"
#include "tensor/difference_detail.h"

namespace rlverify::report {
namespace {

using core::NodeId;
using diff::TensorDiff;

NodeId numbers(Document& document, const std::vector<std::uint64_t>& values) {
  const NodeId out = document.array();
  for (const std::uint64_t value : values) {
    document.append(out, document.unsigned_integer(value));
  }
  return out;
}

NodeId classes_object(Document& document, const tensor::Difference& difference) {
  const NodeId out = document.object();
  for (std::size_t i = 0; i < tensor::kDifferenceClassCount; ++i) {
    document.put(out, tensor::difference_class_name(static_cast<tensor::DifferenceClass>(i)),
                 document.unsigned_integer(difference.class_counts.at(i)));
  }
  return out;
}

NodeId pair_object(Document& document, tensor::DType dtype, const tensor::FirstDifference& first) {
  return document.object({{"element", document.unsigned_integer(first.element_index)},
                          {"reference", document.string(tensor::element_text(dtype, first.reference))},
                          {"candidate", document.string(tensor::element_text(dtype, first.candidate))},
                          {"ulp_distance", document.unsigned_integer(first.ulp_distance)},
                          {"class", document.string(tensor::difference_class_name(first.difference_class))}});
}

NodeId range_object(Document& document, const tensor::ValueRange& range) {
  if (range.empty()) {
    return document.null();
  }
  return document.object({{"minimum", document.real(range.minimum)}, {"maximum", document.real(range.maximum)}});
}

/// What the first pass gives, for a tensor and for a sample.
void put_statistics(Document& document, NodeId out, tensor::DType dtype, const tensor::Difference& difference,
                    const diff::OutsideCount& outside) {
  const auto put = [&document, out](std::string_view key, NodeId value) { document.put(out, key, value); };
  put("elements", document.unsigned_integer(difference.elements));
  put("different_elements", document.unsigned_integer(difference.different_elements));
  put("outside_tolerance", document.unsigned_integer(outside.elements));
  put("classes", classes_object(document, difference));
  put("first", pair_object(document, dtype, *difference.first));
  put("first_outside", outside.first ? pair_object(document, dtype, *outside.first) : document.null());
  put("max_abs_difference", document.real(difference.max_abs_difference));
  put("max_abs_element", document.unsigned_integer(difference.max_abs_index));
  put("mean_abs_difference", document.real(difference.mean_abs_difference()));
  put("mean_difference", document.real(difference.mean_difference()));
  put("max_ulp_distance", document.unsigned_integer(difference.max_ulp_distance));
  put("max_ulp_element", document.unsigned_integer(difference.max_ulp_index));
  put("finite_pairs", document.unsigned_integer(difference.finite_pairs));
  put("reference_non_finite", document.unsigned_integer(difference.reference_non_finite));
  put("candidate_non_finite", document.unsigned_integer(difference.candidate_non_finite));
}

NodeId tolerance_object(Document& document, const diff::Tolerance& tolerance) {
  return document.object({{"atol", document.real(tolerance.atol)},
                          {"rtol", document.real(tolerance.rtol)},
                          {"ulp", document.unsigned_integer(tolerance.ulp)}});
}

NodeId pattern_object(Document& document, const diff::Pattern& pattern, const std::vector<std::uint64_t>& shape) {
  const bool ranks = pattern.parts > 0;
  const bool shift = pattern.kind == diff::PatternKind::kConstantShift;
  return document.object(
      {{"kind", document.string(pattern_key(pattern.kind))},
       {"text", document.string(pattern_text(pattern, shape))},
       {"dimension", pattern.dimension ? document.unsigned_integer(*pattern.dimension) : document.null()},
       {"size", document.unsigned_integer(pattern.size)},
       {"indices", document.unsigned_integer(pattern.indices)},
       {"first", shift ? document.null() : document.unsigned_integer(pattern.first)},
       {"last", shift ? document.null() : document.unsigned_integer(pattern.last)},
       {"density", shift ? document.null() : document.real(pattern.density)},
       {"part", ranks ? document.unsigned_integer(pattern.part) : document.null()},
       {"parts", ranks ? document.unsigned_integer(pattern.parts) : document.null()},
       {"vocabulary", pattern.kind == diff::PatternKind::kVocabulary ? document.unsigned_integer(pattern.vocabulary)
                                                                     : document.null()},
       {"shift", shift ? document.real(pattern.shift) : document.null()}});
}

/// Bins of positions as [compared, different] pairs.
NodeId bins_object(Document& document, const diff::PositionBins& bins) {
  const NodeId list = document.array();
  for (const diff::PositionBins::Bin& bin : bins.bins()) {
    document.append(list, numbers(document, {bin.covered, bin.different}));
  }
  return document.object({{"length", document.unsigned_integer(bins.length())}, {"bins", list}});
}

NodeId detail_object(Document& document, const TensorDiff& tensor) {
  const tensor::DifferenceDetail& detail = tensor.detail->statistics;
  const NodeId quantiles = document.array();
  for (std::size_t i = 0; i < detail.quantiles.size(); ++i) {
    document.append(quantiles, document.object({{"share", document.real(tensor::kQuantiles.at(i))},
                                                {"abs_difference", document.real(detail.quantiles.at(i))}}));
  }
  const NodeId patterns = document.array();
  for (const diff::Pattern& pattern : tensor.detail->patterns) {
    document.append(patterns, pattern_object(document, pattern, tensor.reference->ref.shape));
  }
  const NodeId rows = document.array();
  for (const diff::RowPositions& row : tensor.detail->rows) {
    document.append(rows, document.object({{"row", document.unsigned_integer(row.row)},
                                           {"different", document.unsigned_integer(row.different)},
                                           {"first", document.unsigned_integer(row.first)},
                                           {"positions", bins_object(document, row.bins)}}));
  }
  return document.object(
      {{"rms_difference", document.real(detail.rms_difference)},
       {"cosine", document.real(detail.cosine)},
       {"max_relative_difference", document.real(detail.max_relative_difference)},
       {"max_relative_element", document.unsigned_integer(detail.max_relative_index)},
       {"reference_rms", document.real(detail.reference_rms)},
       {"candidate_rms", document.real(detail.candidate_rms)},
       {"reference_range", range_object(document, tensor.difference.reference_range)},
       {"candidate_range", range_object(document, tensor.difference.candidate_range)},
       {"zero_differences", document.unsigned_integer(detail.zero_differences)},
       {"quantiles", quantiles},
       {"histogram",
        document.object({{"lowest_exponent", document.integer(detail.lowest_exponent)},
                         {"counts", numbers(document, {detail.histogram.begin(), detail.histogram.end()})}})},
       {"patterns", patterns},
       {"rows_different", document.unsigned_integer(tensor.detail->rows_different)},
       {"rows", rows}});
}

NodeId tensor_object(Document& document, const TensorDiff& tensor) {
  const tensor::TensorRef& ref = tensor.reference->ref;
  const NodeId out = document.object(
      {{"name", document.string(tensor.name)},
       {"state", document.string(tensor.state == diff::TensorState::kDifferent ? "different" : "within_tolerance")},
       {"dtype", document.string(tensor::torch_name(ref.dtype))},
       {"shape", numbers(document, ref.shape)},
       {"tolerance", tolerance_object(document, tensor.tolerance)}});
  put_statistics(document, out, ref.dtype, tensor.difference, tensor.outside);
  document.put(out, "detail", tensor.detail ? detail_object(document, tensor) : document.null());
  return out;
}

NodeId sample_object(Document& document, const diff::SidecarDiff& diff, const diff::SampleDiff& sample) {
  const std::string name = "call " + std::to_string(sample.call) + " dp " + std::to_string(sample.dp) + " sample " +
                           std::to_string(sample.sample);
  const NodeId out =
      document.object({{"name", document.string(name)},
                       {"state", document.string(sample.outside.elements > 0 ? "different" : "within_tolerance")},
                       {"dtype", document.string(tensor::torch_name(sample.dtype))},
                       {"shape", numbers(document, {static_cast<std::uint64_t>(sample.response_length)})},
                       {"tolerance", tolerance_object(document, diff.tolerance)}});
  put_statistics(document, out, sample.dtype, sample.difference, sample.outside);
  document.put(out, "masked", document.unsigned_integer(sample.masked));
  document.put(out, "masked_different", document.unsigned_integer(sample.masked_different));
  document.put(out, "positions", sample.bins ? bins_object(document, *sample.bins) : document.null());
  return out;
}

struct Frame {
  diff::Answer answer;
  core::Section section;
  Coverage coverage;
  const core::Findings& findings;
  std::string_view reference;
  std::string_view candidate;  ///< empty: the other side is in the same files
};

void set_root(Document& document, const Frame& frame, NodeId tensors, std::string_view tool_version) {
  const core::ExitCode code = diff::exit_code_of(frame.answer);
  const NodeId coverage = document.object();
  document.put(coverage, core::section_name(frame.section), coverage_object(document, frame.coverage));
  document.set_root(document.object(
      {{"schema_version", document.string("rlverify.findings.v1")},
       {"verdict", document.string(verdict_key(code))},
       {"exit_code", document.integer(static_cast<std::int64_t>(code))},
       {"diff",
        document.object({{"answer", document.string(answer_key(frame.answer))},
                         {"reference", document.string(frame.reference)},
                         {"candidate", frame.candidate.empty() ? document.null() : document.string(frame.candidate)}})},
       {"coverage", coverage},
       {"findings_total", document.unsigned_integer(frame.findings.list().size())},
       {"findings", findings_array(document, frame.findings)},
       {"tensors", tensors},
       {"tool", tool_object(document, tool_version)}}));
}

}  // namespace

Document diff_document(const diff::ModelDiff& diff, std::string_view tool_version) {
  Document document;
  const NodeId tensors = document.array();
  for (const TensorDiff& tensor : diff.tensors) {
    if (tensor.differs()) {
      document.append(tensors, tensor_object(document, tensor));
    }
  }
  const Coverage coverage{core::Section::kTensors, diff.files, diff.tensors_compared, diff.elements_compared,
                          diff.bytes_compared};
  set_root(document,
           {diff.answer(), core::Section::kTensors, coverage, diff.findings, diff.reference_path, diff.candidate_path},
           tensors, tool_version);
  return document;
}

Document sidecar_diff_document(const diff::SidecarDiff& diff, std::string_view tool_version) {
  Document document;
  const NodeId tensors = document.array();
  for (const diff::SampleDiff& sample : diff.samples) {
    if (!sample.difference.equal()) {
      document.append(tensors, sample_object(document, diff, sample));
    }
  }
  const Coverage coverage{core::Section::kLogProbs, diff.files_read, diff.samples.size(), diff.total.elements,
                          diff.bytes_compared};
  set_root(document, {diff.answer(), core::Section::kLogProbs, coverage, diff.findings, diff.path, ""}, tensors,
           tool_version);
  return document;
}

}  // namespace rlverify::report
