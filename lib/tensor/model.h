// SPDX-License-Identifier: Apache-2.0
// A model on disk as one list of named tensors, whatever it is stored in: one .safetensors, one .pt or .pth, a
// directory of them, or shards behind model.safetensors.index.json. Only headers and pickles are read here; elements
// are read later, by whoever compares. A fault of one file doesn't hide the others: it is kept beside the tensors that
// could be read, and whoever judges must not pass a model that has one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/finding.h"
#include "tensor/tensor_ref.h"

namespace rlverify::tensor {

/// What can be wrong with a model beyond a single tensor's bytes.
enum class ModelFault : std::uint8_t {
  kUnreadableFile,  ///< RLV-220: a file of the model, or its index, can't be read
  kMissingShard,    ///< RLV-221: the index names a file that is not there
  kTensorAbsent,    ///< RLV-222: the index names a tensor that is not in the shard it names (`problem.found` says where
                    ///< it is)
  kTensorNotInIndex,  ///< RLV-223: a shard holds a tensor that the index doesn't name
  kPathLeaves,        ///< RLV-224: the index names a file outside the directory
  kDuplicateTensor,   ///< RLV-225: two files (or two paths of one pickle) give one tensor name
  kExploding,         ///< RLV-226: strides that unfold to more than 64 times the storage; not compared
  kFileNotInIndex,    ///< RLV-227 (warning): a tensor file beside the model's that is not part of it
};

/// One fault, with the tensors that can't be judged because of it.
struct ModelProblem {
  ModelFault fault = ModelFault::kUnreadableFile;
  core::Problem problem;              ///< file, what was expected, what was found
  std::string tensor;                 ///< where the fault is one tensor's
  std::vector<std::string> affected;  ///< names known to be missing because of it (an index lists them)
};

/// A tensor of a model: its name and where its elements are.
struct ModelTensor {
  std::string name;
  std::uint32_t file = 0;  ///< position in Model::files()
  TensorRef ref;
};

/// A file of a model. `header_bytes` is 8 + N for safetensors, 0 for other containers.
struct ModelFile {
  std::string path;  ///< for opening
  std::string name;  ///< for messages: relative to what the user named
  std::uint64_t bytes = 0;
  std::uint64_t header_bytes = 0;
  bool is_safetensors = false;
};

struct ModelOptions {
  /// Tensors of a directory without safetensors files are named "FILE:TENSOR" when it holds several .pt files, as a
  /// folder of dumps does. Off: all names are global, as in a sharded state dict.
  bool name_by_file = false;
  /// Handles that are open at the same time.
  std::size_t max_open_files = 32;
};

/// Reads are safe from several threads at once.
class Model {
 public:
  Model();
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  /// Path as given to open_model.
  [[nodiscard]] const std::string& path() const;
  /// In file order: files by name (an index keeps that order), tensors as their file lists them. Each name once.
  [[nodiscard]] const std::vector<ModelTensor>& tensors() const;
  [[nodiscard]] const std::vector<ModelFile>& files() const;
  [[nodiscard]] const std::vector<ModelProblem>& problems() const;
  /// The tensor of that name, or null. Logarithmic.
  [[nodiscard]] const ModelTensor* find(std::string_view name) const;
  /// Positions in tensors(), by name (bytes, which is by code point).
  [[nodiscard]] const std::vector<std::uint32_t>& by_name() const;
  /// Whether the model may hold a tensor that find() doesn't know: a missing shard's, an absent one's, or any name when
  /// the content of an unreadable file is unknown.
  [[nodiscard]] bool may_hold(std::string_view name) const;
  /// Names that belong to the model and can't be read, sorted.
  [[nodiscard]] const std::vector<std::string>& missing_names() const;
  /// tie_word_embeddings of the config.json beside the weights; nothing where there is none, or it doesn't say.
  [[nodiscard]] std::optional<bool> tie_word_embeddings() const;
  /// The bytes of file `file`, opened when first asked for; the least recently used handle is closed when too many are
  /// open. Throws ArtifactError when it is gone or its size has changed.
  [[nodiscard]] std::shared_ptr<const core::ByteSource> source(std::uint32_t file) const;
  /// Sum of logical_bytes() of all tensors.
  [[nodiscard]] std::uint64_t logical_bytes() const;

 private:
  friend class ModelBuilder;
  struct State;
  std::unique_ptr<State> state_;
};

/// Opens `path`; `name` is used in messages. Throws ArtifactError when nothing of it is a model: no such path, a
/// directory without tensor files, a Megatron .distcp checkpoint (named with the reason), or a single file that can't
/// be read. Faults of parts are in problems().
[[nodiscard]] Model open_model(const std::string& path, std::string name, const ModelOptions& options = {});
[[nodiscard]] Model open_model(const std::string& path);

/// Calls `visit(reference, candidate)` for each name of two models, in ascending order; null on the side that lacks it.
template <typename Visit>
void for_each_name(const Model& reference, const Model& candidate, const Visit& visit) {
  auto a = reference.by_name().begin();
  auto b = candidate.by_name().begin();
  while (a != reference.by_name().end() || b != candidate.by_name().end()) {
    const ModelTensor* left = a == reference.by_name().end() ? nullptr : &reference.tensors()[*a];
    const ModelTensor* right = b == candidate.by_name().end() ? nullptr : &candidate.tensors()[*b];
    const int order = left == nullptr ? 1 : right == nullptr ? -1 : left->name.compare(right->name);
    visit(order <= 0 ? left : nullptr, order >= 0 ? right : nullptr);
    a += order <= 0 ? 1 : 0;
    b += order >= 0 ? 1 : 0;
  }
}

/// Whether the path looks like a model: a .safetensors, .pt or .pth file, or a directory that holds one or an index (no
/// file is opened).
[[nodiscard]] bool looks_like_model(const std::string& path);

/// Finding code of a fault: "RLV-220" ...
[[nodiscard]] std::string_view fault_code(ModelFault fault);
/// The model's faults as findings of `section`; kFileNotInIndex is a warning, all others errors.
void add_findings(const Model& model, core::Section section, core::Findings& findings);

}  // namespace rlverify::tensor
