// SPDX-License-Identifier: Apache-2.0
// One fault that many tensors share is one problem with a list of names, so that a broken index of 80,000 tensors stays
// readable.
#include "tensor/model_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "core/json_reader.h"
#include "tensor/fail.h"
#include "tensor/pt_reader.h"
#include "tensor/safetensors_reader.h"
#include "tensor/storage_check.h"
#include "tensor/value_walk.h"

namespace rlverify::tensor {
namespace {

using core::ProblemKind;

constexpr std::size_t kMaxTensors = 4'000'000;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string counted(const std::string& first, std::size_t count) {
  return count < 2 ? fmt::format("\"{}\"", first) : fmt::format("\"{}\" and {} more", first, count - 1);
}

bool lies_below(std::string_view path, std::string_view parent) {
  return path.size() > parent.size() && path.substr(0, parent.size()) == parent &&
         (parent.empty() || path[parent.size()] == '.' || path[parent.size()] == '[');
}

}  // namespace

ModelBuilder::ModelBuilder(std::string path, std::string name, const ModelOptions& options)
    : path_(std::move(path)), name_(std::move(name)), state_(*model_.state_) {
  state_.path = path_;
  state_.max_open_files = std::max<std::size_t>(options.max_open_files, 1);
}

void ModelBuilder::add_problem(ModelFault fault, std::string file, std::string expected, std::string found,
                               const std::vector<std::string>& affected) {
  ModelProblem problem;
  problem.fault = fault;
  problem.problem.file = std::move(file);
  problem.problem.expected = std::move(expected);
  problem.problem.found = std::move(found);
  problem.tensor = affected.empty() ? "" : affected.front();
  problem.affected = affected;
  state_.problems.push_back(std::move(problem));
}

void ModelBuilder::add_tensor(std::string name, std::uint32_t file, TensorRef ref) {
  if (ref.explodes()) {
    add_problem(ModelFault::kExploding, state_.files[file].name,
                fmt::format("a tensor of at most 64 times the {} bytes of its storage", ref.storage_bytes),
                fmt::format("\"{}\", whose strides unfold to {} bytes", name, ref.logical_bytes()), {name});
    state_.missing.push_back(std::move(name));
    return;
  }
  if (state_.tensors.size() == kMaxTensors) {
    fail(ProblemKind::kLimit, state_.files[file].name, 0, fmt::format("at most {} tensors", kMaxTensors), "more");
  }
  state_.tensors.push_back({std::move(name), file, std::move(ref)});
}

void ModelBuilder::add_pt(const core::ByteSource& source, std::uint32_t file, const std::string& prefix) {
  const PtFile pt = read_pt(source);
  TensorPaths paths = find_tensors(pt);
  if (!paths.stopped.empty()) {
    fail(ProblemKind::kLimit, source.name(), 0, "values that can be walked", paths.stopped);
  }
  // A part that is met again holds its tensors under the second path, too. Parts inside it were met before it, so one
  // pass in order is enough.
  for (const SharedPart& part : paths.shared) {
    const std::size_t count = part.inside_itself ? 0 : paths.tensors.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (lies_below(paths.tensors[i].path, part.first_path)) {
        if (paths.tensors.size() == kMaxTensors) {
          fail(ProblemKind::kLimit, source.name(), 0, fmt::format("at most {} tensors", kMaxTensors),
               "parts that share each other until there are more");
        }
        paths.tensors.push_back(
            {part.path + paths.tensors[i].path.substr(part.first_path.size()), paths.tensors[i].value});
      }
    }
  }
  std::vector<std::shared_ptr<const StorageCheck>> checks(pt.storages.size());
  std::transform(pt.storages.begin(), pt.storages.end(), checks.begin(), [](const Storage& storage) {
    return storage.crc32 == 0 ? nullptr : std::make_shared<const StorageCheck>(storage);
  });
  for (TensorAt& at : paths.tensors) {
    TensorRef ref = pt.tensor(at.value);
    ref.check = checks[ref.storage];
    add_tensor(prefix + at.path, file, std::move(ref));
  }
}

void ModelBuilder::add_file(const std::string& path, const std::string& name, const std::string& prefix) {
  const auto source = core::open_file(path, name);
  const auto file = static_cast<std::uint32_t>(state_.files.size());
  const std::size_t first_tensor = state_.tensors.size();
  state_.files.push_back({path, name, source->size(), 0, ends_with(path, ".safetensors")});
  try {
    if (!state_.files.back().is_safetensors) {
      add_pt(*source, file, prefix);
      return;
    }
    SafetensorsFile header = read_safetensors(*source);
    state_.files.back().header_bytes = header.header_bytes;
    for (SafetensorsEntry& entry : header.tensors) {
      add_tensor(prefix + entry.name, file, std::move(entry.ref));
    }
  } catch (const core::ArtifactError&) {
    state_.tensors.resize(first_tensor);
    throw;
  }
}

void ModelBuilder::add_single_file() {
  add_file(path_, name_, "");
}

bool ModelBuilder::try_add_file(const std::string& relative, const std::string& prefix,
                                const std::vector<std::string>& affected) {
  try {
    add_file(path_ + "/" + relative, name_ + "/" + relative, prefix);
    return true;
  } catch (const core::ArtifactError& error) {
    ModelProblem problem;
    problem.problem = error.problem();
    problem.affected = affected;
    state_.problems.push_back(std::move(problem));
    return false;
  }
}

void ModelBuilder::add_files(const std::vector<std::string>& files, bool name_by_file) {
  for (const std::string& file : files) {
    try_add_file(file, name_by_file ? file + ":" : "", {});
  }
}

void ModelBuilder::add_index(const std::string& index_name, const std::vector<std::string>& present) {
  ModelIndex index;
  try {
    const auto source = core::open_file(path_ + "/" + index_name, name_ + "/" + index_name);
    index = read_model_index(*source);
  } catch (const core::ArtifactError& error) {
    ModelProblem problem;
    problem.problem = error.problem();
    state_.problems.push_back(std::move(problem));
    add_files(present, false);
    return;
  }
  std::vector<std::vector<std::string>> named(index.files.size());
  for (const IndexEntry& entry : index.entries) {
    named[entry.file].push_back(entry.tensor);
  }
  std::vector<bool> readable(index.files.size(), false);
  for (std::size_t i = 0; i < index.files.size(); ++i) {
    const std::string& file = index.files[i];
    if (const std::string reason = unsafe_path_reason(file); !reason.empty()) {
      add_problem(ModelFault::kPathLeaves, name_ + "/" + index_name, "the name of a file in the directory",
                  fmt::format("\"{}\" for {} tensors: {}", file, named[i].size(), reason), named[i]);
    } else if (!std::binary_search(present.begin(), present.end(), file) && !is_on_disk(file)) {
      add_problem(ModelFault::kMissingShard, name_ + "/" + index_name, "every file that the index names",
                  fmt::format("index names missing shard `{}` ({} tensors)", file, named[i].size()), named[i]);
    } else {
      readable[i] = try_add_file(file, "", named[i]);
    }
  }
  for (const std::string& file : present) {
    if (!std::binary_search(index.files.begin(), index.files.end(), file)) {
      add_problem(ModelFault::kFileNotInIndex, name_ + "/" + file, "a tensor file that the index names",
                  fmt::format("one that {} doesn't name; it is not compared", index_name), {});
    }
  }
  check_against_index(index, index_name, readable);
}

void ModelBuilder::leave_out(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    add_problem(ModelFault::kFileNotInIndex, name_ + "/" + file, "one format in a directory",
                "a .pt file beside .safetensors files; it is not compared", {});
  }
}

void ModelBuilder::check_against_index(const ModelIndex& index, const std::string& index_name,
                                       const std::vector<bool>& readable) {
  sort_names();
  // Where each tensor really is: a name may be in several files, so a range of by_name.
  const auto files_of = [this](const std::string& name) {
    const auto range = name_range(name);
    std::vector<std::string> files;
    for (auto at = range.first; at != range.second; ++at) {
      files.push_back(state_.files[state_.tensors[*at].file].name);
    }
    return files;
  };
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> absent;
  for (const IndexEntry& entry : index.entries) {
    const std::vector<std::string> files = files_of(entry.tensor);
    const std::string expected = name_ + "/" + index.files[entry.file];
    if (files.empty()) {
      state_.missing.push_back(entry.tensor);
    }
    if (readable[entry.file] && std::find(files.begin(), files.end(), expected) == files.end()) {
      absent[{expected, files.empty() ? "it is in no shard" : "it is in " + files.front()}].push_back(entry.tensor);
    }
  }
  for (const auto& [places, tensors] : absent) {
    add_problem(ModelFault::kTensorAbsent, places.first,
                fmt::format("tensor {}, which {} names here", counted(tensors.front(), tensors.size()), index_name),
                places.second, tensors);
  }
  std::map<std::string, std::vector<std::string>> unnamed;
  for (const std::uint32_t i : state_.by_name) {
    const ModelTensor& tensor = state_.tensors[i];
    const auto at =
        std::lower_bound(index.entries.begin(), index.entries.end(), tensor.name,
                         [](const IndexEntry& entry, const std::string& name) { return entry.tensor < name; });
    if (at == index.entries.end() || at->tensor != tensor.name) {
      unnamed[state_.files[tensor.file].name].push_back(tensor.name);
    }
  }
  for (const auto& [file, tensors] : unnamed) {
    add_problem(ModelFault::kTensorNotInIndex, file, fmt::format("tensors that {} names", index_name),
                fmt::format("tensor {}, which it doesn't name", counted(tensors.front(), tensors.size())), tensors);
  }
}

void ModelBuilder::read_config() {
  try {
    const core::JsonDocument config =
        core::read_json(*core::open_file(path_ + "/config.json"), core::JsonMode::kStrict);
    for (const core::Value value :
         {config.root().get("tie_word_embeddings"), config.root().path({"text_config", "tie_word_embeddings"})}) {
      if (value.is(core::Kind::kBoolean) && !state_.tie_word_embeddings) {
        state_.tie_word_embeddings = value.boolean();
      }
    }
  } catch (const core::ArtifactError&) {
    // No config, or none that says anything: nothing is assumed then.
  }
}

}  // namespace rlverify::tensor
