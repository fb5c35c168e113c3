// SPDX-License-Identifier: Apache-2.0
// Names are paired by bytes and then told in the order in which a person counts layers.
#include "diff/pairing.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace rlverify::diff {
namespace {

using tensor::Model;
using tensor::ModelFault;
using tensor::ModelTensor;

bool has_duplicates(const Model& model) {
  return std::any_of(model.problems().begin(), model.problems().end(),
                     [](const tensor::ModelProblem& problem) { return problem.fault == ModelFault::kDuplicateTensor; });
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

/// A side of which nothing can be read says why; with the other side alone there is nothing to judge.
void require_readable(const Model& model) {
  if (!model.tensors().empty()) {
    return;
  }
  for (const tensor::ModelProblem& problem : model.problems()) {
    if (problem.fault != ModelFault::kFileNotInIndex) {
      throw core::InputError(problem.problem.text());
    }
  }
}

TensorState layout_state(const ModelDiff& diff, const TensorDiff& tensor) {
  if (tensor.candidate == nullptr) {
    return diff.candidate.may_hold(tensor.name) ? TensorState::kNotJudged : TensorState::kOnlyReference;
  }
  if (tensor.reference == nullptr) {
    return diff.reference.may_hold(tensor.name) ? TensorState::kNotJudged : TensorState::kOnlyCandidate;
  }
  if (tensor.reference->ref.shape != tensor.candidate->ref.shape) {
    return TensorState::kOtherShape;
  }
  return tensor.reference->ref.dtype != tensor.candidate->ref.dtype ? TensorState::kOtherDtype : TensorState::kEqual;
}

/// Both lists of names merged.
std::vector<TensorDiff> merge_names(const Model& reference, const Model& candidate) {
  std::vector<TensorDiff> out;
  tensor::for_each_name(reference, candidate, [&out](const ModelTensor* left, const ModelTensor* right) {
    TensorDiff tensor;
    tensor.name = left != nullptr ? left->name : right->name;
    tensor.reference = left;
    tensor.candidate = right;
    out.push_back(std::move(tensor));
  });
  return out;
}

}  // namespace

void open_models(ModelDiff& diff) {
  diff.reference = tensor::open_model(diff.reference_path);
  diff.candidate = tensor::open_model(diff.candidate_path);
  if ((has_duplicates(diff.reference) || has_duplicates(diff.candidate)) && is_directory(diff.reference_path) &&
      is_directory(diff.candidate_path)) {
    const tensor::ModelOptions by_file{true, tensor::ModelOptions().max_open_files};
    diff.reference = tensor::open_model(diff.reference_path, diff.reference_path, by_file);
    diff.candidate = tensor::open_model(diff.candidate_path, diff.candidate_path, by_file);
  }
  require_readable(diff.reference);
  require_readable(diff.candidate);
  diff.files = diff.reference.files().size() + diff.candidate.files().size();
  tensor::add_findings(diff.reference, core::Section::kTensors, diff.findings);
  tensor::add_findings(diff.candidate, core::Section::kTensors, diff.findings);
}

void pair_tensors(ModelDiff& diff, const NameFilter& filter) {
  std::vector<TensorDiff> all = merge_names(diff.reference, diff.candidate);
  std::stable_sort(all.begin(), all.end(),
                   [](const TensorDiff& a, const TensorDiff& b) { return natural_less(a.name, b.name); });
  for (TensorDiff& tensor : all) {
    if (filter.selects(tensor.name)) {
      tensor.state = layout_state(diff, tensor);
      diff.tensors.push_back(tensor);
    }
  }
  diff.left_out = all.size() - diff.tensors.size();
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // The end of the run of digits at `at`, and where its first digit that isn't a leading zero stands.
  const auto run = [&is_digit](std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) {
      ++end;
    }
    while (at + 1 < end && text[at] == '0') {
      ++at;
    }
    return text.substr(at, end - at);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = run(a, i);
      const std::string_view right = run(b, j);
      if (left != right) {
        return left.size() != right.size() ? left.size() < right.size() : left < right;
      }
      i = static_cast<std::size_t>(left.data() - a.data()) + left.size();
      j = static_cast<std::size_t>(right.data() - b.data()) + right.size();
    } else if (a[i] != b[j]) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    } else {
      ++i;
      ++j;
    }
  }
  if (i == a.size() && j == b.size()) {
    return a < b;
  }
  return i == a.size();
}

}  // namespace rlverify::diff
