// SPDX-License-Identifier: Apache-2.0
// Every number of the payload is checked against the others before a row is asked for, so that whoever computes from it
// finds shapes that fit.
#include "run/logp_inputs_file.h"

#include <fmt/format.h>

#include <cmath>

#include "core/python_value.h"
#include "tensor/element.h"

namespace rlverify::run {
namespace {

using core::Kind;
using core::Value;
using tensor::DType;

// Limits of what a real run can have; everything larger is a damaged file.
constexpr std::int64_t kMaxParallelSize = 4096;
constexpr std::int64_t kMaxVocabulary = std::int64_t{1} << 28;
constexpr std::uint64_t kMaxHiddenSize = std::uint64_t{1} << 20;

class Reader {
 public:
  explicit Reader(LogpInputsFile& file) : file_(file), payload_(file.pt->root()) {}

  void read() {
    if (!payload_.is_dict()) {
      fail("payload", "a dict", payload_);
    }
    const Value schema = payload_.get("schema_version");
    if (!schema.is_string() || schema.text() != kLogpInputsSchema) {
      fail("schema_version", kLogpInputsSchema, schema);
    }
    read_numbers();
    read_flags();
    const Value matrices = payload_.get(matrix_name());
    const Value targets = payload_.get("targets");
    check_list(matrix_name(), matrices, std::nullopt);
    check_list("targets", targets, matrices.size());
    for (const char* name : {"train_log_probs", "rollout_log_probs"}) {
      if (const Value list = payload_.get(name); list.present() && !list.is(Kind::kNull)) {
        check_list(name, list, matrices.size());
      }
    }
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      read_sample(matrices.at(i), targets.at(i), i);
    }
    if (file_.samples.empty()) {
      fail_field(file_.name, matrix_name(), "at least one sample", "an empty list");
    }
  }

 private:
  [[nodiscard]] const char* matrix_name() const { return file_.has_hidden ? "hidden" : "logits"; }

  [[noreturn]] void fail(const std::string& field, const std::string& expected, Value found) const {
    fail_field(file_.name, field, expected, describe(*file_.pt, found));
  }

  std::int64_t whole(const char* field, std::int64_t minimum, std::int64_t maximum) const {
    const std::int64_t number = whole_number(*file_.source, *file_.pt, payload_.get(field), minimum, field);
    if (number > maximum) {
      fail_field(file_.name, field, fmt::format("at most {}", maximum), fmt::format("{}", number));
    }
    return number;
  }

  void read_numbers() {
    file_.rank = whole("rank", 0, INT32_MAX);
    file_.call_index = whole("call_index", 0, INT64_MAX);
    file_.tensor_parallel_size = whole("tensor_parallel_size", 1, kMaxParallelSize);
    file_.context_parallel_size = whole("context_parallel_size", 1, kMaxParallelSize);
    file_.padded_vocab_size = whole("padded_vocab_size", 1, kMaxVocabulary);
    file_.real_vocab_size = whole("real_vocab_size", 1, kMaxVocabulary);
    if (file_.real_vocab_size > file_.padded_vocab_size) {
      fail_field(file_.name, "real_vocab_size",
                 fmt::format("at most the padded vocabulary {}", file_.padded_vocab_size),
                 fmt::format("{}", file_.real_vocab_size));
    }
    const Value temperature = payload_.get("temperature");
    if (!temperature.is(Kind::kReal) && !temperature.is_integer()) {
      fail("temperature", "a number", temperature);
    }
    file_.temperature = temperature.is(Kind::kReal) ? temperature.real() : static_cast<double>(temperature.integer());
    if (!std::isfinite(file_.temperature) || file_.temperature < 0.0) {
      fail("temperature", "a finite number of at least 0", temperature);
    }
  }

  void read_flags() {
    const bool has_logits = payload_.get("logits").present() && !payload_.get("logits").is(Kind::kNull);
    file_.has_hidden = payload_.get("hidden").present() && !payload_.get("hidden").is(Kind::kNull);
    if (has_logits == file_.has_hidden) {
      fail_field(file_.name, "logits, hidden", "one of the two", has_logits ? "both" : "none");
    }
    const Value scaled = payload_.get("logits_are_temperature_scaled");
    if (!scaled.is(Kind::kBoolean)) {
      fail("logits_are_temperature_scaled", "True or False", scaled);
    }
    file_.logits_are_temperature_scaled = scaled.boolean();
    const Value version = payload_.get("weight_version");
    if (version.is_string() || version.is_integer()) {
      file_.weight_version = version.is_string() ? std::string(version.text()) : fmt::format("{}", version.integer());
    } else if (version.present() && !version.is(Kind::kNull)) {
      fail("weight_version", "a name or a number", version);
    }
  }

  void check_list(const char* field, Value list, std::optional<std::size_t> size) const {
    if (!list.is_sequence()) {
      fail(field, "a list", list);
    }
    if (size && list.size() != *size) {
      fail_field(file_.name, field, fmt::format("{} entries, as {} has", *size, matrix_name()),
                 fmt::format("{} entries", list.size()));
    }
  }

  void read_sample(Value matrix, Value targets, std::size_t index) {
    LogpInputsSample sample;
    const std::string place = fmt::format("{}[{}]", matrix_name(), index);
    if (!matrix.is(Kind::kTensor)) {
      fail(place, "a tensor", matrix);
    }
    sample.matrix = &file_.pt->tensor(matrix);
    check_matrix(*sample.matrix, matrix, place, index);
    sample.targets = read_targets(targets, fmt::format("targets[{}]", index), sample.matrix->shape[0]);
    sample.train_log_probs = read_log_probs("train_log_probs", index, sample.tokens());
    sample.rollout_log_probs = read_log_probs("rollout_log_probs", index, sample.tokens());
    file_.samples.push_back(std::move(sample));
  }

  void check_matrix(const tensor::TensorRef& matrix, Value value, const std::string& place, std::size_t index) {
    const bool known =
        matrix.dtype == DType::kBfloat16 || matrix.dtype == DType::kFloat16 || matrix.dtype == DType::kFloat32;
    if (!known || matrix.shape.size() != 2 || matrix.conjugate || matrix.negative) {
      fail(place, "a matrix of bfloat16, float16 or float32", value);
    }
    if (matrix.explodes()) {
      fail_field(file_.name, place, "a tensor of at most 64 times its storage",
                 fmt::format("{} elements over {} bytes", matrix.element_count, matrix.storage_bytes));
    }
    if (index != 0 && (matrix.shape[1] != file_.columns || matrix.dtype != file_.dtype)) {
      fail(place, fmt::format("{} columns of {}, as the first sample has", file_.columns, torch_name(file_.dtype)),
           value);
    }
    file_.columns = matrix.shape[1];
    file_.dtype = matrix.dtype;
    if (file_.has_hidden) {
      if (file_.columns == 0 || file_.columns > kMaxHiddenSize) {
        fail(place, fmt::format("1 to {} columns", kMaxHiddenSize), value);
      }
      return;
    }
    const std::int64_t ranks = file_.tensor_parallel_size;
    const bool divisible = file_.padded_vocab_size % ranks == 0;
    const auto local = static_cast<std::uint64_t>(file_.padded_vocab_size / ranks);
    file_.is_local_vocab = ranks > 1 && divisible && file_.columns == local;
    if (!file_.is_local_vocab && file_.columns != static_cast<std::uint64_t>(file_.padded_vocab_size)) {
      fail(place,
           ranks > 1 && divisible ? fmt::format("{} columns, or {} of one rank", file_.padded_vocab_size, local)
                                  : fmt::format("{} columns, the padded vocabulary", file_.padded_vocab_size),
           value);
    }
  }

  std::vector<std::int64_t> read_targets(Value value, const std::string& place, std::uint64_t tokens) const {
    const NumberVector vector = number_vector(*file_.pt, value, file_.name, place);
    const bool empty = vector.element_count == 0 && tokens == 0;
    if (!tensor::is_integer(vector.dtype) && !empty) {
      fail(place, "integers", value);
    }
    if (vector.element_count != tokens) {
      fail_field(file_.name, place, fmt::format("{} token ids, one per row", tokens),
                 fmt::format("{}", vector.element_count));
    }
    const ElementBytes bytes = load(*file_.source, vector);
    const std::size_t size = tensor::bytes_per_element(vector.dtype);
    std::vector<std::int64_t> targets(tokens);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets[i] = tensor::integer_element(vector.dtype, bytes.view.data() + i * size);
    }
    return targets;
  }

  std::optional<NumberVector> read_log_probs(const char* name, std::size_t index, std::uint64_t tokens) const {
    const Value list = payload_.get(name);
    if (!list.present() || list.is(Kind::kNull)) {
      return std::nullopt;
    }
    const std::string place = fmt::format("{}[{}]", name, index);
    NumberVector vector = number_vector(*file_.pt, list.at(index), file_.name, place);
    if (!tensor::is_floating(vector.dtype) && vector.element_count != 0) {
      fail(place, "floating-point numbers", list.at(index));
    }
    if (vector.element_count != tokens) {
      fail_field(file_.name, place, fmt::format("{} values, one per row", tokens),
                 fmt::format("{}", vector.element_count));
    }
    return vector;
  }

  LogpInputsFile& file_;
  Value payload_;
};

}  // namespace

LogpInputsFile read_logp_inputs(std::unique_ptr<core::ByteSource> source, std::string name) {
  LogpInputsFile file;
  file.name = std::move(name);
  file.source = std::move(source);
  file.pt = std::make_unique<tensor::PtFile>(tensor::read_pt(*file.source));
  Reader(file).read();
  return file;
}

}  // namespace rlverify::run
