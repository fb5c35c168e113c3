// SPDX-License-Identifier: Apache-2.0
// Puts a model together (internal to tensor/model.h): files are read one after the other, faults are collected, names
// are made unique at the end.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/model.h"
#include "tensor/model_index.h"

namespace rlverify::tensor {

struct Model::State {
  std::string path;
  std::vector<ModelTensor> tensors;
  std::vector<ModelFile> files;
  std::vector<ModelProblem> problems;
  std::vector<std::uint32_t> by_name;
  std::vector<std::string> missing;
  std::optional<bool> tie_word_embeddings;
  std::size_t max_open_files = 32;

  struct OpenFile {
    std::uint32_t file;
    std::shared_ptr<const core::ByteSource> source;
  };
  std::mutex mutex;
  std::vector<OpenFile> open;  // the most recently used last
};

class ModelBuilder {
 public:
  ModelBuilder(std::string path, std::string name, const ModelOptions& options);

  /// A single file; throws when it can't be read.
  void add_single_file();
  /// The files of a directory, all of whose tensors belong to the model.
  void add_files(const std::vector<std::string>& files, bool name_by_file);
  /// The shards that an index in the directory names. `present` are the tensor files beside it.
  void add_index(const std::string& index_name, const std::vector<std::string>& present);
  /// Files in the directory that are not part of the model, being of another format: told, not read.
  void leave_out(const std::vector<std::string>& files);
  void read_config();
  [[nodiscard]] Model finish();

 private:
  void add_file(const std::string& path, const std::string& name, const std::string& prefix);
  /// Whether the file could be read; a fault is kept.
  bool try_add_file(const std::string& relative, const std::string& prefix, const std::vector<std::string>& affected);
  void add_pt(const core::ByteSource& source, std::uint32_t file, const std::string& prefix);
  void add_tensor(std::string name, std::uint32_t file, TensorRef ref);
  [[nodiscard]] bool is_on_disk(const std::string& relative) const;
  void add_problem(ModelFault fault, std::string file, std::string expected, std::string found,
                   const std::vector<std::string>& affected);
  void check_against_index(const ModelIndex& index, const std::string& index_name, const std::vector<bool>& readable);
  void sort_names();
  /// The tensors of that name: a range of by_name (until drop_duplicates, a name may be in several files).
  [[nodiscard]] std::pair<const std::uint32_t*, const std::uint32_t*> name_range(std::string_view name) const;
  void drop_duplicates();

  std::string path_;
  std::string name_;
  Model model_;
  Model::State& state_;
};

}  // namespace rlverify::tensor
