// SPDX-License-Identifier: Apache-2.0
// Writes safetensors files, indices and state dicts from named tensors, so that one set of values can be stored in
// every container.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/pt_builder.h"

namespace rlverify::tensor::test {

/// A tensor with its bytes in C order.
struct NamedBytes {
  std::string name;
  std::string dtype;  ///< as safetensors writes it
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

/// A file with this JSON as header and these bytes as data.
inline std::string safetensors_file(std::string_view json, std::string_view data) {
  return le(json.size(), 8) + std::string(json) + std::string(data);
}

inline std::string header_entry(const NamedBytes& tensor, std::uint64_t begin) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", tensor.name, tensor.dtype,
                     fmt::join(tensor.shape, ","), begin, begin + tensor.bytes.size());
}

/// One file; data in the order given, header padded with spaces to eight bytes as the format's writer does.
inline std::string safetensors(const std::vector<NamedBytes>& tensors, std::string_view metadata = "") {
  std::string json = "{";
  std::string data;
  if (!metadata.empty()) {
    json += fmt::format(R"("__metadata__":{})", metadata);
  }
  for (const NamedBytes& tensor : tensors) {
    json += (json.size() > 1 ? "," : "") + header_entry(tensor, data.size());
    data += tensor.bytes;
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  return safetensors_file(json, data);
}

/// A torch.save file of {name: tensor}; BF16, F32 and I64 only.
inline std::string state_dict(const std::vector<NamedBytes>& tensors) {
  std::string body = "}(";
  std::map<std::string, std::string> storages;
  for (const NamedBytes& tensor : tensors) {
    const std::string key = fmt::format("{}", storages.size());
    const std::string cls = tensor.dtype == "BF16"  ? "BFloat16Storage"
                            : tensor.dtype == "F32" ? "FloatStorage"
                                                    : "LongStorage";
    const std::size_t element_bytes = tensor.dtype == "BF16" ? 2 : tensor.dtype == "F32" ? 4 : 8;
    std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * shape[i];
    }
    const auto elements = static_cast<std::int64_t>(tensor.bytes.size() / element_bytes);
    body += text(tensor.name) + tensor_v2(storage(cls, key, elements), 0, shape, strides);
    storages[key] = tensor.bytes;
  }
  return pt_zip(body + "u", storages);
}

/// model.safetensors.index.json of {tensor: file}.
inline std::string index_json(const std::vector<std::pair<std::string, std::string>>& weight_map) {
  std::string json = R"({"metadata": {"total_size": 1}, "weight_map": {)";
  for (std::size_t i = 0; i < weight_map.size(); ++i) {
    json += fmt::format(R"({}"{}": "{}")", i == 0 ? "" : ", ", weight_map[i].first, weight_map[i].second);
  }
  return json + "}}";
}

}  // namespace rlverify::tensor::test
