// SPDX-License-Identifier: Apache-2.0
// A group's files agree on everything but their slice, or nothing is computed from them. The sidecar's log-probs count
// before those of the inputs: it is what the run itself was checked with.
#include <fmt/format.h>

#include <algorithm>

#include "core/byte_source.h"
#include "replay/inputs.h"
#include "run/sidecar_file.h"
#include "tensor/element.h"
#include "tensor/storage_check.h"

namespace rlverify::replay {
namespace {

using run::LogpInputsFile;
using run::LogpInputsSample;

core::Finding finding(const char* code, const LogpInputsFile& file, std::string what, std::string expected,
                      std::string found) {
  core::Finding out = core::bare_finding(code, core::Severity::kError, core::Section::kReplay, std::move(what));
  out.place.file = file.name;
  out.place.rank = file.rank;
  out.place.call = file.call_index;
  out.expected = std::move(expected);
  out.found = std::move(found);
  return out;
}

std::string numbers_text(const LogpInputsFile& file) {
  return fmt::format(
      "tensor-parallel size {}, context-parallel size {}, temperature {}, vocabulary {} of {}, {} samples, {}, {}",
      file.tensor_parallel_size, file.context_parallel_size, file.temperature, file.real_vocab_size,
      file.padded_vocab_size, file.samples.size(), tensor::torch_name(file.dtype),
      file.logits_are_temperature_scaled ? "scaled" : "not scaled");
}

/// Whether two ranks' vectors of one side hold the same; one that isn't there disagrees with nothing.
bool same_log_probs(const LogpInputsFile& a, const std::optional<run::NumberVector>& left, const LogpInputsFile& b,
                    const std::optional<run::NumberVector>& right) {
  if (!left || !right) {
    return true;
  }
  const run::ElementBytes x = run::load(*a.source, *left);
  const run::ElementBytes y = run::load(*b.source, *right);
  return left->dtype == right->dtype && std::equal(x.view.begin(), x.view.end(), y.view.begin(), y.view.end());
}

/// Whether the slices of a group can be put side by side.
bool ranks_agree(const std::vector<LogpInputsFile>& files, core::Findings& findings) {
  const LogpInputsFile& head = files.front();
  for (const LogpInputsFile& file : files) {
    if (numbers_text(file) != numbers_text(head)) {
      findings.add(finding("RLV-505", file, "the tensor-parallel ranks of a call disagree",
                           numbers_text(head) + ", as " + head.name + " says", numbers_text(file)));
      return false;
    }
    for (std::size_t i = 0; i < file.samples.size(); ++i) {
      if (file.samples[i].targets != head.samples[i].targets) {
        core::Finding other = finding("RLV-505", file, "the tensor-parallel ranks of a call have other targets",
                                      fmt::format("the {} targets of {}", head.samples[i].tokens(), head.name),
                                      fmt::format("{} targets, not the same", file.samples[i].tokens()));
        other.place.sample = static_cast<std::int64_t>(i);
        findings.add(std::move(other));
        return false;
      }
      const run::LogpInputsSample& own = file.samples[i];
      const run::LogpInputsSample& first = head.samples[i];
      if (!same_log_probs(head, first.train_log_probs, file, own.train_log_probs) ||
          !same_log_probs(head, first.rollout_log_probs, file, own.rollout_log_probs)) {
        core::Finding other = finding("RLV-505", file, "the tensor-parallel ranks of a call have other log-probs",
                                      "the log-probs of " + head.name, "others");
        other.place.sample = static_cast<std::int64_t>(i);
        findings.add(std::move(other));
        return false;
      }
    }
  }
  return true;
}

SideValues widened(const core::ByteSource& source, const run::NumberVector& vector) {
  const run::ElementBytes bytes = run::load(source, vector);
  const std::size_t size = tensor::bytes_per_element(vector.dtype);
  SideValues side{vector.dtype, std::vector<double>(vector.element_count)};
  for (std::size_t i = 0; i < side.values.size(); ++i) {
    side.values[i] = tensor::real_element(vector.dtype, bytes.view.data() + i * size);
  }
  return side;
}

std::vector<std::uint8_t> active_rows(const core::ByteSource& source, const run::SidecarSample& sample,
                                      const std::array<sidecar::Range, 2>& ranges) {
  const run::ElementBytes mask = run::load(source, sample.loss_mask);
  const std::size_t size = tensor::bytes_per_element(sample.loss_mask.dtype);
  std::vector<std::uint8_t> active;
  for (const sidecar::Range& range : ranges) {
    for (std::int64_t at = range.begin; at < range.end; ++at) {
      const std::byte* element = mask.view.data() + static_cast<std::size_t>(at) * size;
      active.push_back(tensor::real_element(sample.loss_mask.dtype, element) != 0.0 ? 1 : 0);
    }
  }
  return active;
}

/// Takes the sidecar's sample; returns what doesn't fit, or nothing.
std::string take_sample(const run::SidecarFile& sidecar, const run::SidecarSample& from, const LogpInputsFile& head,
                        LoadedSample& sample) {
  const auto ranges = sidecar::owned_ranges(from.total_length, from.response_length, head.context_parallel_size,
                                            head.context_parallel_rank());
  const std::uint64_t rows = sample.rows();
  if (static_cast<std::uint64_t>(sidecar::owned_count(ranges)) != rows) {
    return fmt::format("{} positions of this rank (total length {}, response length {})", sidecar::owned_count(ranges),
                       from.total_length, from.response_length);
  }
  for (const run::NumberVector* vector : {&from.train_log_probs, &from.rollout_log_probs}) {
    if (vector->element_count != rows) {
      return fmt::format("{} log-probs", vector->element_count);
    }
    if (!tensor::is_floating(vector->dtype) && rows != 0) {
      return fmt::format("log-probs of {}", tensor::torch_name(vector->dtype));
    }
  }
  if (tensor::is_complex(from.loss_mask.dtype)) {
    return "a complex loss mask";
  }
  sample.sides[0] = widened(*sidecar.source, from.train_log_probs);
  sample.sides[1] = widened(*sidecar.source, from.rollout_log_probs);
  sample.active = active_rows(*sidecar.source, from, ranges);
  sample.positions = ranges;
  return "";
}

/// False when the sidecar is there and can't be used: then nothing says which rows are active.
bool take_sidecar(const InputGroup& group, LoadedGroup& loaded, core::Findings& findings) {
  const run::SidecarFile sidecar =
      run::read_sidecar(core::open_file(group.sidecar_path, group.sidecar_name), group.sidecar_name);
  tensor::check_storages(*sidecar.source, *sidecar.pt);
  const LogpInputsFile& head = loaded.head();
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    core::Finding out = finding("RLV-506", head, "the sidecar doesn't fit the inputs", expected, found);
    out.place.file = group.sidecar_name;
    findings.add(std::move(out));
    return false;
  };
  if (sidecar.rank != group.rank || sidecar.call_index != group.call) {
    return refuse(fmt::format("rank {} and call {}, as its name says", group.rank, group.call),
                  fmt::format("rank {} and call {}", sidecar.rank, sidecar.call_index));
  }
  if (sidecar.samples.size() != loaded.samples.size()) {
    return refuse(fmt::format("{} samples, as {} has", loaded.samples.size(), head.name),
                  fmt::format("{}", sidecar.samples.size()));
  }
  for (std::size_t i = 0; i < loaded.samples.size(); ++i) {
    const std::string misfit = take_sample(sidecar, sidecar.samples[i], head, loaded.samples[i]);
    if (!misfit.empty()) {
      return refuse(fmt::format("{} rows in sample {}, as {} has", loaded.samples[i].rows(), i, head.name), misfit);
    }
  }
  return true;
}

void take_own_log_probs(LoadedGroup& loaded) {
  const LogpInputsFile& head = loaded.head();
  for (std::size_t i = 0; i < head.samples.size(); ++i) {
    const LogpInputsSample& from = head.samples[i];
    if (from.train_log_probs) {
      loaded.samples[i].sides[0] = widened(*head.source, *from.train_log_probs);
    }
    if (from.rollout_log_probs) {
      loaded.samples[i].sides[1] = widened(*head.source, *from.rollout_log_probs);
    }
  }
}

void report_missing_sides(const LoadedGroup& loaded, core::Findings& findings) {
  for (const Side side : {Side::kTrain, Side::kRollout}) {
    bool any = false;
    for (const LoadedSample& sample : loaded.samples) {
      any = any || sample.sides.at(static_cast<std::size_t>(side)).has_value();
    }
    if (!any) {
      findings.add(
          finding("RLV-504", loaded.head(), fmt::format("no log-probs of the {} side", side_name(side)),
                  fmt::format("a sidecar of this rank and call, or {}_log_probs beside the inputs", side_name(side)),
                  "neither"));
    }
  }
}

}  // namespace

Place LoadedGroup::place(std::size_t sample, std::size_t row) const {
  Place place;
  place.file = name;
  place.rank = head().rank;
  place.call = head().call_index;
  place.sample = static_cast<std::int64_t>(sample);
  place.index = static_cast<std::int64_t>(row);
  const LoadedSample& from = samples[sample];
  place.token = (*from.targets)[row];
  if (from.positions) {
    place.position = sidecar::response_position(*from.positions, place.index);
  } else if (head().context_parallel_size == 1) {
    place.position = place.index;
  }
  return place;
}

std::optional<LoadedGroup> load_group(const InputGroup& group, core::Findings& findings) {
  LoadedGroup loaded;
  loaded.name = group.names.front();
  try {
    for (std::size_t i = 0; i < group.paths.size(); ++i) {
      loaded.files.push_back(run::read_logp_inputs(core::open_file(group.paths[i], group.names[i]), group.names[i]));
      tensor::check_storages(*loaded.files.back().source, *loaded.files.back().pt);
    }
    if (!ranks_agree(loaded.files, findings)) {
      return std::nullopt;
    }
    loaded.samples.resize(loaded.head().samples.size());
    for (std::size_t i = 0; i < loaded.samples.size(); ++i) {
      loaded.samples[i].targets = &loaded.head().samples[i].targets;
      for (const LogpInputsFile& file : loaded.files) {
        loaded.samples[i].parts.push_back(file.samples[i].matrix);
      }
    }
    take_own_log_probs(loaded);
  } catch (const core::ArtifactError& error) {
    findings.add(error.problem(), "RLV-501", core::Section::kReplay);
    return std::nullopt;
  }
  try {
    if (!group.sidecar_path.empty() && !take_sidecar(group, loaded, findings)) {
      return std::nullopt;
    }
  } catch (const core::ArtifactError& error) {
    findings.add(error.problem(), "RLV-506", core::Section::kReplay);
    return std::nullopt;
  }
  report_missing_sides(loaded, findings);
  return loaded;
}

}  // namespace rlverify::replay
