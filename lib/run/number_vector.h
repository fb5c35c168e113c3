// SPDX-License-Identifier: Apache-2.0
// A vector of numbers out of a pickled payload: a tensor of any shape read as one row, or a Python list of numbers as
// torch.as_tensor would read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/value.h"
#include "tensor/pt_reader.h"

namespace rlverify::run {

/// Either a reference to a tensor of the file or the bytes of converted Python numbers (floats become float32, integers
/// int64, booleans bool).
struct NumberVector {
  tensor::DType dtype = tensor::DType::kFloat32;
  std::uint64_t element_count = 0;
  const tensor::TensorRef* tensor = nullptr;  ///< points into the PtFile
  std::vector<std::byte> converted;
};

/// The elements of a vector: a view into the source's memory where that is possible, else owned bytes.
struct ElementBytes {
  std::vector<std::byte> owned;
  std::span<const std::byte> view;
};

/// Throws core::ArtifactError (with `field` in the message) for a value that is no vector of numbers.
[[nodiscard]] NumberVector number_vector(const tensor::PtFile& file, core::Value value, const std::string& file_name,
                                         const std::string& field);

/// Contiguous little-endian elements in C order.
[[nodiscard]] ElementBytes load(const core::ByteSource& source, const NumberVector& vector);

/// An integer >= `minimum`: a Python int (no bool) or a 0-d integer tensor. Throws core::ArtifactError naming `field`.
[[nodiscard]] std::int64_t whole_number(const core::ByteSource& source, const tensor::PtFile& file, core::Value value,
                                        std::int64_t minimum, const std::string& field);

/// Throws core::ArtifactError (malformed) about a field of a payload.
[[noreturn]] void fail_field(const std::string& file, const std::string& field, const std::string& expected,
                             const std::string& found);

/// What a value is, for messages: "a list of 3", "None", "the string 'x'", "a tensor [8] torch.float32".
[[nodiscard]] std::string describe(const tensor::PtFile& file, core::Value value);

}  // namespace rlverify::run
