// SPDX-License-Identifier: Apache-2.0
// The forms of dumps and sidecars (spec/run-artifacts.md sections 6 and 7). Several ranks hold the same sample: the
// first fills it, the others must agree byte for byte.
#include "compare/samples_reader.h"

#include <fmt/format.h>

#include "core/byte_source.h"
#include "tensor/element.h"
#include "tensor/storage_check.h"

namespace rlverify::compare {
namespace {

using core::Section;

std::vector<std::int64_t> integers(const core::ByteSource& source, const tensor::PtFile& pt, core::Value value,
                                   const std::string& field) {
  const run::NumberVector vector = run::number_vector(pt, value, source.name(), field);
  if (!tensor::is_integer(vector.dtype) && vector.element_count != 0) {
    run::fail_field(source.name(), field, "integers", run::describe(pt, value));
  }
  const run::ElementBytes bytes = run::load(source, vector);
  const std::size_t width = tensor::bytes_per_element(vector.dtype);
  std::vector<std::int64_t> out(vector.element_count);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = tensor::integer_element(vector.dtype, bytes.view.data() + i * width);
  }
  return out;
}

std::optional<std::int64_t> length_at(const core::ByteSource& source, const tensor::PtFile& pt, core::Value list,
                                      std::size_t i, const char* name) {
  if (!list.present()) {
    return std::nullopt;
  }
  return run::whole_number(source, pt, list.at(i), 0, fmt::format("{}[{}]", name, i));
}

/// The file name's rank, where the payload has none.
std::int64_t rank_of_name(const std::string& name) {
  const std::size_t at = name.find(".rank");
  return at == std::string::npos ? -1 : std::strtoll(name.c_str() + at + 5, nullptr, 10);
}

}  // namespace

void StepReader::read_dump(const std::string& name) {
  const std::string path = fmt::format("{}/{}/{}", sources_.run_path, sources_.folder, name);
  ++out_.files;
  try {
    const run::DumpFile dump = run::read_dump(core::open_file(path), name);
    tensor::check_storages(*dump.source, *dump.pt);
    out_.bytes += dump.source->size();
    out_.tensors += dump.pt->tensors.size();
    if (dump.rollout_id && *dump.rollout_id != out_.step) {
      run::fail_field(path, "rollout_id", fmt::format("{}, as the file's name says", out_.step),
                      fmt::format("{}", *dump.rollout_id));
    }
    if (dump.samples.present()) {
      read_form_2(dump);
    } else if (dump.rollout_data.present()) {
      read_form_1(dump);
    } else {
      run::fail_field(path, "payload", "a dict with samples or rollout_data", run::describe(*dump.pt, dump.pt->root()));
    }
  } catch (const core::ArtifactError& error) {
    unusable(error, "RLV-325", Section::kTokens, nullptr);
  }
}

void StepReader::read_form_1(const run::DumpFile& dump) {
  const core::Value data = dump.rollout_data;
  const Origin origin = {*dump.source, *dump.pt, dump.rank ? *dump.rank : rank_of_name(dump.name), -1};
  const std::string& file = dump.source->name();
  const core::Value tokens = data.get("tokens");
  if (!tokens.is_sequence()) {
    run::fail_field(file, "rollout_data.tokens", "a list", run::describe(*dump.pt, tokens));
  }
  const std::vector<std::int64_t> indices =
      integers(*dump.source, *dump.pt, data.get("sample_indices"), "rollout_data.sample_indices");
  const core::Value totals = data.get("total_lengths");
  const core::Value responses = data.get("response_lengths");
  const core::Value train = data.get("log_probs");
  const core::Value rollout = data.get("rollout_log_probs");
  for (const core::Value list : {totals, responses, train, rollout}) {
    if (list.is_sequence() && list.size() != tokens.size()) {
      run::fail_field(file, "rollout_data", fmt::format("lists of {} entries, as tokens has", tokens.size()),
                      fmt::format("a list of {}", list.size()));
    }
  }
  if (indices.size() != tokens.size()) {
    run::fail_field(file, "rollout_data.sample_indices", fmt::format("{} entries, as tokens has", tokens.size()),
                    fmt::format("{}", indices.size()));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Sample& target = sample(indices[i], file);
    put_lengths(target, length_at(*dump.source, *dump.pt, totals, i, "total_lengths").value_or(-1),
                length_at(*dump.source, *dump.pt, responses, i, "response_lengths").value_or(-1), origin);
    put_tokens(target, origin, tokens.at(i), fmt::format("rollout_data.tokens[{}]", i));
    put_log_probs(target, origin, LogProbKind::kTrain, train.at(i), fmt::format("rollout_data.log_probs[{}]", i),
                  false);
    put_log_probs(target, origin, LogProbKind::kRollout, rollout.at(i),
                  fmt::format("rollout_data.rollout_log_probs[{}]", i), false);
  }
  order_by_rank_[origin.rank] = indices;
}

void StepReader::read_form_2(const run::DumpFile& dump) {
  const Origin origin = {*dump.source, *dump.pt, dump.rank ? *dump.rank : -1, -1};
  for (std::size_t i = 0; i < dump.samples.size(); ++i) {
    read_sample_of_form_2(origin, dump.samples.at(i), i);
  }
}

void StepReader::read_sample_of_form_2(const Origin& origin, core::Value entry, std::size_t position) {
  const auto field = [position](const char* name) { return fmt::format("samples[{}].{}", position, name); };
  const core::Value own = entry.get("sample_index");
  const std::int64_t index = run::whole_number(origin.source, origin.pt, own.present() ? own : entry.get("index"), 0,
                                               field(own.present() ? "sample_index" : "index"));
  Sample& target = sample(index, origin.source.name());
  const auto length = [&](const char* name, const char* other) {
    const core::Value value = entry.get(name).present() ? entry.get(name) : entry.get(other);
    return value.present() ? run::whole_number(origin.source, origin.pt, value, 0, field(name)) : -1;
  };
  put_lengths(target, length("total_length", "total_lengths"), length("response_length", "response_lengths"), origin);
  put_tokens(target, origin, entry.get("tokens"), field("tokens"));
  put_log_probs(target, origin, LogProbKind::kTrain, entry.get("log_probs"), field("log_probs"), true);
  put_log_probs(target, origin, LogProbKind::kRollout, entry.get("rollout_log_probs"), field("rollout_log_probs"),
                true);
  const core::Value group = entry.get("data_parallel_rank");
  order_by_group_[group.is_integer() ? group.integer() : 0].push_back(index);
}

std::vector<std::int64_t> StepReader::samples_of_rank(std::int64_t rank) const {
  if (const auto order = order_by_rank_.find(rank); order != order_by_rank_.end()) {
    return order->second;
  }
  const std::int64_t ranks_per_group = sources_.tensor_parallel_size * sources_.context_parallel_size;
  const auto group = ranks_per_group > 0 ? order_by_group_.find(rank / ranks_per_group) : order_by_group_.end();
  return group == order_by_group_.end() ? std::vector<std::int64_t>() : group->second;
}

void StepReader::read_sidecars(const std::vector<SidecarName>& names) {
  std::vector<SidecarName> of_rank;
  for (std::size_t i = 0; i < names.size(); ++i) {
    of_rank.push_back(names[i]);
    if (i + 1 == names.size() || names[i + 1].rank != names[i].rank) {
      read_rank_of_sidecars(names[i].rank, of_rank);
      of_rank.clear();
    }
  }
}

void StepReader::read_rank_of_sidecars(std::int64_t rank, const std::vector<SidecarName>& names) {
  const std::vector<std::int64_t> indices = samples_of_rank(rank);
  if (indices.empty()) {
    return;  // nothing says which samples these are
  }
  std::size_t next = 0;
  for (const SidecarName& name : names) {
    const std::string path = fmt::format("{}/mismatch-sidecars/{}", sources_.run_path, name.name);
    ++out_.files;
    try {
      const run::SidecarFile file = run::read_sidecar(core::open_file(path), name.name);
      tensor::check_storages(*file.source, *file.pt);
      out_.bytes += file.source->size();
      out_.tensors += file.pt->tensors.size();
      if (next + file.samples.size() > indices.size()) {
        run::fail_field(path, "samples",
                        fmt::format("{} in all calls of the step, as the rank's dump has", indices.size()), "more");
      }
      const Origin origin = {*file.source, *file.pt, rank, name.call};
      for (const run::SidecarSample& entry : file.samples) {
        Sample& target = sample(indices[next++], path);
        try {
          put_lengths(target, entry.total_length, entry.response_length, origin);
          put_piece(target, origin, LogProbKind::kSidecarTrain, entry.train_log_probs, false);
          put_piece(target, origin, LogProbKind::kSidecarRollout, entry.rollout_log_probs, false);
        } catch (const core::ArtifactError& error) {
          unusable(error, "RLV-335", Section::kLogProbs, &target);
        }
      }
    } catch (const core::ArtifactError& error) {
      unusable(error, "RLV-335", Section::kLogProbs, nullptr);
      return;  // without this file the later ones can't be lined up
    }
  }
}

StepSamples StepReader::take() {
  for (auto& entry : samples_) {
    out_.samples.push_back(std::move(entry.second));
  }
  return std::move(out_);
}

}  // namespace rlverify::compare
