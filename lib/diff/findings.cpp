// SPDX-License-Identifier: Apache-2.0
// Missing tensors differ in their names alone, so they merge into one finding; tensors that differ don't, since each
// has its own first element.
#include "diff/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rlverify::diff {
namespace {

using core::Finding;
using core::Severity;

Finding tensor_finding(const ModelDiff& diff, const TensorDiff& tensor, std::string code, Severity severity,
                       std::string what) {
  Finding finding = core::bare_finding(std::move(code), severity, core::Section::kTensors, std::move(what));
  finding.place.tensor = tensor.name;
  const bool in_candidate = tensor.candidate != nullptr;
  const tensor::ModelTensor& known = in_candidate ? *tensor.candidate : *tensor.reference;
  finding.place.file = (in_candidate ? diff.candidate : diff.reference).files()[known.file].name;
  return finding;
}

std::string shape_text(const tensor::TensorRef& ref) {
  return fmt::format("[{}]", fmt::join(ref.shape, ", "));
}

Finding difference_finding(const ModelDiff& diff, const TensorDiff& tensor) {
  const bool within = tensor.state == TensorState::kWithinTolerance;
  Finding finding =
      tensor_finding(diff, tensor, within ? "RLV-406" : "RLV-401", within ? Severity::kNote : Severity::kError,
                     within ? "the tensor differs within its tolerance" : "the tensor differs");
  const std::optional<tensor::FirstDifference>& first = within ? tensor.difference.first : tensor.outside.first;
  const tensor::DType dtype = tensor.reference->ref.dtype;
  finding.place.field = tensor::index_text(tensor.reference->ref.shape, first->element_index);
  finding.expected = tensor::element_text(dtype, first->reference);
  finding.found = tensor::element_text(dtype, first->candidate);
  return finding;
}

std::optional<Finding> finding_of(const ModelDiff& diff, const TensorDiff& tensor) {
  switch (tensor.state) {
    case TensorState::kWithinTolerance:
    case TensorState::kDifferent:
      return difference_finding(diff, tensor);
    case TensorState::kOnlyReference:
      return tensor_finding(diff, tensor, "RLV-402", Severity::kError, "only the reference has the tensor");
    case TensorState::kOnlyCandidate:
      return tensor_finding(diff, tensor, "RLV-403", Severity::kError, "only the candidate has the tensor");
    case TensorState::kOtherShape: {
      Finding finding = tensor_finding(diff, tensor, "RLV-404", Severity::kError, "the tensor has another shape");
      finding.expected = shape_text(tensor.reference->ref);
      finding.found = shape_text(tensor.candidate->ref);
      return finding;
    }
    case TensorState::kOtherDtype: {
      Finding finding = tensor_finding(diff, tensor, "RLV-405", Severity::kError, "the tensor has another dtype");
      finding.expected = tensor::torch_name(tensor.reference->ref.dtype);
      finding.found = tensor::torch_name(tensor.candidate->ref.dtype);
      return finding;
    }
    case TensorState::kEqual:
    case TensorState::kNotJudged:
      break;
  }
  return std::nullopt;
}

}  // namespace

void add_findings(ModelDiff& diff) {
  for (const TensorDiff& tensor : diff.tensors) {
    if (tensor.problem) {
      diff.findings.add(*tensor.problem, "RLV-220", core::Section::kTensors);
    }
    if (auto finding = finding_of(diff, tensor)) {
      diff.findings.add(std::move(*finding));
    }
    // Bits that are equal can still be useless: NaN beside the same NaN.
    if (tensor.compared() && tensor.difference.reference_non_finite > 0 && tensor.difference.candidate_non_finite > 0) {
      Finding finding = tensor_finding(diff, tensor, "RLV-407", Severity::kWarning, "NaN or infinity on both sides");
      finding.found = fmt::format("{} elements of the reference, {} of the candidate",
                                  tensor.difference.reference_non_finite, tensor.difference.candidate_non_finite);
      diff.findings.add(std::move(finding));
    }
  }
}

}  // namespace rlverify::diff
