// SPDX-License-Identifier: Apache-2.0
// What `rlverify inspect` shows of a tensor file: one row per value, each container once, and what would make the file
// unsafe to load in Python. Collected once; the text and the JSON document are two drawings of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "report/document.h"
#include "tensor/pt_reader.h"

namespace rlverify::report {

struct InspectedTensor {
  tensor::TensorRef reference;
  std::string storage_key;
  std::uint64_t tensors_in_storage = 1;            ///< tensors of the file that look into the same storage
  std::optional<std::vector<std::string>> values;  ///< the first elements as text, where asked for
};

struct InspectedRow {
  std::string path;     ///< as tensor/value_walk.h spells it; empty for the root
  std::string type;     ///< "dict", "list", "int", "tensor", "object" ...
  std::string content;  ///< a scalar's text, a container's size, an object's class
  std::string same_as;  ///< path of the container that this one is ("" with is_repeated: the root)
  bool is_repeated = false;
  bool contains_itself = false;
  std::optional<InspectedTensor> tensor;
};

struct Inspection {
  std::string file;
  std::uint64_t file_bytes = 0;
  std::string container;  ///< "zip" or "legacy"
  int pickle_protocol = 0;
  std::vector<tensor::UnsafeGlobal> unsafe_globals;
  std::vector<InspectedRow> rows;
  std::uint64_t tensor_count = 0;  ///< distinct tensors
  std::uint64_t tensor_bytes = 0;  ///< of those that don't explode, as views unfold them
  std::uint64_t storage_count = 0;
  std::uint64_t storage_bytes = 0;
  std::uint64_t object_count = 0;  ///< objects of classes that aren't interpreted
  double unfolded_values = 0;  ///< if every shared part were shown each time; infinite for a value that contains itself
  bool shares_parts = false;
  std::string stopped;  ///< why not everything is listed; empty if it is
};

struct InspectOptions {
  std::function<bool(std::string_view path)> selects;  ///< only tensors whose path it accepts; empty: every value
  bool values = false;                                 ///< read and show the first kShownElements of the tensors shown
};

inline constexpr std::uint64_t kShownElements = 1000;
inline constexpr std::uint64_t kShownRows = 100'000;

/// Collects the rows. Elements are read only with options.values, and only of tensors that are shown.
[[nodiscard]] Inspection inspect(const core::ByteSource& source, const tensor::PtFile& file,
                                 const InspectOptions& options);
/// For a terminal or a file; control characters of names and strings are escaped. Ends with a newline.
[[nodiscard]] std::string inspection_text(const Inspection& inspection);
/// schemas/inspection.schema.json. Version rule: a new optional key keeps rlverify.inspection.v1; a key that changes
/// its meaning or goes away makes v2.
[[nodiscard]] Document inspection_document(const Inspection& inspection);

}  // namespace rlverify::report
