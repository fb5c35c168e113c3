// SPDX-License-Identifier: Apache-2.0
// Names of a model: sorted once, made unique once. Where two files give one name the later file wins, as in the audit
// hook (spec/run-artifacts.md section 8); the fault is kept.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <system_error>

#include "tensor/model_builder.h"

namespace rlverify::tensor {

bool ModelBuilder::is_on_disk(const std::string& relative) const {
  // A dangling link is there: opening it tells what is wrong with it.
  std::error_code error;
  return std::filesystem::symlink_status(path_ + "/" + relative, error).type() !=
             std::filesystem::file_type::not_found &&
         !error;
}

void ModelBuilder::sort_names() {
  state_.by_name.resize(state_.tensors.size());
  std::iota(state_.by_name.begin(), state_.by_name.end(), 0U);
  std::sort(state_.by_name.begin(), state_.by_name.end(), [this](std::uint32_t a, std::uint32_t b) {
    const int compared = state_.tensors[a].name.compare(state_.tensors[b].name);
    return compared != 0 ? compared < 0 : a < b;
  });
}

std::pair<const std::uint32_t*, const std::uint32_t*> ModelBuilder::name_range(std::string_view name) const {
  const std::uint32_t* begin = state_.by_name.data();
  const std::uint32_t* end = begin + state_.by_name.size();
  const std::uint32_t* first = std::lower_bound(
      begin, end, name, [this](std::uint32_t i, std::string_view wanted) { return state_.tensors[i].name < wanted; });
  const std::uint32_t* last = first;
  while (last != end && state_.tensors[*last].name == name) {
    ++last;
  }
  return {first, last};
}

void ModelBuilder::drop_duplicates() {
  std::vector<bool> dropped(state_.tensors.size(), false);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> duplicates;
  for (std::size_t i = 1; i < state_.by_name.size(); ++i) {
    const ModelTensor& earlier = state_.tensors[state_.by_name[i - 1]];
    const ModelTensor& later = state_.tensors[state_.by_name[i]];
    if (earlier.name == later.name) {
      dropped[state_.by_name[i - 1]] = true;
      duplicates[{state_.files[earlier.file].name, state_.files[later.file].name}].push_back(later.name);
    }
  }
  if (duplicates.empty()) {
    return;
  }
  for (const auto& [files, names] : duplicates) {
    const std::string others = names.size() < 2 ? "" : fmt::format(" and {} more", names.size() - 1);
    const std::string first_place = files.first == files.second ? "twice in this file" : "in " + files.first + ", too";
    add_problem(ModelFault::kDuplicateTensor, files.second, "each tensor name once",
                fmt::format("the duplicate tensor name \"{}\"{} ({})", names.front(), others, first_place), names);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < state_.tensors.size(); ++i) {
    if (!dropped[i]) {
      if (kept != i) {
        state_.tensors[kept] = std::move(state_.tensors[i]);
      }
      ++kept;
    }
  }
  state_.tensors.resize(kept);
  sort_names();
}

Model ModelBuilder::finish() {
  sort_names();
  drop_duplicates();
  std::vector<std::string>& missing = state_.missing;
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  return std::move(model_);
}

}  // namespace rlverify::tensor
