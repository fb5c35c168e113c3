// SPDX-License-Identifier: Apache-2.0
// The output weight is read in slices of rows for every piece: a matrix of a gigabyte stays on disk (and in the page
// cache), and the products of a slice land in their columns.
#include "replay/logits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/errors.h"
#include "tensor/element.h"

namespace rlverify::replay {
namespace {

namespace fs = std::filesystem;
using kernels::StorageType;

constexpr std::int64_t kPieceBytes = std::int64_t{32} << 20;
constexpr std::int64_t kMaxPieceRows = 4096;
constexpr std::int64_t kWeightSliceBytes = std::int64_t{32} << 20;
constexpr const char* kWeightFolder = "weight-updates";
constexpr const char* kHead = "lm_head.weight";
constexpr std::string_view kEmbedding = "embed_tokens.weight";

[[noreturn]] void fail(const std::string& file, std::string expected, std::string found) {
  core::Problem problem;
  problem.file = file;
  problem.expected = std::move(expected);
  problem.found = std::move(found);
  throw core::ArtifactError(std::move(problem));
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether a folder's name is the version: the same, or the same number.
bool is_version(const std::string& folder, const std::string& version) {
  if (folder == version) {
    return true;
  }
  const std::size_t digits = folder.find_last_not_of("0123456789") + 1;
  const std::size_t number = folder.find_first_not_of('0', digits);
  const std::string tail = number == std::string::npos ? "0" : folder.substr(number);
  return digits < folder.size() && folder.substr(0, 1) == "w" && tail == version;
}

/// Only folders that are listed are opened: the version is text from a file and may be any path.
std::string version_path(const std::string& run_path, const std::string& version, const std::string& file) {
  if (version.empty()) {
    fail(file, "weight_version: which weights the hidden states go with", "none");
  }
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator entries(run_path + "/" + kWeightFolder, error);
  for (; !run_path.empty() && !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::string name = entries->path().filename().string();
    if (is_version(name, version)) {
      names.push_back(std::move(name));
    }
  }
  if (names.empty()) {
    fail(file, fmt::format("the weights of version \"{}\" in {}/", version, kWeightFolder),
         "none of that name or number");
  }
  return run_path + "/" + kWeightFolder + "/" + *std::min_element(names.begin(), names.end());
}

const tensor::ModelTensor* find_output(const tensor::Model& model) {
  if (const tensor::ModelTensor* head = model.find(kHead)) {
    return head;
  }
  const tensor::ModelTensor* found = nullptr;
  for (const tensor::ModelTensor& tensor : model.tensors()) {
    if (ends_with(tensor.name, kHead)) {
      return &tensor;
    }
    if (found == nullptr && ends_with(tensor.name, kEmbedding)) {
      found = &tensor;
    }
  }
  return found;
}

float bits_to_float(const std::byte* element, StorageType type) {
  switch (type) {
    case StorageType::kFloat32:
      return tensor::load_element<float>(element);
    case StorageType::kBFloat16:
      return tensor::bfloat16_to_float(tensor::load_element<std::uint16_t>(element));
    case StorageType::kFloat16:
      return tensor::half_to_float(tensor::load_element<std::uint16_t>(element));
  }
  return 0.0F;
}

std::size_t offset_of(const Logits& logits, std::int64_t row, std::int64_t column) {
  return static_cast<std::size_t>((row * logits.columns + column) * kernels::storage_bytes(logits.type));
}

}  // namespace

OutputWeight::OutputWeight(const std::string& run_path, const std::string& version, const run::LogpInputsFile& for_file)
    : model_(tensor::open_model(version_path(run_path, version, for_file.name))), tensor_(find_output(model_)) {
  if (tensor_ == nullptr) {
    fail(model_.path(), fmt::format("{}, or a tied {}", kHead, kEmbedding),
         fmt::format("{} other tensors", model_.tensors().size()));
  }
  name_ = fs::path(model_.path()).filename().string() + ", " + tensor_->name;
  const tensor::TensorRef& ref = tensor_->ref;
  const bool known = ref.dtype == tensor::DType::kBfloat16 || ref.dtype == tensor::DType::kFloat16 ||
                     ref.dtype == tensor::DType::kFloat32;
  if (!known || ref.shape.size() != 2 || !fits(for_file) || ref.explodes()) {
    fail(name_,
         fmt::format("{} to {} rows of {} elements in bfloat16, float16 or float32", for_file.real_vocab_size,
                     for_file.padded_vocab_size, for_file.columns),
         fmt::format("[{}] {}", fmt::join(ref.shape, ", "), tensor::torch_name(ref.dtype)));
  }
  type_ = storage_type(ref.dtype);
}

std::vector<std::byte> OutputWeight::read_rows(std::int64_t first, std::int64_t count) const {
  const std::uint64_t columns = tensor_->ref.shape[1];
  return tensor::read_element_range(*model_.source(tensor_->file), tensor_->ref,
                                    static_cast<std::uint64_t>(first) * columns,
                                    static_cast<std::uint64_t>(count) * columns);
}

std::int64_t LogitReader::rows_per_piece() const {
  return std::clamp<std::int64_t>(kPieceBytes / (4 * group_.head().padded_vocab_size), 1, kMaxPieceRows);
}

void LogitReader::read(std::size_t sample, std::int64_t first_row, std::int64_t rows) {
  rounded_.reset();
  logits_.rows = rows;
  logits_.columns = group_.head().padded_vocab_size;
  if (group_.head().has_hidden) {
    project(sample, first_row, rows);
  } else {
    read_logits(sample, first_row, rows);
  }
}

void LogitReader::read_logits(std::size_t sample, std::int64_t first_row, std::int64_t rows) {
  logits_.type = storage_type(group_.head().dtype);
  const std::uint64_t columns = group_.head().columns;
  const auto local_bytes = static_cast<std::size_t>(columns) * static_cast<std::size_t>(storage_bytes(logits_.type));
  const std::size_t row_bytes = local_bytes * group_.files.size();
  logits_.bytes.resize(row_bytes * static_cast<std::size_t>(rows));
  for (std::size_t part = 0; part < group_.files.size(); ++part) {
    const std::vector<std::byte> slice = tensor::read_element_range(
        *group_.files[part].source, *group_.samples[sample].parts[part],
        static_cast<std::uint64_t>(first_row) * columns, static_cast<std::uint64_t>(rows) * columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      std::memcpy(logits_.bytes.data() + row * row_bytes + part * local_bytes, slice.data() + row * local_bytes,
                  local_bytes);
    }
  }
}

void LogitReader::project(std::size_t sample, std::int64_t first_row, std::int64_t rows) {
  const run::LogpInputsFile& head = group_.head();
  const auto hidden_size = static_cast<std::int64_t>(head.columns);
  const std::vector<std::byte> hidden = tensor::read_element_range(*head.source, *group_.samples[sample].parts.front(),
                                                                   static_cast<std::uint64_t>(first_row) * head.columns,
                                                                   static_cast<std::uint64_t>(rows) * head.columns);
  const std::vector<std::int64_t> targets(static_cast<std::size_t>(rows), 0);
  logits_.type = StorageType::kFloat32;
  // Columns that the weight has no row for are padding without a weight: 0.
  logits_.bytes.assign(static_cast<std::size_t>(rows * logits_.columns) * sizeof(float), std::byte{0});
  const std::int64_t slice_rows =
      std::max<std::int64_t>(1, kWeightSliceBytes / (hidden_size * kernels::storage_bytes(weight_->type())));
  std::vector<float> product;
  for (std::int64_t first = 0; first < weight_->rows(); first += slice_rows) {
    const std::int64_t count = std::min(slice_rows, weight_->rows() - first);
    const std::vector<std::byte> slice = weight_->read_rows(first, count);
    kernels::LogpInput input;
    input.hidden = hidden.data();
    input.hidden_type = storage_type(head.dtype);
    input.weight = slice.data();
    input.weight_type = weight_->type();
    input.hidden_size = hidden_size;
    input.targets = targets.data();
    input.rows = rows;
    input.real_vocab_size = count;
    input.padded_vocab_size = count;
    product.resize(static_cast<std::size_t>(rows * count));
    kernels::project_logits(input, StorageType::kFloat32, execution_, product.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      std::memcpy(logits_.bytes.data() + offset_of(logits_, row, first), product.data() + row * count,
                  static_cast<std::size_t>(count) * sizeof(float));
    }
  }
}

const Logits& LogitReader::logits(StorageType product) {
  if (!group_.head().has_hidden || product == StorageType::kFloat32) {
    return logits_;
  }
  if (!rounded_) {
    rounded_.emplace();
    rounded_->type = StorageType::kBFloat16;
    rounded_->rows = logits_.rows;
    rounded_->columns = logits_.columns;
    rounded_->bytes.resize(logits_.bytes.size() / 2);
    for (std::size_t i = 0; i < logits_.bytes.size() / sizeof(float); ++i) {
      const auto value = tensor::load_element<float>(logits_.bytes.data() + i * sizeof(float));
      const float rounded = kernels::rounded_to(value, StorageType::kBFloat16);
      const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded) >> 16U);
      std::memcpy(rounded_->bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
    }
  }
  return *rounded_;
}

StorageType storage_type(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::kBfloat16:
      return StorageType::kBFloat16;
    case tensor::DType::kFloat16:
      return StorageType::kFloat16;
    default:
      return StorageType::kFloat32;
  }
}

float logit(const Logits& logits, std::int64_t row, std::int64_t column) {
  return bits_to_float(logits.bytes.data() + offset_of(logits, row, column), logits.type);
}

void exclude(Logits& logits, std::int64_t row, std::int64_t column) {
  // The upper half of fp32's -inf is bf16's.
  const std::uint32_t bits = logits.type == StorageType::kFloat16 ? 0xFC00U : 0xFF800000U;
  const auto narrow = static_cast<std::uint16_t>(logits.type == StorageType::kFloat16 ? bits : bits >> 16U);
  std::byte* element = logits.bytes.data() + offset_of(logits, row, column);
  if (logits.type == StorageType::kFloat32) {
    std::memcpy(element, &bits, sizeof(bits));
  } else {
    std::memcpy(element, &narrow, sizeof(narrow));
  }
}

}  // namespace rlverify::replay
