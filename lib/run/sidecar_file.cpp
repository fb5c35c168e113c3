// SPDX-License-Identifier: Apache-2.0
// Fields are read in the order in which the public reader reads them, so that the first fault named is the same.
#include "run/sidecar_file.h"

#include <fmt/format.h>

#include <array>

#include "core/python_value.h"

namespace rlverify::run {
namespace {

constexpr std::array<const char*, 5> kLists = {"train_log_probs", "rollout_log_probs", "loss_masks", "total_lengths",
                                               "response_lengths"};

void check_lists(const SidecarFile& file, core::Value payload) {
  std::string missing;
  for (const char* name : kLists) {
    if (!payload.get(name).is_sequence()) {
      missing += (missing.empty() ? "" : ", ") + std::string(name);
    }
  }
  if (!missing.empty()) {
    fail_field(file.source->name(), missing, "a list", "something else or nothing");
  }
  const std::size_t count = payload.get(kLists[0]).size();
  for (const char* name : kLists) {
    if (payload.get(name).size() != count) {
      fail_field(file.source->name(), name, fmt::format("{} entries, as {} has", count, kLists[0]),
                 fmt::format("{} entries", payload.get(name).size()));
    }
  }
}

/// Refuses what an engine writes in place of a number, by position.
void refuse_nulls(const std::string& where, const char* name, core::Value vector, std::size_t sample) {
  for (std::size_t i = 0; vector.is_sequence() && i < vector.size(); ++i) {
    const core::Value element = vector.at(i);
    if (element.is(core::Kind::kNull) || element.is_string()) {
      fail_field(where, name, "numbers",
                 fmt::format("sample {} position {}: logprob is {}", sample, i,
                             element.is_string() ? "the string " + core::python_repr(element.text().substr(0, 40))
                                                 : "null (engine produced a non-finite value)"));
    }
  }
}

SidecarSample read_sample(const SidecarFile& file, core::Value payload, std::size_t index) {
  const std::string& where = file.source->name();
  const auto field = [index](const char* name) {
    return fmt::format("{}[{}] (rank and call of the file, sample {})", name, index, index);
  };
  SidecarSample sample;
  sample.total_length =
      whole_number(*file.source, *file.pt, payload.get("total_lengths").at(index), 1, field("total_lengths"));
  sample.response_length =
      whole_number(*file.source, *file.pt, payload.get("response_lengths").at(index), 1, field("response_lengths"));
  sample.loss_mask = number_vector(*file.pt, payload.get("loss_masks").at(index), where, field("loss_masks"));
  if (sample.loss_mask.element_count != static_cast<std::uint64_t>(sample.response_length)) {
    fail_field(where, field("loss_masks"), fmt::format("{} values, the response length", sample.response_length),
               fmt::format("{} values", sample.loss_mask.element_count));
  }
  if (sample.total_length < sample.response_length) {
    fail_field(where, field("total_lengths"), fmt::format("at least the response length {}", sample.response_length),
               fmt::format("{}", sample.total_length));
  }
  for (const char* name : {"train_log_probs", "rollout_log_probs"}) {
    refuse_nulls(where, name, payload.get(name).at(index), index);
  }
  sample.train_log_probs =
      number_vector(*file.pt, payload.get("train_log_probs").at(index), where, field("train_log_probs"));
  sample.rollout_log_probs =
      number_vector(*file.pt, payload.get("rollout_log_probs").at(index), where, field("rollout_log_probs"));
  return sample;
}

}  // namespace

SidecarFile read_sidecar(std::unique_ptr<core::ByteSource> source, std::string name) {
  SidecarFile file;
  file.name = std::move(name);
  file.source = std::move(source);
  file.pt = std::make_unique<tensor::PtFile>(tensor::read_pt(*file.source));
  const core::Value payload = file.pt->root();
  const std::string& where = file.source->name();
  if (!payload.is_dict()) {
    fail_field(where, "payload", "a dict", describe(*file.pt, payload));
  }
  const core::Value schema = payload.get("schema_version");
  if (!schema.is_string() || schema.text() != kSidecarSchema) {
    fail_field(where, "schema_version", kSidecarSchema, describe(*file.pt, schema));
  }
  file.tensor_parallel_size = payload.get("tensor_parallel_size");
  file.context_parallel_size = payload.get("context_parallel_size");
  check_lists(file, payload);
  file.rank = whole_number(*file.source, *file.pt, payload.get("rank"), 0, "rank");
  file.call_index = whole_number(*file.source, *file.pt, payload.get("call_index"), 0, "call_index");
  const std::size_t count = payload.get("loss_masks").size();
  file.samples.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    file.samples.push_back(read_sample(file, payload, index));
  }
  return file;
}

}  // namespace rlverify::run
