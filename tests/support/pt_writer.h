// SPDX-License-Identifier: Apache-2.0
// Writes small files of torch.save without torch: a stored zip with a protocol-2 pickle. Tests describe a payload as
// values and get the bytes; nothing of lib/tensor is used, so reader and writer can't agree on a mistake.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rlverify::test {

/// A tensor over a storage of its own.
struct PtTensor {
  std::string storage_class;  ///< "FloatStorage"
  std::string bytes;          ///< the whole storage, little-endian
  std::vector<std::int64_t> shape;
  std::int64_t storage_offset = 0;    ///< in elements
  std::vector<std::int64_t> strides;  ///< in elements; empty: contiguous
};

/// A Python value that can be pickled.
class PtValue {
 public:
  using List = std::vector<PtValue>;
  struct Tuple {
    List items;
  };
  using Dict = std::vector<std::pair<std::string, PtValue>>;

  PtValue() = default;
  PtValue(bool value) : value_(value) {}
  PtValue(int value) : value_(std::int64_t{value}) {}
  PtValue(std::int64_t value) : value_(value) {}
  PtValue(double value) : value_(value) {}
  PtValue(const char* text) : value_(std::string(text)) {}
  PtValue(std::string text) : value_(std::move(text)) {}
  PtValue(List list) : value_(std::move(list)) {}
  PtValue(Tuple tuple) : value_(std::move(tuple)) {}
  PtValue(Dict dict) : value_(std::move(dict)) {}
  PtValue(PtTensor tensor) : value_(std::move(tensor)) {}

  /// Value of a dict's key, added (as None) when it is missing.
  PtValue& operator[](std::string_view key);
  /// Element of a list.
  PtValue& at(std::size_t index) { return std::get<List>(value_).at(index); }
  PtTensor& tensor() { return std::get<PtTensor>(value_); }
  void erase(std::string_view key);

  using Variant = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Tuple, Dict, PtTensor>;
  [[nodiscard]] const Variant& variant() const { return value_; }

 private:
  Variant value_;
};

/// What a writer may choose without saying anything else.
struct PtStyle {
  int protocol = 2;             ///< of the pickle: 2, 4 or 5
  bool share_storages = false;  ///< tensors of one class lie in one storage
  unsigned key_order = 0;       ///< seed of the order of dict keys; 0 keeps it
  bool with_crc = false;        ///< the directory states the CRC of each entry
};

/// The file's bytes. `top` is the folder inside the archive (torch derives it from the file's name).
[[nodiscard]] std::string write_pt(const PtValue& root, const std::string& top = "archive", const PtStyle& style = {});

/// Bytes of elements as they lie in memory (little-endian machines only, like the program).
template <typename T>
[[nodiscard]] std::string raw_bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

[[nodiscard]] inline PtTensor vector_tensor(std::string storage_class, std::string bytes, std::size_t count) {
  PtTensor tensor;
  tensor.storage_class = std::move(storage_class);
  tensor.bytes = std::move(bytes);
  tensor.shape = {static_cast<std::int64_t>(count)};
  return tensor;
}
[[nodiscard]] inline PtTensor float_tensor(const std::vector<float>& values) {
  return vector_tensor("FloatStorage", raw_bytes(values), values.size());
}
[[nodiscard]] inline PtTensor double_tensor(const std::vector<double>& values) {
  return vector_tensor("DoubleStorage", raw_bytes(values), values.size());
}
[[nodiscard]] inline PtTensor int_tensor(const std::vector<std::int32_t>& values) {
  return vector_tensor("IntStorage", raw_bytes(values), values.size());
}
[[nodiscard]] inline PtTensor long_tensor(const std::vector<std::int64_t>& values) {
  return vector_tensor("LongStorage", raw_bytes(values), values.size());
}

/// A 0-d int64 tensor, as `torch.tensor(3)` gives.
[[nodiscard]] inline PtTensor scalar_tensor(std::int64_t value) {
  PtTensor tensor = long_tensor({value});
  tensor.shape.clear();
  return tensor;
}

}  // namespace rlverify::test
