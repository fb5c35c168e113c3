// SPDX-License-Identifier: Apache-2.0
// The map may name 80,000 tensors but only a few hundred files, so files are kept once and tensors refer to them.
#include "tensor/model_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/json_reader.h"
#include "tensor/fail.h"

namespace rlverify::tensor {
namespace {

using core::Place;
using core::ProblemKind;

/// Keeps the strings of the top object's `weight_map`.
class IndexHandler final : public core::JsonHandler {
 public:
  IndexHandler(const std::string& file, ModelIndex& index, std::vector<std::uint32_t>& name_offsets)
      : file_(file), index_(index), name_offsets_(name_offsets) {}

  void null(Place place) override { scalar("null", place); }
  void boolean(bool value, Place place) override { scalar(value ? "true" : "false", place); }
  void integer(std::int64_t value, Place place) override { scalar(fmt::format("{}", value), place); }
  void big_integer(std::string_view digits, Place place) override { scalar(digits.substr(0, 60), place); }
  void real(double /*value*/, std::string_view text, Place place) override { scalar(text.substr(0, 60), place); }
  void string(std::string_view utf8, Place place) override {
    if (!in_map()) {
      return scalar("a string", place);
    }
    const auto [known, is_new] = files_.emplace(std::string(utf8), static_cast<std::uint32_t>(index_.files.size()));
    if (is_new) {
      index_.files.emplace_back(utf8);
    }
    index_.entries.back().file = known->second;
  }
  void key(std::string_view utf8, Place place) override {
    if (in_map()) {
      index_.entries.push_back({std::string(utf8), 0});
      name_offsets_.push_back(static_cast<std::uint32_t>(place.offset));
    } else if (depth_ == 1) {
      at_map_ = utf8 == "weight_map";
      if (at_map_ && found_) {
        fail(ProblemKind::kMalformed, file_, place.offset, "one \"weight_map\"", "a second one");
      }
    }
  }
  void begin_object(Place place) override {
    if (in_map() || (depth_ == 0 && found_)) {
      scalar("an object", place);
    }
    ++depth_;
    found_ = found_ || in_map();
  }
  void end_object(Place /*place*/) override { leave(); }
  void begin_array(Place place) override {
    if (depth_ == 0 || in_map() || (depth_ == 1 && at_map_)) {
      scalar("a list", place);
    }
    ++depth_;
  }
  void end_array(Place /*place*/) override { leave(); }
  [[nodiscard]] bool found() const { return found_; }

 private:
  [[nodiscard]] bool in_map() const { return depth_ == 2 && at_map_; }
  void leave() {
    if (--depth_ == 1) {
      at_map_ = false;
    }
  }
  void scalar(std::string_view found, Place place) const {
    if (depth_ == 0) {
      fail(ProblemKind::kMalformed, file_, place.offset, "an object with a \"weight_map\"", std::string(found));
    }
    if (depth_ == 1 && at_map_) {
      fail(ProblemKind::kMalformed, file_, place.offset, "an object of file names as \"weight_map\"",
           std::string(found));
    }
    if (in_map()) {
      fail(ProblemKind::kMalformed, file_, place.offset,
           fmt::format("the name of the file that holds tensor \"{}\"", index_.entries.back().tensor),
           std::string(found));
    }
  }

  const std::string& file_;
  ModelIndex& index_;
  std::vector<std::uint32_t>& name_offsets_;
  std::unordered_map<std::string, std::uint32_t> files_;
  unsigned depth_ = 0;
  bool at_map_ = false;
  bool found_ = false;
};

/// Sorts entries by name and refuses a name that comes twice.
void sort_entries(const std::string& file, ModelIndex& index, const std::vector<std::uint32_t>& name_offsets) {
  std::vector<std::uint32_t> order(index.entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int compared = index.entries[a].tensor.compare(index.entries[b].tensor);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::vector<IndexEntry> sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t i : order) {
    if (!sorted.empty() && sorted.back().tensor == index.entries[i].tensor) {
      fail(ProblemKind::kMalformed, file, name_offsets[i], "each tensor name once",
           fmt::format("the duplicate tensor name \"{}\"", sorted.back().tensor));
    }
    sorted.push_back(std::move(index.entries[i]));
  }
  index.entries = std::move(sorted);
}

void sort_files(ModelIndex& index) {
  std::vector<std::uint32_t> order(index.files.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return index.files[a] < index.files[b]; });
  std::vector<std::uint32_t> position(order.size());
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = static_cast<std::uint32_t>(i);
    sorted.push_back(std::move(index.files[order[i]]));
  }
  index.files = std::move(sorted);
  for (IndexEntry& entry : index.entries) {
    entry.file = position[entry.file];
  }
}

}  // namespace

ModelIndex read_model_index(const core::ByteSource& source) {
  ModelIndex index;
  std::vector<std::uint32_t> name_offsets;
  IndexHandler handler(source.name(), index, name_offsets);
  core::parse_json(source, core::JsonMode::kStrict, handler);
  if (!handler.found()) {
    fail(ProblemKind::kMalformed, source.name(), 0, "an object with a \"weight_map\"", "none");
  }
  sort_entries(source.name(), index, name_offsets);
  sort_files(index);
  return index;
}

std::string unsafe_path_reason(std::string_view file) {
  if (file.empty()) {
    return "it is empty";
  }
  if (file.find('\0') != std::string_view::npos) {
    return "it holds a NUL byte";
  }
  if (file.front() == '/') {
    return "it is absolute";
  }
  for (std::size_t begin = 0; begin <= file.size();) {
    const std::size_t end = std::min(file.find('/', begin), file.size());
    if (file.substr(begin, end - begin) == "..") {
      return "it leaves the directory";
    }
    begin = end + 1;
  }
  return "";
}

}  // namespace rlverify::tensor
