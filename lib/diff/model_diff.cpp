// SPDX-License-Identifier: Apache-2.0
// Everything that can be refused is refused before an element is read: a name without a tolerance after an hour of
// reading would help nobody.
#include "diff/model_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/progress.h"
#include "diff/findings.h"
#include "diff/pairing.h"
#include "diff/second_pass.h"
#include "tensor/buffer_stock.h"

namespace rlverify::diff {
namespace {

/// One part of one tensor.
struct Task {
  std::size_t tensor;
  std::uint64_t part;
};

struct PartResult {
  tensor::Difference difference;
  OutsideCount outside;
  std::optional<core::Problem> problem;
};

/// Parts of the longest tensors first; the parts of a tensor follow each other in ascending order.
std::vector<Task> list_tasks(const ModelDiff& diff) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < diff.tensors.size(); ++i) {
    if (diff.tensors[i].compared()) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&diff](std::size_t a, std::size_t b) {
    return diff.tensors[a].reference->ref.logical_bytes() > diff.tensors[b].reference->ref.logical_bytes();
  });
  std::vector<Task> tasks;
  for (const std::size_t tensor : order) {
    for (std::uint64_t part = 0; part < tensor::part_count(diff.tensors[tensor].reference->ref); ++part) {
      tasks.push_back({tensor, part});
    }
  }
  return tasks;
}

PartResult compare_task(const ModelDiff& diff, const Task& task, tensor::BlockBuffers& buffers) {
  const TensorDiff& tensor = diff.tensors[task.tensor];
  PartResult result;
  try {
    const auto reference_source = diff.reference.source(tensor.reference->file);
    const auto candidate_source = diff.candidate.source(tensor.candidate->file);
    const tensor::TensorBytes reference{reference_source.get(), &tensor.reference->ref};
    const tensor::TensorBytes candidate{candidate_source.get(), &tensor.candidate->ref};
    result.difference = tensor::compare_part(reference, candidate, task.part, buffers);
    result.outside = count_outside(reference, candidate, task.part, result.difference, tensor.tolerance, buffers);
  } catch (const core::ArtifactError& error) {
    result.problem = error.problem();
  }
  return result;
}

void first_pass(ModelDiff& diff, core::ThreadPool& pool, bool show_progress) {
  const std::vector<Task> tasks = list_tasks(diff);
  std::uint64_t bytes = 0;
  for (const TensorDiff& tensor : diff.tensors) {
    bytes += tensor.compared() ? tensor.reference->ref.logical_bytes() : 0;
  }
  core::Progress progress("tensors", bytes, show_progress, core::ProgressUnit::kBytes);
  std::vector<PartResult> results(tasks.size());
  tensor::BufferStock stock;
  pool.for_each(tasks.size(), [&](std::size_t i) {
    const tensor::BufferLoan buffers(stock);
    results[i] = compare_task(diff, tasks[i], *buffers);
    progress.add(results[i].difference.elements *
                 tensor::bits_per_element(diff.tensors[tasks[i].tensor].reference->ref.dtype) / 8);
  });
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TensorDiff& tensor = diff.tensors[tasks[i].tensor];
    tensor.difference.add(results[i].difference);
    tensor.outside.add(results[i].outside);
    if (results[i].problem && !tensor.problem) {
      tensor.problem = std::move(results[i].problem);
    }
  }
}

void decide(ModelDiff& diff) {
  for (TensorDiff& tensor : diff.tensors) {
    if (!tensor.compared()) {
      continue;
    }
    if (tensor.problem) {
      tensor.state = TensorState::kNotJudged;
      continue;
    }
    const std::uint64_t different = tensor.difference.different_elements;
    tensor.state = different == 0                 ? TensorState::kEqual
                   : tensor.outside.elements == 0 ? TensorState::kWithinTolerance
                                                  : TensorState::kDifferent;
    ++diff.tensors_compared;
    diff.elements_compared += tensor.difference.elements;
    diff.bytes_compared += tensor.reference->ref.logical_bytes();
    diff.tensors_different += different > 0 ? 1 : 0;
    diff.tensors_outside += tensor.outside.elements > 0 ? 1 : 0;
    diff.elements_different += different;
    diff.elements_outside += tensor.outside.elements;
  }
}

/// Outside the tolerance first, then NaN and infinity against numbers, then by size.
void rank(ModelDiff& diff) {
  for (std::size_t i = 0; i < diff.tensors.size(); ++i) {
    if (diff.tensors[i].differs()) {
      diff.worst.push_back(i);
    }
  }
  const auto key = [&diff](std::size_t i) {
    const TensorDiff& tensor = diff.tensors[i];
    const auto& counts = tensor.difference.class_counts;
    const std::uint64_t broken = counts[static_cast<std::size_t>(tensor::DifferenceClass::kNanAgainstNumber)] +
                                 counts[static_cast<std::size_t>(tensor::DifferenceClass::kInfinity)];
    return std::make_tuple(tensor.outside.elements > 0, broken > 0, tensor.difference.max_abs_difference,
                           tensor.difference.max_ulp_distance, tensor.difference.different_elements);
  };
  std::stable_sort(diff.worst.begin(), diff.worst.end(),
                   [&key](std::size_t a, std::size_t b) { return key(a) > key(b); });
}

void set_tolerances(ModelDiff& diff, const Tolerances& tolerances) {
  std::vector<std::string> without;
  for (TensorDiff& tensor : diff.tensors) {
    const std::optional<Tolerance> tolerance = tolerances.find(tensor.name);
    if (!tolerance) {
      without.push_back(tensor.name);
      continue;
    }
    tensor.tolerance = *tolerance;
    diff.any_tolerance = diff.any_tolerance || !tolerance->exact();
  }
  if (!without.empty()) {
    throw core::UsageError(
        fmt::format("{}: no rule matches the name \"{}\"{}; a last rule with the pattern \".\" matches "
                    "every name",
                    tolerances.file(), without.front(),
                    without.size() == 1 ? "" : fmt::format(" and {} more", without.size() - 1)));
  }
}

}  // namespace

Answer ModelDiff::answer() const {
  const bool structure = std::any_of(tensors.begin(), tensors.end(), [](const TensorDiff& tensor) {
    return tensor.state == TensorState::kOtherShape || tensor.state == TensorState::kOtherDtype;
  });
  const bool one_sided = std::any_of(tensors.begin(), tensors.end(), [](const TensorDiff& tensor) {
    return tensor.state == TensorState::kOnlyReference || tensor.state == TensorState::kOnlyCandidate;
  });
  if (elements_compared == 0 && !structure) {
    const bool unreadable = std::any_of(tensors.begin(), tensors.end(),
                                        [](const TensorDiff& tensor) { return tensor.problem.has_value(); });
    return unreadable ? Answer::kIncomplete : Answer::kNothing;
  }
  if (elements_outside > 0 || structure || one_sided) {
    return Answer::kDifferent;
  }
  if (findings.has_error()) {
    return Answer::kIncomplete;
  }
  return elements_different > 0 ? Answer::kWithinTolerance : Answer::kEqual;
}

core::ExitCode ModelDiff::exit_code() const {
  return exit_code_of(answer());
}

core::ExitCode exit_code_of(Answer answer) {
  switch (answer) {
    case Answer::kEqual:
    case Answer::kWithinTolerance:
      return core::ExitCode::kPassed;
    case Answer::kNothing:
      return core::ExitCode::kNothingComparable;
    default:
      return core::ExitCode::kFailed;
  }
}

const TensorDiff* ModelDiff::first_different() const {
  const auto find = [this](TensorState state) {
    const auto at = std::find_if(tensors.begin(), tensors.end(),
                                 [state](const TensorDiff& tensor) { return tensor.state == state; });
    return at == tensors.end() ? nullptr : &*at;
  };
  const TensorDiff* different = find(TensorState::kDifferent);
  return different != nullptr ? different : find(TensorState::kWithinTolerance);
}

ModelDiff pair_models(const std::string& reference_path, const std::string& candidate_path, const NameFilter& filter) {
  ModelDiff diff;
  diff.reference_path = reference_path;
  diff.candidate_path = candidate_path;
  open_models(diff);
  pair_tensors(diff, filter);
  return diff;
}

std::vector<std::string> names_of(const ModelDiff& diff) {
  std::vector<std::string> names;
  for (const tensor::Model* model : {&diff.reference, &diff.candidate}) {
    for (const tensor::ModelTensor& tensor : model->tensors()) {
      names.push_back(tensor.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void compare_pairs(ModelDiff& diff, const DiffOptions& options, core::ThreadPool& pool) {
  set_tolerances(diff, options.tolerances);
  first_pass(diff, pool, options.show_progress);
  decide(diff);
  rank(diff);
  core::Progress progress("statistics", second_pass_bytes(diff), options.show_progress, core::ProgressUnit::kBytes);
  look_again(diff, options.per_position, pool, progress);
  add_findings(diff);
}

}  // namespace rlverify::diff
