// SPDX-License-Identifier: Apache-2.0
// What a path is decides how it is read. Names alone are looked at for that, never contents: a folder with one .distcp
// in it is refused before anything is opened.
#include "tensor/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "tensor/fail.h"
#include "tensor/model_builder.h"

namespace rlverify::tensor {
namespace {

namespace fs = std::filesystem;
using core::ProblemKind;

constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kIndexEnd = ".safetensors.index.json";
constexpr const char* kDistcpReason =
    "a Megatron distributed checkpoint (.distcp): its tensors are cut up over the ranks of the run that wrote it, and "
    "how is only said in a pickle that would have to be run; export it to safetensors first";

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}
bool is_pt(std::string_view name) {
  return ends_with(name, ".pt") || ends_with(name, ".pth");
}

struct DirectoryContent {
  std::vector<std::string> safetensors;
  std::vector<std::string> pt;
  std::vector<std::string> indices;
  bool distcp = false;
};

/// The files of a directory that matter to a model; hidden ones (unfinished writes) don't.
DirectoryContent list_directory(const std::string& path, std::error_code& error) {
  DirectoryContent content;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (name.front() == '.') {
      continue;
    }
    if (ends_with(name, ".safetensors")) {
      content.safetensors.push_back(name);
    } else if (is_pt(name)) {
      content.pt.push_back(name);
    } else if (ends_with(name, kIndexEnd)) {
      content.indices.push_back(name);
    }
    content.distcp = content.distcp || ends_with(name, ".distcp");
  }
  for (std::vector<std::string>* names : {&content.safetensors, &content.pt, &content.indices}) {
    std::sort(names->begin(), names->end());
  }
  return content;
}

[[noreturn]] void refuse(const std::string& name, std::string expected, std::string found,
                         ProblemKind kind = ProblemKind::kMalformed) {
  core::Problem problem;
  problem.kind = kind;
  problem.file = name;
  problem.expected = std::move(expected);
  problem.found = std::move(found);
  throw core::ArtifactError(std::move(problem));
}

Model open_directory(const std::string& path, const std::string& name, const ModelOptions& options) {
  std::error_code error;
  const DirectoryContent content = list_directory(path, error);
  if (error) {
    refuse(name, "a directory that can be listed", error.message(), ProblemKind::kUnreadable);
  }
  if (content.distcp) {
    refuse(name, "a model", kDistcpReason);
  }
  ModelBuilder builder(path, name, options);
  const auto standard = std::find(content.indices.begin(), content.indices.end(), kIndexName);
  if (content.indices.size() > 1 && standard == content.indices.end()) {
    refuse(name, "one index of shards", fmt::format("{} and {}", content.indices[0], content.indices[1]));
  }
  if (!content.indices.empty()) {
    builder.add_index(standard != content.indices.end() ? *standard : content.indices.front(), content.safetensors);
  } else if (!content.safetensors.empty()) {
    builder.add_files(content.safetensors, false);
    builder.leave_out(content.pt);
  } else if (!content.pt.empty()) {
    builder.add_files(content.pt, options.name_by_file && content.pt.size() > 1);
  } else {
    refuse(name, "a directory with .safetensors, .pt or .pth files", "none in it");
  }
  builder.read_config();
  return builder.finish();
}

}  // namespace

Model::Model() : state_(std::make_unique<State>()) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

const std::string& Model::path() const {
  return state_->path;
}
const std::vector<ModelTensor>& Model::tensors() const {
  return state_->tensors;
}
const std::vector<ModelFile>& Model::files() const {
  return state_->files;
}
const std::vector<ModelProblem>& Model::problems() const {
  return state_->problems;
}
const std::vector<std::uint32_t>& Model::by_name() const {
  return state_->by_name;
}
const std::vector<std::string>& Model::missing_names() const {
  return state_->missing;
}
std::optional<bool> Model::tie_word_embeddings() const {
  return state_->tie_word_embeddings;
}

const ModelTensor* Model::find(std::string_view name) const {
  const auto at =
      std::lower_bound(state_->by_name.begin(), state_->by_name.end(), name,
                       [this](std::uint32_t i, std::string_view wanted) { return state_->tensors[i].name < wanted; });
  return at != state_->by_name.end() && state_->tensors[*at].name == name ? &state_->tensors[*at] : nullptr;
}

bool Model::may_hold(std::string_view name) const {
  const bool unknown_content =
      std::any_of(state_->problems.begin(), state_->problems.end(), [](const ModelProblem& problem) {
        return problem.fault == ModelFault::kUnreadableFile && problem.affected.empty();
      });
  return unknown_content || std::binary_search(state_->missing.begin(), state_->missing.end(), name,
                                               [](std::string_view a, std::string_view b) { return a < b; });
}

std::shared_ptr<const core::ByteSource> Model::source(std::uint32_t file) const {
  const std::lock_guard lock(state_->mutex);
  auto& open = state_->open;
  const auto known = std::find_if(open.begin(), open.end(),
                                  [file](const State::OpenFile& candidate) { return candidate.file == file; });
  if (known != open.end()) {
    std::rotate(known, known + 1, open.end());
    return open.back().source;
  }
  const ModelFile& wanted = state_->files.at(file);
  std::shared_ptr<const core::ByteSource> source = core::open_file(wanted.path, wanted.name);
  if (source->size() != wanted.bytes) {
    refuse(wanted.name, fmt::format("the {} bytes that it had when its tensors were listed", wanted.bytes),
           fmt::format("{}: it changed meanwhile", source->size()), ProblemKind::kUnreadable);
  }
  if (open.size() == state_->max_open_files) {
    open.erase(open.begin());
  }
  open.push_back({file, source});
  return source;
}

std::uint64_t Model::logical_bytes() const {
  std::uint64_t sum = 0;
  for (const ModelTensor& tensor : state_->tensors) {
    sum += tensor.ref.logical_bytes();
  }
  return sum;
}

Model open_model(const std::string& path, std::string name, const ModelOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return open_directory(path, name, options);
  }
  if (ends_with(path, ".distcp")) {
    refuse(name, "a model", kDistcpReason);
  }
  if (!is_pt(path) && !ends_with(path, ".safetensors") && fs::exists(path, error)) {
    refuse(name, "a .safetensors, .pt or .pth file or a directory of them", "another kind of file");
  }
  ModelBuilder builder(path, std::move(name), options);
  builder.add_single_file();
  return builder.finish();
}

Model open_model(const std::string& path) {
  return open_model(path, path);
}

bool looks_like_model(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return fs::is_regular_file(path, error) && (is_pt(path) || ends_with(path, ".safetensors"));
  }
  const DirectoryContent content = list_directory(path, error);
  return !content.safetensors.empty() || !content.pt.empty() || !content.indices.empty() || content.distcp;
}

std::string_view fault_code(ModelFault fault) {
  static constexpr std::array<std::string_view, 8> kCodes = {"RLV-220", "RLV-221", "RLV-222", "RLV-223",
                                                             "RLV-224", "RLV-225", "RLV-226", "RLV-227"};
  return kCodes.at(static_cast<std::size_t>(fault));
}

void add_findings(const Model& model, core::Section section, core::Findings& findings) {
  static constexpr std::array<std::string_view, 8> kWhat = {"a file of the model can't be read",
                                                            "a shard of the model is missing",
                                                            "a tensor is not where the index says",
                                                            "a tensor is not in the index",
                                                            "the index names a file outside the directory",
                                                            "a tensor name comes twice",
                                                            "a tensor unfolds to far more than its storage",
                                                            "a tensor file is not part of the model"};
  for (const ModelProblem& problem : model.problems()) {
    core::Finding finding = core::bare_finding(
        std::string(fault_code(problem.fault)),
        problem.fault == ModelFault::kFileNotInIndex ? core::Severity::kWarning : core::Severity::kError, section,
        std::string(kWhat.at(static_cast<std::size_t>(problem.fault))));
    finding.place.file = problem.problem.file;
    finding.place.offset = problem.problem.offset;
    finding.place.tensor = problem.tensor;
    finding.expected = problem.problem.expected;
    finding.found = problem.problem.found;
    findings.add(std::move(finding));
  }
}

}  // namespace rlverify::tensor
